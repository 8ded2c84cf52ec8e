/** Converts the events of an agent into updates of an ACP session. */
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../schemas/agent/AgentEvent.ts"
import { unbounded } from "../../schemas/content/Boundaries.ts"
import type { Turn } from "../../schemas/agent/Conversation.ts"
import type { Progress } from "../../schemas/call/Tool.ts"
import { fromPart, fromResult, rawOutput, type ReadKept } from "./content.ts"

export interface Client {
  /** Whether the client shows notices; otherwise they are sent as words of the agent. */
  readonly notices: boolean
  /** The model's context window in tokens; 0 when it is unknown. */
  readonly contextWindow: number
  readonly readKept: ReadKept
}

export const wordsOf = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text }
})

const NOTICE_TITLE_MAX_CHARS = 120

/** Breaks at the end of a sentence or word; the rest goes into the body. */
const titled = (line: string): readonly [title: string, rest: string] => {
  if (line.length <= NOTICE_TITLE_MAX_CHARS) return [line, ""]
  const head = line.slice(0, NOTICE_TITLE_MAX_CHARS - 1)
  const ends = Math.max(head.lastIndexOf(": "), head.lastIndexOf(". "), head.lastIndexOf("; "))
  if (ends > 0) return [head.slice(0, ends), line.slice(ends + 2)]
  const space = head.lastIndexOf(" ")
  const title = (space > 0 ? head.slice(0, space) : head).toWellFormed()
  return [`${title}…`, `…${line.slice(space > 0 ? space + 1 : head.length).toWellFormed()}`]
}

/** The first line becomes the title; it must make sense alone and is not repeated. */
export const notice = (text: string, severity: "info" | "warning"): SessionUpdate => {
  const [first = "", ...lines] = text.split("\n")
  const [title, rest] = titled(first)
  const description = (rest === "" ? lines : [rest, ...lines]).join("\n")
  return {
    sessionUpdate: "notice",
    severity,
    title: title || "Notice",
    ...(description === "" ? {} : { description })
  }
}

const progressText = ({ message, progress, total }: Progress): string =>
  [total === undefined ? `${progress}` : `${progress} of ${total}`, ...(message === undefined ? [] : [message])].join(
    ": "
  )

/** The id of a call for the client. Providers reuse ids in other turns, and a client would take the same id for the same call. */
export const callId = (turn: string, id: string): string => `${turn}-${id}`

const attachmentUri = (name: string | undefined) =>
  name === undefined ? undefined : `attachment://${encodeURIComponent(name.toWellFormed())}`

/** Nothing for events that clients are not told of. */
export const toUpdate = (
  event: AgentEvent,
  turn: string,
  { contextWindow, notices, readKept }: Client
): Effect.Effect<SessionUpdate | undefined> => {
  switch (event._tag) {
    case "Text":
      // The text of a direct command contains boundaries, which are for models.
      return Effect.succeed(wordsOf(unbounded(event.delta)))
    case "Thought":
      return Effect.succeed({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: event.delta } })
    case "ToolCall":
      return Effect.succeed({
        sessionUpdate: "tool_call",
        toolCallId: callId(turn, event.id),
        title: event.title ?? event.name,
        name: event.name,
        kind: event.kind ?? "other",
        status: "pending",
        rawInput: event.args
      })
    case "ToolProgress":
      return Effect.succeed({
        sessionUpdate: "tool_call_update",
        toolCallId: callId(turn, event.id),
        status: "in_progress",
        content: [{ type: "content", content: { type: "text", text: progressText(event.progress) } }]
      })
    case "ToolResult":
      return Effect.map(fromResult(event.result, readKept), (content) => ({
        sessionUpdate: "tool_call_update",
        toolCallId: callId(turn, event.id),
        status: event.result.isError ? "failed" : "completed",
        content,
        rawOutput: rawOutput(event.result)
      }))
    case "Notice":
      return Effect.succeed(notices ? notice(event.text, "info") : wordsOf(`${event.text}\n`))
    case "Usage": {
      const used = (event.inputTokens ?? 0) + (event.outputTokens ?? 0)
      return Effect.succeed(
        contextWindow === 0 || used === 0 ? undefined : { sessionUpdate: "usage_update", used, size: contextWindow }
      )
    }
    case "Media":
      return Effect.succeed({
        sessionUpdate: "agent_message_chunk",
        content: fromPart({
          type: "file",
          mediaType: event.mediaType,
          data: event.data,
          name: attachmentUri(event.name)
        })
      })
    case "Done":
      return Effect.void as Effect.Effect<undefined>
  }
}

/** Marks a call that will not end any more. */
export const abandoned = (turn: string, id: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: callId(turn, id),
  status: "failed",
  content: [{ type: "content", content: { type: "text", text: "Cancelled." } }]
})

/**
 * Sends an earlier turn again, including its notices. Each update is made and sent in its own turn of the event loop, because
 * there may be many large ones.
 */
export const replay = Effect.fnUntraced(function* (
  turn: Turn,
  number: string,
  client: Client,
  send: (update: SessionUpdate) => Effect.Effect<void>
) {
  const sendNext = (update: SessionUpdate | undefined) =>
    update === undefined ? Effect.void : Effect.andThen(send(update), Effect.yieldNow)
  for (const part of turn.message) yield* sendNext({ sessionUpdate: "user_message_chunk", content: fromPart(part) })
  for (const event of turn.events) yield* sendNext(yield* toUpdate(event, number, { ...client, notices: false }))
  const ended = new Set(turn.events.flatMap((event) => (event._tag === "ToolResult" ? [event.id] : [])))
  for (const event of turn.events) {
    if (event._tag === "ToolCall" && !ended.has(event.id)) yield* sendNext(abandoned(number, event.id))
  }
})

/** Why a turn ended. */
export const stopReasonOf = (reason: Extract<AgentEvent, { _tag: "Done" }>["reason"]): StopReason => {
  switch (reason) {
    case "length":
      return "max_tokens"
    case "steps":
      return "max_turn_requests"
    case "refusal":
      return "refusal"
    default:
      return "end_turn"
  }
}
