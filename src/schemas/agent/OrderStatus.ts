/** What a client learns about its own conversation: the state, and what was said. */
import type { AgentEvent } from "./AgentEvent.ts"
import { closedAgain } from "../content/Boundaries.ts"
import type { InTurns } from "../data/InTurns.ts"
import type { Conversation, Turn } from "./Conversation.ts"
import { ORDER_HISTORY_TEXT_MAX_CHARS } from "../defaults/Orders.ts"
import { textOf } from "./UserMessage.ts"

export interface OrderStatus {
  readonly sessionKey: string
  /** `running`: a request is being worked on; `waiting`: all its requests wait; `unknown`: there is no such session. */
  readonly state: "running" | "waiting" | "idle" | "unknown"
  /** What the running request is doing. */
  readonly doing?: string | undefined
  readonly runningForMs?: number | undefined
  /** The number of waiting requests. */
  readonly waiting: number
  /** The number of stored turns. */
  readonly turns: number
  /** ISO 8601. */
  readonly updatedAt?: string | undefined
}

export interface HistoryTurn {
  readonly message: string
  readonly attachments: ReadonlyArray<{ readonly name: string; readonly mediaType: string }>
  /** The agent's text, without its media. */
  readonly answer: string
  /** The called tools, in order. */
  readonly calls: ReadonlyArray<string>
}

export interface OrderHistory {
  readonly sessionKey: string
  readonly turns: ReadonlyArray<HistoryTurn>
  /** The number of older turns, stored or not. */
  readonly earlier: number
}

const CALLS_MAX = 100

const short = (text: string): string =>
  text.length <= ORDER_HISTORY_TEXT_MAX_CHARS
    ? text
    : `${closedAgain(text.slice(0, ORDER_HISTORY_TEXT_MAX_CHARS).toWellFormed())} [… ${text.length - ORDER_HISTORY_TEXT_MAX_CHARS} more characters]`

const saidIn = (events: ReadonlyArray<AgentEvent>): string =>
  events
    .flatMap((event) => {
      if (event._tag === "Text") return [event.delta.trim()]
      return event._tag === "Notice" && event.passing !== true ? [event.text] : []
    })
    .filter((text) => text !== "")
    .join("\n\n")

/** Masks known secrets: what an agent says has not been checked before. */
export type Mask = (text: string) => InTurns<string>

function* fromTurn({ events, message }: Turn, mask: Mask): InTurns<HistoryTurn> {
  return {
    message: short(textOf(message)),
    attachments: message.flatMap((part) =>
      part.type === "file" ? [{ name: part.name ?? "a file", mediaType: part.mediaType }] : []
    ),
    answer: short(yield* mask(saidIn(events))),
    calls: events.flatMap((event) => (event._tag === "ToolCall" ? [event.name] : [])).slice(0, CALLS_MAX)
  }
}

/** In turns, because its texts may have megabytes. */
export function* historyOf(
  sessionKey: string,
  conversation: Conversation | undefined,
  max: number,
  mask: Mask
): InTurns<OrderHistory> {
  const kept = conversation?.turns ?? []
  const turns: Array<HistoryTurn> = []
  for (const turn of kept.slice(Math.max(0, kept.length - max))) {
    turns.push(yield* fromTurn(turn, mask))
    yield
  }
  return {
    sessionKey,
    turns,
    earlier: kept.length - turns.length + (conversation?.dropped ?? 0)
  }
}
