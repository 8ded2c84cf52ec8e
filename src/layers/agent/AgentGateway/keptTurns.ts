/**
 * Turns as they are kept: what comes out of a file is made anew of what is known and is what it should be, so that a
 * damaged line costs only itself; and what is left of a turn that is too large to be kept whole.
 */
import { closedAgain } from "../../../schemas/content/Boundaries.ts"
import type { Turn } from "../../../schemas/agent/Conversation.ts"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import {
  CONVERSATION_MAX_BYTES,
  CONVERSATION_SHORT_TEXT_CHARS,
  CONVERSATION_TITLE_MAX_CHARS,
  CONVERSATION_TURNS_MAX,
  CONVERSATION_WORDS_MAX_CHARS
} from "../../../schemas/defaults/Conversations.ts"
import { charsIn, isObject, withinBounds } from "../../../schemas/data/Json.ts"
import { textOf, type UserPart, type UserSource } from "../../../schemas/agent/UserMessage.ts"
import { readResult } from "./keptResults.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"

/** What a model is told of a turn again; what it is, only the agent behind the gateway knows. */
export interface KeptTurn extends Turn {
  readonly messages: ReadonlyArray<unknown>
}

const ROLES: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"])
const REASONS: ReadonlySet<unknown> = new Set(["stop", "steps", "length", "refusal", "failed", "other"])
const KINDS: ReadonlySet<unknown> = new Set([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other"
])

const isText = (given: unknown): given is string => typeof given === "string"
const isAmount = (given: unknown) => given === undefined || (typeof given === "number" && given >= 0)

// ---- out of a file -------------------------------------------------------------------------------------------------

const readSource = (given: unknown): { readonly source?: UserSource } => {
  if (!isObject(given)) return {}
  const { kind, mediaType, name, uri } = given
  if ((kind !== "resource" && kind !== "link") || !isText(uri)) return {}
  return {
    source: { kind, uri, ...(isText(name) ? { name } : {}), ...(isText(mediaType) ? { mediaType } : {}) }
  }
}

const readPart = (given: unknown): ReadonlyArray<UserPart> => {
  if (!isObject(given)) return []
  const { data, mediaType, name, source, text, type } = given
  if (type === "text" && isText(text)) return [{ type, text, ...readSource(source) }]
  if (type !== "file" || !isText(data) || !isText(mediaType)) return []
  return [{ type, data, mediaType, ...(isText(name) ? { name } : {}) }]
}

const readEvent = (given: unknown): ReadonlyArray<AgentEvent> => {
  if (!isObject(given)) return []
  const { args, delta, id, inputTokens, kind, name, outputTokens, reason, text, title } = given
  switch (given["_tag"]) {
    case "Text":
    case "Thought":
      return isText(delta) ? [{ _tag: given["_tag"], delta }] : []
    case "Notice":
      return isText(text)
        ? [
            {
              _tag: "Notice",
              text,
              ...(given["passing"] === true && { passing: true }),
              ...(given["failed"] === true && { failed: true })
            }
          ]
        : []
    case "Media": {
      const { data, mediaType } = given
      return isText(data) && isText(mediaType) && (name === undefined || isText(name))
        ? [{ _tag: "Media", data, mediaType, name }]
        : []
    }
    case "ToolCall":
      if (!isText(id) || !isText(name) || !isObject(args)) return []
      return [
        {
          _tag: "ToolCall",
          id,
          name,
          args,
          ...(isText(title) ? { title } : {}),
          ...(KINDS.has(kind) ? { kind: kind as "other" } : {})
        }
      ]
    case "ToolResult": {
      const result = readResult(given["result"])
      return isText(id) && isText(name) && result !== undefined ? [{ _tag: "ToolResult", id, name, result }] : []
    }
    case "Done":
      if (!REASONS.has(reason) || !isAmount(inputTokens) || !isAmount(outputTokens)) return []
      return [
        {
          _tag: "Done",
          reason: reason as "stop",
          inputTokens: inputTokens as number | undefined,
          outputTokens: outputTokens as number | undefined
        }
      ]
    default:
      return []
  }
}

/** As far as it can be told without knowing the model's library whole: it refuses what is malformed, each time again. */
const isMessagePart = (given: unknown) => {
  if (!isObject(given)) return false
  const { mediaType, output, text, toolCallId, toolName, type } = given
  switch (type) {
    case "text":
    case "reasoning":
      return isText(text)
    case "file":
      return isText(mediaType) && "data" in given
    case "tool-call":
      return isText(toolCallId) && isText(toolName)
    case "tool-result":
      return isText(toolCallId) && isText(toolName) && isObject(output) && isText(output["type"])
    default:
      return isText(type)
  }
}

const isMessage = (given: unknown) => {
  if (!isObject(given) || !ROLES.has(given["role"])) return false
  const { content } = given
  return isText(content) || (Array.isArray(content) && content.every(isMessagePart))
}

const listOf = (given: unknown): ReadonlyArray<unknown> => (Array.isArray(given) ? given : [])

/** `undefined` where nothing is left of it. */
export const readTurn = (given: unknown): KeptTurn | undefined => {
  if (!isObject(given) || !withinBounds(given)) return undefined
  const message = listOf(given["message"]).flatMap(readPart)
  const events = listOf(given["events"]).flatMap(readEvent)
  if (message.length === 0 && events.length === 0) return undefined
  const messages = listOf(given["messages"])
  // One that is damaged makes the others refer to what is not there.
  return { message, events, messages: messages.every(isMessage) ? messages : [] }
}

// ---- too large -----------------------------------------------------------------------------------------------------

/** A turn that is larger is kept without its media, so that others have a place beside it. */
export const TURN_MAX_BYTES = CONVERSATION_MAX_BYTES / 2

/** Whether it may become text at all: nested so deep, or so large, that would be an adventure, and one with many files has no text. */
export const mayFit = (turn: KeptTurn): boolean => withinBounds(turn) && charsIn(turn) < TURN_MAX_BYTES

const LEFT_OUT = "This turn was too large to be kept whole. What was left out says so in its place."

const short = (text: string, max: number = CONVERSATION_SHORT_TEXT_CHARS) =>
  text.length <= max
    ? text
    : `${closedAgain(text.slice(0, max).toWellFormed())} [… ${text.length} characters, too long to be kept]`

const left = (what: string) => ({ type: "text", text: `[${what}: too large to be kept]` }) as const

const withoutMediaEvent = (event: AgentEvent): AgentEvent => {
  switch (event._tag) {
    case "Text":
    case "Thought":
      return { ...event, delta: short(event.delta) }
    case "Notice":
      return { ...event, text: short(event.text) }
    case "Media":
      return { _tag: "Notice", text: left(event.name ?? event.mediaType).text }
    case "ToolCall":
      return { ...event, args: {} }
    case "ToolResult": {
      const { content, details, isError } = event.result
      const { originals = [], ...rest } = { originals: undefined, ...details }
      const shown = content.map((block) =>
        block.type === "text" ? { ...block, text: short(block.text) } : left(block.mimeType)
      )
      const gone = originals.map(({ mimeType, type, uri }) => left(mimeType ?? uri ?? type))
      return { ...event, result: { content: [...shown, ...gone], isError, details: rest } }
    }
    default:
      return event
  }
}

/** What a model is told of it again, in words alone: where it was told anything. */
const retold = ({ events, messages }: KeptTurn, message: ReadonlyArray<UserPart>): ReadonlyArray<unknown> => {
  if (messages.length === 0) return []
  const calls = events.filter(({ _tag }) => _tag === "ToolResult").length
  const said = events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])).join("")
  const about =
    calls === 0
      ? ""
      : `[${calls === 1 ? "1 tool was" : `${calls} tools were`} called; what came of it was too large to be kept]`
  return [
    { role: "user", content: short(textOf(message)) },
    { role: "assistant", content: [short(said), about].filter((text) => text !== "").join("\n") || "[no words]" }
  ]
}

/** What is kept of a turn that is too large: its words, and where something was. */
export const withoutMedia = (turn: KeptTurn): KeptTurn => {
  const message = turn.message.map((part): UserPart => {
    if (part.type === "file") return left(part.name ?? part.mediaType)
    return part.text.length <= CONVERSATION_SHORT_TEXT_CHARS ? part : { type: "text", text: short(part.text) }
  })
  const events = [...turn.events.map(withoutMediaEvent), { _tag: "Notice", text: LEFT_OUT } as const]
  const slim = { message, events, messages: retold(turn, message) }
  if (withinBounds(slim) && JSON.stringify(slim).length <= CONVERSATION_WORDS_MAX_CHARS) return slim
  // Very many pieces, or very deep ones.
  const words = short(textOf(turn.message), CONVERSATION_TITLE_MAX_CHARS)
  return { message: [{ type: "text", text: words }], events: [{ _tag: "Notice", text: LEFT_OUT }], messages: [] }
}

// ---- as many as are kept --------------------------------------------------------------------------------------------

/** About as many characters as it takes as JSON. */
const sizeOf = memoOf((turn: KeptTurn): number => (mayFit(turn) ? JSON.stringify(turn).length : Infinity))

/** The newest of them, as many as a conversation may have; each without its media if it is too large with them. */
export const bounded = (given: ReadonlyArray<KeptTurn>): ReadonlyArray<KeptTurn> => {
  const turns = given.map((turn) => (sizeOf(turn) < TURN_MAX_BYTES ? turn : withoutMedia(turn)))
  let [from, left] = [turns.length, CONVERSATION_MAX_BYTES]
  while (from > 0 && turns.length - from < CONVERSATION_TURNS_MAX) {
    left -= sizeOf(turns[from - 1]!)
    if (left < 0) break
    from--
  }
  return turns.slice(from)
}
