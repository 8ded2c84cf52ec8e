/**
 * Turns MCP tools into agent tools, and what comes back from them into results. Everything of a server passes the sanitiser
 * on its way through, and one budget holds for all text of a result. Nothing here fails, whatever a server sends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ToolDefinition } from "../schemas/Catalogue.ts"
import {
  BOUNDARIES_MAX_CHARS,
  CUT_MARGIN_CHARS,
  DESCRIPTION_MAX_CHARS,
  JSON_MAX_DEPTH,
  LABEL_MAX_CHARS,
  TOOL_NAME_MAX_CHARS
} from "../schemas/Defaults.ts"
import type { Finding } from "../schemas/Finding.ts"
import { isObject, type Json, withinBounds } from "../schemas/Json.ts"
import type { Budget } from "../schemas/ServerConfig.ts"
import type { AgentTool, Content, ImageContent, Progress, ToolResult } from "../schemas/Tool.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { ToolBridge } from "../services/ToolBridge.ts"
import { fit, refit } from "./ToolBridge/budget.ts"
import { readBlocks } from "./ToolBridge/content.ts"
import { toDefectResult, toErrorResult, toMalformedResult } from "./ToolBridge/errors.ts"
import { cleanInputSchema } from "./ToolBridge/inputSchema.ts"
import { capped, cleanJson, exceeds, mergeFindings } from "./ToolBridge/values.ts"

type Sanitizer = ContentSanitizer["Service"]
type Raw = Readonly<Record<string, unknown>>

interface ToolOrigin {
  readonly server: string
  readonly tool: string
}

/** A server may call a megabyte a name: no more of it is read than may be shown, and a margin. */
const shortLabel = (text: string, { label }: Sanitizer) =>
  label(text.slice(0, LABEL_MAX_CHARS + CUT_MARGIN_CHARS), LABEL_MAX_CHARS)

// ---- definitions ---------------------------------------------------------------------------------------------------

const toAgentTool = (name: string, server: string, definition: ToolDefinition, sanitizer: Sanitizer): AgentTool => {
  const { leftOut, schema } = cleanInputSchema(definition.inputSchema, sanitizer)
  const origin = `[MCP server: ${shortLabel(server, sanitizer)}] `
  const note = leftOut === 0 ? "" : ` [Parameters left out because of unusable names: ${leftOut}]`
  const room = DESCRIPTION_MAX_CHARS - origin.length - note.length
  const description = capped(definition.description, room, sanitizer.describe)
  return {
    name,
    label: shortLabel(`MCP: ${server}/${definition.title ?? definition.name}`, sanitizer),
    description: `${origin}${description.trim() === "" ? "No description" : description}${note}`,
    parameters: schema,
    server,
    tool: sanitizer.label(definition.name, TOOL_NAME_MAX_CHARS)
  }
}

// ---- results -------------------------------------------------------------------------------------------------------

/** The blocks of a result, also where the list around them was forgotten. */
const blocksOf = ({ content }: Raw, notes: Array<string>): ReadonlyArray<unknown> => {
  if (Array.isArray(content)) return content
  if (content === undefined || content === null) return []
  notes.push("the content was not a list")
  return [typeof content === "string" ? { type: "text", text: content } : content]
}

/** A JSON value as text; one that is too large for indentation is about to be cut and goes without. */
const textOf = (value: unknown, maxBytes: number): string => {
  if (typeof value === "string") return value
  if (!withinBounds(value)) return "[A value that is nested too deep, or has too many parts, to be shown]"
  return withinBounds(value, JSON_MAX_DEPTH, maxBytes) && !exceeds(value, maxBytes)
    ? JSON.stringify(value, null, 2)
    : JSON.stringify(value)
}

const saysSomething = (text: string) => /\S/.test(text)

/**
 * The structured value, cleaned, when there is room for it beside the text. It takes none when the text says the same:
 * servers repeat it there for clients that know text alone.
 */
const structuredOf = (
  value: unknown,
  text: string,
  maxBytes: number,
  sanitizer: Sanitizer,
  findings: Array<Finding>
): Json | undefined => {
  if (!withinBounds(value, JSON_MAX_DEPTH, maxBytes) || exceeds(value, maxBytes)) return undefined
  const json = JSON.stringify(value)
  const isRepeated = text === json || (text.length > json.length && text === JSON.stringify(value, null, 2))
  const cleaned = cleanJson(value as Json, sanitizer.clean, findings)
  const room = isRepeated ? maxBytes : maxBytes - Buffer.byteLength(text)
  return Buffer.byteLength(cleaned === value ? json : JSON.stringify(cleaned)) <= room ? cleaned : undefined
}

/** All text as one, fitted to the budget and between one pair of boundaries. */
const wrapWithin = (texts: ReadonlyArray<string>, origin: ToolOrigin, maxBytes: number, sanitizer: Sanitizer) => {
  const fitted = fit(texts, maxBytes, sanitizer.clean)
  const wrapped = sanitizer.wrap(fitted.text, origin)
  if (wrapped.text.length - fitted.text.length <= BOUNDARIES_MAX_CHARS) return { fitted, wrapped }
  const refitted = refit(fitted.text, maxBytes, sanitizer.clean)
  return { fitted: refitted, wrapped: sanitizer.wrap(refitted.text, origin) }
}

const toResult = (raw: unknown, origin: ToolOrigin, budget: Budget, sanitizer: Sanitizer): ToolResult => {
  if (!isObject(raw)) return toMalformedResult(origin.server, origin.tool, sanitizer)
  const notes: Array<string> = []
  const blocks = readBlocks(blocksOf(raw, notes), budget.blocks, sanitizer.label)
  for (const note of blocks.notes) notes.push(note)
  // `toolResult` is what the first revision had before there were blocks.
  const value = raw["structuredContent"] ?? raw["toolResult"]
  const isTextless = blocks.images.length === 0 && !blocks.texts.some(saysSomething)
  const texts = isTextless && value !== undefined ? [textOf(value, budget.bytes)] : blocks.texts

  const words = texts.some(saysSomething) ? wrapWithin(texts, origin, budget.bytes, sanitizer) : undefined
  if (words?.fitted.note !== undefined) notes.push(words.fitted.note)
  let findings = words === undefined ? NO_FINDINGS : both(words.fitted.findings, words.wrapped.findings)

  const given = raw["structuredContent"]
  let structuredContent: Json | undefined
  if (given !== undefined) {
    const found: Array<Finding> = []
    structuredContent = structuredOf(given, words?.fitted.text ?? "", budget.bytes, sanitizer, found)
    findings = both(findings, found)
    if (structuredContent === undefined) notes.push("the structured content is too large or too deep")
  }

  const result = {
    content: contentOf(words?.wrapped.text, blocks.images),
    isError: raw["isError"] === true,
    details: {
      externalContent: {
        untrusted: true,
        source: "mcp_server",
        server: origin.server,
        tool: origin.tool,
        wrapped: true
      },
      findings: mergeFindings(findings),
      notes
    }
  } as const
  return structuredContent === undefined ? result : { ...result, structuredContent }
}

const NO_FINDINGS: ReadonlyArray<Finding> = []

const both = (some: ReadonlyArray<Finding>, more: ReadonlyArray<Finding>) =>
  some.length === 0 ? more : more.length === 0 ? some : [...some, ...more]

const contentOf = (text: string | undefined, images: ReadonlyArray<ImageContent>): ReadonlyArray<Content> => {
  if (text === undefined) return images.length === 0 ? [{ type: "text", text: "(no content)" }] : images
  return images.length === 0 ? [{ type: "text", text }] : [{ type: "text", text }, ...images]
}

// ---- progress ------------------------------------------------------------------------------------------------------

const toProgress = ({ message, progress, total }: Raw, sanitizer: Sanitizer): Progress => ({
  progress: Number.isFinite(progress) ? (progress as number) : 0,
  total: Number.isFinite(total) ? (total as number) : undefined,
  message: typeof message === "string" ? shortLabel(message, sanitizer) : undefined
})

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  return ToolBridge.of({
    toAgentTool: (name, server, definition) => toAgentTool(name, server, definition, sanitizer),
    toResult: (raw, origin, budget) => toResult(raw, origin, budget, sanitizer),
    toErrorResult: (error, tool) => toErrorResult(error, tool, sanitizer),
    toDefectResult: (tool) => toDefectResult(tool, sanitizer),
    toProgress: (params) => toProgress(params, sanitizer)
  })
})

export const layer = Layer.effect(ToolBridge, make)
