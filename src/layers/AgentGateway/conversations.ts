/**
 * Conversations by session key: in memory, and in files where there is a place for them. The least recently used ones leave
 * the memory when there are too many; those that somebody has open, or that are being answered, never do.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { ConversationInfo, Turn } from "../../schemas/Conversation.ts"
import { AGENT_CONVERSATIONS_MAX, CONVERSATION_MAX_BYTES, CONVERSATION_TURNS_MAX } from "../../schemas/Defaults.ts"
import { withinBounds } from "../../schemas/Json.ts"
import type { Files } from "./files.ts"

/** What a model is told of a turn again; what it is, only the agent behind the gateway knows. */
export interface KeptTurn extends Turn {
  readonly messages: ReadonlyArray<unknown>
}

export interface Conversation {
  /** One answer at a time. */
  readonly turn: Semaphore.Semaphore
  info: ConversationInfo
  turns: ReadonlyArray<KeptTurn>
  /** Messages that are being answered or wait for their turn. */
  waiting: number
  /** Whether a front has it open. */
  open: boolean
}

const sizes = new WeakMap<KeptTurn, number>()

/** About as many characters as it takes as JSON. */
const sizeOf = (turn: KeptTurn): number => {
  const known = sizes.get(turn)
  if (known !== undefined) return known
  const size = withinBounds(turn) ? JSON.stringify(turn).length : Infinity
  sizes.set(turn, size)
  return size
}

/** The newest of them, as many as a conversation may have; the very last one whatever it is. */
const bounded = (turns: ReadonlyArray<KeptTurn>): ReadonlyArray<KeptTurn> => {
  let [from, left] = [turns.length - 1, CONVERSATION_MAX_BYTES - sizeOf(turns.at(-1)!)]
  while (from > 0 && turns.length - from < CONVERSATION_TURNS_MAX) {
    left -= sizeOf(turns[from - 1]!)
    if (left < 0) break
    from--
  }
  return turns.slice(from)
}

export interface Options {
  /** Where they outlive this process; nowhere when left out. */
  readonly files?: Files | undefined
  /** In memory. */
  readonly max?: number | undefined
}

export const makeConversations = ({ files, max = AGENT_CONVERSATIONS_MAX }: Options = {}) => {
  const conversations = new Map<string, Conversation>()

  const forgetOldest = () => {
    for (const [key, conversation] of conversations) {
      if (conversations.size <= max) return
      if (conversation.waiting === 0 && !conversation.open) conversations.delete(key)
    }
  }

  /** Now the most recently used one. */
  const remember = (sessionKey: string, conversation: Conversation) => {
    conversations.delete(sessionKey)
    conversations.set(sessionKey, conversation)
    forgetOldest()
    return conversation
  }

  const fresh = (sessionKey: string, now: number): Conversation => ({
    turn: Semaphore.makeUnsafe(1),
    info: { sessionKey, cwd: undefined, title: undefined, createdAt: now, updatedAt: now },
    turns: [],
    waiting: 0,
    open: false
  })

  const find = Effect.fnUntraced(function* (sessionKey: string) {
    const held = conversations.get(sessionKey)
    if (held !== undefined || files === undefined) return held
    const read = yield* files.read(sessionKey)
    // Somebody else may have read it at the same time: there is one of each.
    const meanwhile = conversations.get(sessionKey)
    if (read === undefined || meanwhile !== undefined) return meanwhile
    return remember(sessionKey, { ...fresh(sessionKey, 0), ...read })
  })

  /** The conversation of a session, begun when there is none. */
  const open = Effect.fnUntraced(function* (sessionKey: string) {
    const found = yield* find(sessionKey)
    const now = yield* Clock.currentTimeMillis
    return remember(sessionKey, found ?? conversations.get(sessionKey) ?? fresh(sessionKey, now))
  })

  const save = (conversation: Conversation) => (files === undefined ? Effect.void : files.write(conversation))

  const isEmpty = ({ turns }: Conversation) => turns.length === 0

  return {
    find,
    open,
    save,
    /** Adds a turn, and lets the oldest go where there are too many, or they are too large. */
    add: Effect.fnUntraced(function* (conversation: Conversation, turn: KeptTurn, title: string | undefined) {
      const updatedAt = yield* Clock.currentTimeMillis
      conversation.turns = bounded([...conversation.turns, turn])
      conversation.info = { ...conversation.info, title: conversation.info.title ?? title, updatedAt }
      yield* save(conversation)
    }),
    remove: Effect.fnUntraced(function* (sessionKey: string) {
      const known = conversations.delete(sessionKey)
      return files === undefined ? known : (yield* files.remove(sessionKey)) || known
    }),
    /** Of everything in memory and in files, what something was said in. */
    list: Effect.gen(function* () {
      const kept = files === undefined ? [] : yield* files.list
      const infos = new Map(kept.map((info) => [info.sessionKey, info]))
      for (const [key, conversation] of conversations) {
        if (isEmpty(conversation)) infos.delete(key)
        else infos.set(key, conversation.info)
      }
      return [...infos.values()].toSorted((a, b) => b.updatedAt - a.updatedAt)
    }),
    isEmpty
  }
}

export type Conversations = ReturnType<typeof makeConversations>
