/** One conversation in memory, and which of them leave it. */
import * as Semaphore from "effect/Semaphore"
import { titleOf, type ConversationInfo } from "../../../schemas/agent/Conversation.ts"
import { AGENT_CONVERSATIONS_MAX_CHARS, CONVERSATION_LONG_CHARS } from "../../../schemas/defaults/Conversations.ts"
import { ownerOf } from "../../../schemas/agent/OrderSession.ts"
import type { Lock } from "../../../system/fileLock.ts"
import { charsOf, type KeptTurn } from "./keptTurns.ts"

export interface Conversation {
  /** One answer at a time. */
  readonly turn: Semaphore.Semaphore
  /** One read of its file at a time. */
  readonly look: Semaphore.Semaphore
  info: ConversationInfo
  turns: ReadonlyArray<KeptTurn>
  /** Whether its turns are in memory. */
  isRead: boolean
  /** Messages that are being answered or wait, and other users. */
  waiting: number
  /** Whether a client has it open. */
  open: boolean
  /** Held while it is in use, if there are files. */
  lock: Lock | undefined
  /** Whether it has a file, as far as we know. */
  stored: boolean
  /** Whether something could not be written yet. */
  unsaved: boolean
  /** Whether it was deleted while it was in use: nothing of it is stored any more. */
  forgotten: boolean
}

/** Keeps these turns out of `count`. */
export const keepOf = (conversation: Conversation, turns: ReadonlyArray<KeptTurn>, count: number) => {
  const dropped = (conversation.info.dropped ?? 0) + count - turns.length
  conversation.turns = turns
  if (dropped > 0) conversation.info = { ...conversation.info, dropped }
}

/** Starts over with these turns, and a title from them. */
export const startOver = (conversation: Conversation, turns: ReadonlyArray<KeptTurn>) => {
  keepOf(conversation, turns, conversation.turns.length)
  conversation.info = { ...conversation.info, title: titleOf(turns[0]?.message ?? []) }
}

export const fresh = (sessionKey: string, backend: string, now: number): Conversation => ({
  turn: Semaphore.makeUnsafe(1),
  look: Semaphore.makeUnsafe(1),
  info: { sessionKey, backend, cwd: undefined, title: undefined, createdAt: now, updatedAt: now },
  turns: [],
  isRead: false,
  waiting: 0,
  open: false,
  lock: undefined,
  stored: false,
  unsaved: false,
  forgotten: false
})

export const isInUse = ({ open, waiting }: Conversation) => open || waiting > 0
export const isEmpty = ({ isRead, turns }: Conversation) => isRead && turns.length === 0

/** A long one that is open, but not being answered, is read again for its next message: there may be many. */
export const unload = (conversation: Conversation): void => {
  const { open, stored, turns, unsaved } = conversation
  if (!open || !stored || unsaved || charsOf(turns) <= CONVERSATION_LONG_CHARS) return
  conversation.turns = []
  conversation.isRead = false
}

/** Of those that nobody uses now: the client that has most of them loses its least recently used one. */
export const forgetOldest = (conversations: Map<string, Conversation>, max: number): void => {
  for (;;) {
    const unused = [...conversations].filter(([, conversation]) => !isInUse(conversation))
    const chars = new Map<string, number>()
    for (const [key, { turns }] of unused) chars.set(ownerOf(key), (chars.get(ownerOf(key)) ?? 0) + charsOf(turns))
    const inAll = [...chars.values()].reduce((sum, own) => sum + own, 0)
    if (conversations.size <= max && inAll <= AGENT_CONVERSATIONS_MAX_CHARS) return
    const [owner] = [...chars].reduce((most, one) => (one[1] > most[1] ? one : most), ["", -1])
    const oldest = unused.find(([key]) => ownerOf(key) === owner)
    if (oldest === undefined) return
    conversations.delete(oldest[0])
  }
}
