/**
 * Converts MCP tools into agent tools, and results and errors into agent results. All text of a server passes the sanitizer,
 * and one budget covers a whole result. Nothing here fails, whatever a server sends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ToolDefinition } from "../../schemas/connection/Catalogue.ts"
import { remembering } from "../../schemas/content/Cleaner.ts"
import { withheldFor, type ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import { DESCRIPTION_MAX_CHARS, TOOL_NAME_MAX_CHARS } from "../../schemas/defaults/Definitions.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import { madeOnce, type Known } from "../../schemas/data/MadeOnce.ts"
import { inLine, inProse, mergeFindings, numberOf } from "../../schemas/content/ServerText.ts"
import { originMark, type AgentTool, type Progress, type ToolAnnotations } from "../../schemas/call/Tool.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { secretsVersion } from "../../services/content/Redactor.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import { ToolBridge } from "../../services/call/ToolBridge.ts"
import { toDefectResult, toErrorResult } from "./ToolBridge/errors.ts"
import { cleanInputSchema } from "./ToolBridge/inputSchema.ts"
import { toResult } from "./ToolBridge/result.ts"
import { memoOf } from "../../schemas/data/Memo.ts"

type Sanitizer = ContentSanitizer["Service"]

/** Without the name, which depends on the agent's other tools. */
interface Cleaned {
  readonly agentTool: Omit<AgentTool, "name">
  readonly findings: ReadonlyArray<Finding>
}

// ---- definitions ---------------------------------------------------------------------------------------------------

const cleanedOf = (server: string, definition: ToolDefinition, sanitizer: Sanitizer): Cleaned => {
  const cleaner = remembering(sanitizer)
  const { leftOut, schema } = cleanInputSchema(definition.inputSchema, cleaner)
  const origin = originMark(inLine(server, sanitizer.label))
  const note = leftOut === 0 ? "" : ` [Parameters left out because of unusable names: ${leftOut}]`
  const room = DESCRIPTION_MAX_CHARS - origin.length - note.length
  const description = inProse(definition.description, cleaner.describe, room)
  // Findings in the title that is not shown count as well.
  for (const title of [definition.title, definition.annotations?.["title"]]) {
    if (typeof title === "string") inLine(title, cleaner.label)
  }
  const agentTool: Cleaned["agentTool"] = {
    label: inLine(`MCP: ${server}/${definition.title ?? definition.name}`, sanitizer.label),
    description: `${origin}${description.trim() === "" ? "No description" : description}${note}`,
    parameters: schema,
    server,
    tool: inLine(definition.name, cleaner.label, TOOL_NAME_MAX_CHARS),
    ...annotationsOf(definition),
    ...outputSchemaOf(definition, sanitizer)
  }
  return { agentTool, findings: mergeFindings(cleaner.findings()) }
}

/** The cleaned definitions of one sanitizer: two bridges with the same one clean no definition twice. */
const cleanedBy = memoOf<Sanitizer, Known<ToolDefinition, Cleaned>>(() => new WeakMap())

const makeToAgentTool = (sanitizer: Sanitizer, version: () => number): ToolBridge["Service"]["toAgentTool"] => {
  const toCleaned = madeOnce<ToolDefinition, Cleaned>(
    (server, definition) => cleanedOf(server, definition, sanitizer),
    version,
    cleanedBy(sanitizer)
  )
  return (name, server, definition) => {
    const { agentTool, findings } = toCleaned(server, definition)
    return { agentTool: { name, ...agentTool }, findings }
  }
}

/** Left out if it is suspicious or would lose a name: results are checked against what the server meant. */
const outputSchemaOf = ({ outputSchema }: ToolDefinition, sanitizer: Sanitizer): Pick<AgentTool, "outputSchema"> => {
  if (outputSchema?.["type"] !== "object") return {}
  const cleaner = remembering(sanitizer)
  const { leftOut, schema } = cleanInputSchema(outputSchema, cleaner)
  return leftOut === 0 && cleaner.findings().length === 0 ? { outputSchema: schema } : {}
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** The boolean hints of the server. They contain no text. */
const annotationsOf = ({ annotations }: ToolDefinition): Pick<AgentTool, "annotations"> => {
  const hints: { -readonly [K in keyof ToolAnnotations]: ToolAnnotations[K] } = {}
  for (const name of HINTS) {
    const hint = annotations?.[name]
    if (typeof hint === "boolean") hints[name] = hint
  }
  // Shared by all results of the tool, so it is frozen.
  return Object.keys(hints).length === 0 ? {} : { annotations: Object.freeze(hints) }
}

// ---- progress ------------------------------------------------------------------------------------------------------

const toProgress = (
  { message, progress, total }: Readonly<Record<string, unknown>>,
  content: ContentPolicy | undefined,
  sanitizer: Sanitizer
): Progress => ({
  progress: numberOf(progress, sanitizer.label) ?? 0,
  total: numberOf(total, sanitizer.label),
  message: typeof message === "string" ? toMessage(message, content, sanitizer) : undefined
})

/** A withheld message is dropped without a note: the next one comes soon. */
const toMessage = (message: string, content: ContentPolicy | undefined, sanitizer: Sanitizer): string | undefined => {
  if (content === undefined || content.withhold.length === 0) return inLine(message, sanitizer.label)
  const cleaner = remembering(sanitizer)
  const line = inLine(message, cleaner.label)
  return withheldFor(content, cleaner.findings()).length === 0 ? line : undefined
}

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  const store = yield* ResultStore
  const version = yield* secretsVersion
  return ToolBridge.of({
    toAgentTool: makeToAgentTool(sanitizer, version),
    toResult: (raw, origin, budget) => toResult(raw, origin, budget, sanitizer, store),
    toErrorResult: (error, tool, about) => toErrorResult(error, tool, sanitizer, about),
    toDefectResult: (tool, reader) => toDefectResult(tool, sanitizer, reader),
    toProgress: (params, content) => toProgress(params, content, sanitizer)
  })
})

/** Cleans definitions, results and errors, and keeps each result within its budget. */
export const layer: Layer.Layer<ToolBridge, never, ContentSanitizer | ResultStore> = Layer.effect(ToolBridge, make)
