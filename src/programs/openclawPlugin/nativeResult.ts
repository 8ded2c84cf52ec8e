/**
 * Classifies a tool-result event of OpenClaw: a result of one of its own MCP servers, called directly or through its tool
 * search; a listing of such tools; a result of our own tool through the tool search; or none of these.
 *
 * OpenClaw replaces `details` that are too large by a note, and an MCP server controls how large they are. So `details` are
 * never the only evidence: a name that contains `__`, as those of all its MCP tools do, counts as well. Pure and linear.
 */
import { isObject } from "../../schemas/data/Json.ts"

/** A result as OpenClaw passes it to plugins or hooks. Every part may be anything. */
export interface HostResult {
  readonly content?: unknown
  readonly details?: unknown
}

export interface HostResultEvent {
  readonly toolName: string
  readonly toolCallId: string
  readonly args: unknown
  readonly isError?: boolean | undefined
  readonly result: HostResult
}

/** Text of one or several servers that goes to a model. */
export interface NativeWords {
  readonly _tag: "Native"
  readonly server: string
  /** The server's own name of the tool, as far as it is known. */
  readonly tool: string
  readonly content: ReadonlyArray<unknown>
  readonly isError: boolean
  /** What OpenClaw itself or its web page uses. Nothing in it comes from the server. */
  readonly kept: Readonly<Record<string, unknown>>
}

export type SeenResult =
  | NativeWords
  /** OpenClaw's own text about a failed call; the server's words in it are between OpenClaw's boundaries. */
  | { readonly _tag: "Failed"; readonly server: string; readonly tool: string }
  /** A result of ours, inside the JSON of a tool search. */
  | { readonly _tag: "Ours"; readonly result: HostResult }
  | { readonly _tag: "Other" }

export interface Surroundings {
  /** The id of our plugin, and whether a tool belongs to it. */
  readonly pluginId: string
  readonly isOurs: (toolName: string) => boolean
  /** The result of the tool that a `tool_call` called, if known from elsewhere: `details` may be cut. */
  readonly nested?: (HostResult & { readonly toolName: string }) | undefined
}

const OTHER: SeenResult = { _tag: "Other" }
const SEPARATOR = "__"
const SEARCHES: ReadonlySet<string> = new Set(["tool_search", "tool_describe"])
const CALL = "tool_call"
const CODE = "tool_search_code"
/** Stands for the servers whose tools a search has found. */
const SEARCH_SERVER = "tool-search"
const UNKNOWN = "unknown"

const member = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined)
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Whether `details` were left out or are invalid. */
const isCut = (details: unknown): boolean => !isObject(details) || details["truncated"] === true

const KEPT = ["mcpServer", "mcpTool", "mcpOperation", "untrustedMcpOutput", "mcpAppPreview"] as const

const keptOf = (details: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(KEPT.flatMap((key) => (member(details, key) === undefined ? [] : [[key, member(details, key)]])))

const saysError = (details: unknown): boolean => member(details, "status") === "error"

/** `docs__read_page` is `read_page` of `docs`. */
const namesOf = (toolName: string): { readonly server: string; readonly tool: string } => {
  const at = toolName.indexOf(SEPARATOR)
  return at === -1
    ? { server: UNKNOWN, tool: toolName }
    : { server: toolName.slice(0, at) || UNKNOWN, tool: toolName.slice(at + SEPARATOR.length) || toolName }
}

const native = (toolName: string, { content, details }: HostResult, isError: boolean): NativeWords => {
  const named = namesOf(toolName)
  return {
    _tag: "Native",
    server: textOf(member(details, "mcpServer")) ?? named.server,
    tool: textOf(member(details, "mcpTool")) ?? textOf(member(details, "mcpOperation")) ?? named.tool,
    content: listOf(content),
    isError: isError || saysError(details),
    kept: keptOf(details)
  }
}

const isNative = (toolName: string, details: unknown): boolean =>
  textOf(member(details, "mcpServer")) !== undefined || (toolName.includes(SEPARATOR) && isCut(details))

const seenDirectly = (toolName: string, result: HostResult, isError: boolean): SeenResult => {
  if (isNative(toolName, result.details)) return native(toolName, result, isError)
  return toolName.includes(SEPARATOR) && (isError || saysError(result.details))
    ? { _tag: "Failed", ...namesOf(toolName) }
    : OTHER
}

/** Treats everything that OpenClaw wrote as text of a server: OpenClaw's own boundaries in it may be forged. */
const opaque = (server: string, tool: string, { isError, result }: HostResultEvent): NativeWords => ({
  _tag: "Native",
  server,
  tool,
  content: listOf(result.content),
  isError: isError === true,
  kept: {}
})

const FRAME = "<<<EXTERNAL_UNTRUSTED_CONTENT"

const isFramed = (content: unknown): boolean =>
  listOf(content).some((block) => (textOf(member(block, "text")) ?? "").includes(FRAME))

/**
 * For a result whose `details` were left out: uses what hooks reported about the tool, or else its arguments and what
 * OpenClaw shows.
 */
const seenInCutCall = (event: HostResultEvent, { isOurs, nested }: Surroundings): SeenResult => {
  const { args, isError = false, result } = event
  if (nested !== undefined && isOurs(nested.toolName)) return { _tag: "Ours", result: nested }
  if (nested !== undefined && isNative(nested.toolName, nested.details)) {
    return native(nested.toolName, { ...nested, content: listOf(nested.content).map(withoutImage) }, isError)
  }
  const asked = nested?.toolName ?? textOf(member(args, "id")) ?? textOf(member(args, "name")) ?? ""
  if (!asked.includes(SEPARATOR) && !isFramed(result.content)) return OTHER
  const { server, tool } = namesOf(asked.slice(asked.lastIndexOf(":") + 1))
  return opaque(server, tool, event)
}

const seenInCall = (event: HostResultEvent, surroundings: Surroundings): SeenResult => {
  const { isError = false, result } = event
  const { isOurs, nested, pluginId } = surroundings
  const tool = member(result.details, "tool")
  const target = textOf(member(tool, "name"))
  if (target === undefined) return isCut(result.details) ? seenInCutCall(event, surroundings) : OTHER
  const inner = member(result.details, "result")
  if (member(tool, "source") === "openclaw") {
    if (!isOurs(target) || member(tool, "sourceName") !== pluginId) return OTHER
    const ours = nested?.toolName === target ? nested : inner
    return isObject(ours) && Array.isArray(ours["content"]) ? { _tag: "Ours", result: ours } : OTHER
  }
  return isObject(inner) && Array.isArray(inner["content"])
    ? native(target, inner, isError)
    : opaque(namesOf(target).server, target, event)
}

/** An image of which hooks only get a description. */
const withoutImage = (block: unknown): unknown => {
  if (member(block, "type") !== "image" || typeof member(block, "data") === "string") return block
  const bytes = member(block, "bytes")
  return {
    type: "text",
    text: `[An image${typeof bytes === "number" ? ` of ${bytes} bytes` : ""}, too large for OpenClaw's tool search]`
  }
}

/** A listing names the source of each tool. It is rendered again from its data. */
const seenInSearch = (event: HostResultEvent): SeenResult => {
  const { result, toolName } = event
  const isData = result.details !== undefined && result.details !== null && !isCutNote(result.details)
  if (!isData) return opaque(SEARCH_SERVER, toolName, event)
  const text = JSON.stringify(result.details, null, 2)
  if (!/"source": "(?!openclaw")/.test(text)) return OTHER
  return { ...opaque(SEARCH_SERVER, toolName, event), content: [{ type: "text", text }] }
}

const isCutNote = (details: unknown): boolean => isObject(details) && details["truncated"] === true

export const seenResult = (event: HostResultEvent, surroundings: Surroundings): SeenResult => {
  const { isError = false, result, toolName } = event
  if (toolName === CALL) return seenInCall(event, surroundings)
  if (SEARCHES.has(toolName)) return seenInSearch(event)
  if (toolName === CODE) return isFramed(result.content) ? opaque(SEARCH_SERVER, toolName, event) : OTHER
  return seenDirectly(toolName, result, isError)
}

const UNUSUAL = /[^A-Za-z0-9_.:-]+/g
const ID_PART_MAX_CHARS = 120

/** The prefix of the ids that the tool search gives to its own calls, as OpenClaw makes it. */
export const nestedCallPrefix = (toolCallId: string): string =>
  `${NESTED}${toolCallId.trim().replace(UNUSUAL, "_").slice(0, ID_PART_MAX_CHARS) || "call"}:`

export const NESTED = "tool_search_code:"
