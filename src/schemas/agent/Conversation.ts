/** A conversation as it is kept and shown again: who said what to whom, and what was called. */
import type { AgentEvent } from "./AgentEvent.ts"
import { CONVERSATION_TITLE_MAX_CHARS } from "../defaults/Conversations.ts"
import { textOf, type UserPart } from "./UserMessage.ts"

/** The built-in agent, as `ConversationInfo.backend` has it. */
export const BUILT_IN = "embedded"

/** What is known of a conversation without reading it. */
export interface ConversationInfo {
  readonly sessionKey: string
  /** Whose it is: no other agent knows what was said in it. Left out in files from before there was a choice. */
  readonly backend?: string | undefined
  /** Where the person works; absolute. */
  readonly cwd: string | undefined
  /** Which of the program's agents answers; left out where there was no choice. */
  readonly agent?: string | undefined
  /** Who orders, as a person knows them; left out where it is no conversation of orders. */
  readonly client?: string | undefined
  /** The beginning of the first message. */
  readonly title: string | undefined
  /** Turns that there were before those that are kept; none when left out. */
  readonly dropped?: number | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A message and its answer. */
export interface Turn {
  readonly message: ReadonlyArray<UserPart>
  /** What streamed in pieces is one event here; what only showed that something is alive is left out. */
  readonly events: ReadonlyArray<AgentEvent>
}

/** A conversation as it is kept: who said what, and what was called. */
export interface Conversation extends ConversationInfo {
  readonly turns: ReadonlyArray<Turn>
}

/** Those of the same moment in the order of their keys, so that there is one order. */
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

/** Adds an event to those of a turn. */
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
