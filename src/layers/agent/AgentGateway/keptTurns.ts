/**
 * Turns of a conversation as they are kept. Out of a file, every valid part is taken, so that damage costs only the damaged part. Of a turn
 * that is too large to be kept whole, the words are left.
 */
import * as Schema from "effect/Schema"
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
import { charsIn, withinBounds } from "../../../schemas/data/Json.ts"
import { eachValid, ifValid, Members, reader } from "../../../schemas/data/Lenient.ts"
import { TOOL_KINDS } from "../../../schemas/call/ToolKind.ts"
import { textOf, type UserPart } from "../../../schemas/agent/UserMessage.ts"
import { readResult } from "./keptResults.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"

/** What the model is told about a turn later; only the agent knows its format. */
export interface KeptTurn extends Turn {
  readonly messages: ReadonlyArray<unknown>
}

// ---- out of a file -------------------------------------------------------------------------------------------------

const readPart = reader(
  Schema.Union([
    Schema.Struct({
      type: Schema.Literal("text"),
      text: Schema.String,
      source: ifValid(
        Schema.Struct({
          kind: Schema.Literals(["resource", "link"]),
          uri: Schema.String,
          name: ifValid(Schema.String),
          mediaType: ifValid(Schema.String)
        })
      )
    }),
    Schema.Struct({
      type: Schema.Literal("file"),
      data: Schema.String,
      mediaType: Schema.String,
      name: ifValid(Schema.String)
    })
  ])
)

const Amount = Schema.optionalKey(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0)))

const readKnown = reader(
  Schema.Union([
    Schema.Struct({ _tag: Schema.Literals(["Text", "Thought"]), delta: Schema.String }),
    Schema.Struct({
      _tag: Schema.Literal("Notice"),
      text: Schema.String,
      passing: ifValid(Schema.Literal(true)),
      failed: ifValid(Schema.Literal(true))
    }),
    Schema.Struct({
      _tag: Schema.Literal("Media"),
      data: Schema.String,
      mediaType: Schema.String,
      name: Schema.optionalKey(Schema.String)
    }),
    Schema.Struct({
      _tag: Schema.Literal("ToolCall"),
      id: Schema.String,
      name: Schema.String,
      args: Members,
      title: ifValid(Schema.String),
      kind: ifValid(Schema.Literals(TOOL_KINDS))
    }),
    Schema.Struct({
      _tag: Schema.Literal("ToolResult"),
      id: Schema.String,
      name: Schema.String,
      result: Schema.Unknown
    }),
    Schema.Struct({
      _tag: Schema.Literal("Done"),
      reason: Schema.Literals(["stop", "steps", "length", "refusal", "failed", "other"]),
      inputTokens: Amount,
      outputTokens: Amount
    })
  ])
)

const readEvent = (given: unknown): AgentEvent | undefined => {
  const event = readKnown(given)
  switch (event?._tag) {
    case "Media":
      return { name: undefined, ...event }
    case "ToolResult": {
      const result = readResult(event.result)
      return result === undefined ? undefined : { ...event, result }
    }
    case "Done":
      return { inputTokens: undefined, outputTokens: undefined, ...event }
    default:
      return event
  }
}

const called = { toolCallId: Schema.String, toolName: Schema.String }

/** Only in part, because the whole is known to the library of the model alone. It would refuse an invalid message, each time again. */
const Part = Schema.Union([
  Schema.Struct({ type: Schema.Literals(["text", "reasoning"]), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("file"), mediaType: Schema.String, data: Schema.Unknown }),
  Schema.Struct({ type: Schema.Literal("tool-call"), ...called }),
  Schema.Struct({ type: Schema.Literal("tool-result"), ...called, output: Schema.Struct({ type: Schema.String }) }),
  Schema.Struct({ type: Schema.String.check(Schema.isPattern(/^(?!(?:text|reasoning|file|tool-call|tool-result)$)/)) })
])

const isMessage = Schema.is(
  Schema.Struct({
    role: Schema.Literals(["system", "user", "assistant", "tool"]),
    content: Schema.Union([Schema.String, Schema.Array(Part)])
  })
)

const readKept = reader(
  Schema.Struct({
    message: ifValid(Schema.Array(Schema.Unknown)),
    events: ifValid(Schema.Array(Schema.Unknown)),
    messages: ifValid(Schema.Array(Schema.Unknown))
  })
)

/** `undefined` if nothing of it is valid. */
export const readTurn = (given: unknown): KeptTurn | undefined => {
  const kept = withinBounds(given) ? readKept(given) : undefined
  if (kept === undefined) return undefined
  const message: ReadonlyArray<UserPart> = eachValid(kept.message, readPart)
  const events = eachValid(kept.events, readEvent)
  if (message.length === 0 && events.length === 0) return undefined
  const { messages = [] } = kept
  // Without an invalid one, the others would refer to something that is missing.
  return { message, events, messages: messages.every(isMessage) ? messages : [] }
}

// ---- too large -----------------------------------------------------------------------------------------------------

/** A larger turn is stored without its media, so that there is room for others. */
export const TURN_MAX_BYTES = CONVERSATION_MAX_BYTES / 2

/** Whether it may be converted to text: not if it is nested too deep or too large. */
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

/** What the model is told about it later, in words only; nothing if it was told nothing. */
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

/** What is stored of a turn that is too large: its text, and notes for what was left out. */
export const withoutMedia = (turn: KeptTurn): KeptTurn => {
  const message = turn.message.map((part): UserPart => {
    if (part.type === "file") return left(part.name ?? part.mediaType)
    return part.text.length <= CONVERSATION_SHORT_TEXT_CHARS ? part : { type: "text", text: short(part.text) }
  })
  const events = [...turn.events.map(withoutMediaEvent), { _tag: "Notice", text: LEFT_OUT } as const]
  const slim = { message, events, messages: retold(turn, message) }
  if (withinBounds(slim) && JSON.stringify(slim).length <= CONVERSATION_WORDS_MAX_CHARS) return slim
  // Very many or very deeply nested parts.
  const words = short(textOf(turn.message), CONVERSATION_TITLE_MAX_CHARS)
  return { message: [{ type: "text", text: words }], events: [{ _tag: "Notice", text: LEFT_OUT }], messages: [] }
}

// ---- the number of turns --------------------------------------------------------------------------------------------

/** About as many characters as it takes as JSON. */
const sizeOf = memoOf((turn: KeptTurn): number => (mayFit(turn) ? JSON.stringify(turn).length : Infinity))

/** The same of all turns of a conversation. */
export const charsOf = memoOf((turns: ReadonlyArray<KeptTurn>): number =>
  turns.reduce((sum, turn) => sum + sizeOf(turn), 0)
)

/** The newest turns, as many as a conversation may have; each without its media if it is too large. */
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
