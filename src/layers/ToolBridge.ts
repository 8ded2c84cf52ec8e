/**
 * Turns MCP tools into agent tools, and what comes back from them into results. Everything of a server passes the sanitiser
 * on its way through, and one budget holds for all of a result. Nothing here fails, whatever a server sends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ToolDefinition } from "../schemas/Catalogue.ts"
import { DESCRIPTION_MAX_CHARS, TOOL_NAME_MAX_CHARS } from "../schemas/Defaults.ts"
import { inLine, inProse } from "../schemas/ServerText.ts"
import type { AgentTool, Progress, ToolAnnotations } from "../schemas/Tool.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { ResultStore } from "../services/ResultStore.ts"
import { ToolBridge } from "../services/ToolBridge.ts"
import { toDefectResult, toErrorResult } from "./ToolBridge/errors.ts"
import { cleanInputSchema } from "./ToolBridge/inputSchema.ts"
import { toResult } from "./ToolBridge/result.ts"

type Sanitizer = ContentSanitizer["Service"]

// ---- definitions ---------------------------------------------------------------------------------------------------

const toAgentTool = (name: string, server: string, definition: ToolDefinition, sanitizer: Sanitizer): AgentTool => {
  const { leftOut, schema } = cleanInputSchema(definition.inputSchema, sanitizer)
  const origin = `[MCP server: ${inLine(server, sanitizer.label)}] `
  const note = leftOut === 0 ? "" : ` [Parameters left out because of unusable names: ${leftOut}]`
  const room = DESCRIPTION_MAX_CHARS - origin.length - note.length
  const description = inProse(definition.description, sanitizer.describe, room)
  return {
    name,
    label: inLine(`MCP: ${server}/${definition.title ?? definition.name}`, sanitizer.label),
    description: `${origin}${description.trim() === "" ? "No description" : description}${note}`,
    parameters: schema,
    server,
    tool: sanitizer.label(definition.name, TOOL_NAME_MAX_CHARS),
    ...annotationsOf(definition)
  }
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** What a server says of its tool in the words of the protocol, as far as it is yes or no: nothing in it can be read. */
const annotationsOf = ({ annotations }: ToolDefinition): Pick<AgentTool, "annotations"> => {
  const hints: { -readonly [K in keyof ToolAnnotations]: ToolAnnotations[K] } = {}
  for (const name of HINTS) {
    const hint = annotations?.[name]
    if (typeof hint === "boolean") hints[name] = hint
  }
  // One object for all results of the tool: nobody may change it.
  return Object.keys(hints).length === 0 ? {} : { annotations: Object.freeze(hints) }
}

// ---- progress ------------------------------------------------------------------------------------------------------

const toProgress = (
  { message, progress, total }: Readonly<Record<string, unknown>>,
  sanitizer: Sanitizer
): Progress => ({
  progress: Number.isFinite(progress) ? (progress as number) : 0,
  total: Number.isFinite(total) ? (total as number) : undefined,
  message: typeof message === "string" ? inLine(message, sanitizer.label) : undefined
})

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  const store = yield* ResultStore
  return ToolBridge.of({
    toAgentTool: (name, server, definition) => ({
      agentTool: toAgentTool(name, server, definition, sanitizer),
      findings: []
    }),
    toResult: (raw, origin, budget) => toResult(raw, origin, budget, sanitizer, store),
    toErrorResult: (error, tool) => toErrorResult(error, tool, sanitizer),
    toDefectResult: (tool) => toDefectResult(tool, sanitizer),
    toProgress: (params) => toProgress(params, sanitizer)
  })
})

export const layer: Layer.Layer<ToolBridge, never, ContentSanitizer | ResultStore> = Layer.effect(ToolBridge, make)
