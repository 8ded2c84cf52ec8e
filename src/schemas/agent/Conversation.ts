/** A stored conversation: the messages, the answers, and the calls. */
import type { AgentEvent } from "./AgentEvent.ts"
import { CONVERSATION_TITLE_MAX_CHARS } from "../defaults/Conversations.ts"
import { textOf, type UserPart } from "./UserMessage.ts"

/** The built-in agent, as the value of `ConversationInfo.backend`. */
export const BUILT_IN = "embedded"

/** The data of a conversation that is available without reading it. */
export interface ConversationInfo {
  readonly sessionKey: string
  /** The backend that it belongs to: other backends do not know its content. Absent in files from before there was a choice. */
  readonly backend?: string | undefined
  /** Where the person works; absolute. */
  readonly cwd: string | undefined
  /** The agent of the program that answers; absent when there was no choice. */
  readonly agent?: string | undefined
  /** The client that sends agent requests, by a name for people; absent for other conversations. */
  readonly client?: string | undefined
  /** The id of the person behind it, so that it can be forgotten with them. */
  readonly personId?: string | undefined
  /** The beginning of the first message. */
  readonly title: string | undefined
  /** The number of earlier turns that were dropped; absent when none were. */
  readonly dropped?: number | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A message and its answer. */
export interface Turn {
  readonly message: ReadonlyArray<UserPart>
  /** Streamed pieces are joined into one event; signs of life are left out. */
  readonly events: ReadonlyArray<AgentEvent>
}

/** A stored conversation: the messages, the answers, and the calls. */
export interface Conversation extends ConversationInfo {
  readonly turns: ReadonlyArray<Turn>
}

/** What can be said about a conversation without reading it. */
export interface Glance {
  readonly updatedAt: number
  /** The number of stored turns. */
  readonly turns: number
}

/** Sorts by time, then by key, so that the order is always the same. */
export const latestFirst = (
  a: Pick<ConversationInfo, "sessionKey" | "updatedAt">,
  b: Pick<ConversationInfo, "sessionKey" | "updatedAt">
): number => b.updatedAt - a.updatedAt || (a.sessionKey < b.sessionKey ? -1 : a.sessionKey > b.sessionKey ? 1 : 0)

/** The first words of a message on one line. */
export const titleOf = (message: ReadonlyArray<UserPart>): string | undefined => {
  const text = textOf(message)
    .slice(0, CONVERSATION_TITLE_MAX_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim()
  if (text === "") return undefined
  return text.length <= CONVERSATION_TITLE_MAX_CHARS
    ? text
    : `${text.slice(0, CONVERSATION_TITLE_MAX_CHARS - 1).toWellFormed()}…`
}

/** Adds an event to those of a turn, joined with the last one if possible. */
export const addEvent = (events: Array<AgentEvent>, event: AgentEvent): void => {
  const last = events.at(-1)
  switch (event._tag) {
    case "Text":
    case "Thought":
      if (last?._tag === event._tag) events[events.length - 1] = { ...last, delta: last.delta + event.delta }
      else events.push(event)
      return
    case "ToolProgress":
    case "Usage":
      return
    default:
      events.push(event)
  }
}
