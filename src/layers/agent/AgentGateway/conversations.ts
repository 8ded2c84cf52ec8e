/**
 * Conversations by session key: in memory, and in files if there is a place for them. A conversation in use is in memory, and
 * locked for this process; all others are read from their files. Those of other backends are ignored and left alone. Without
 * files, or while they cannot be written, the least recently used ones are dropped when there are too many or they are too
 * large together, but never those that are open or being answered.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import {
  BUILT_IN,
  latestFirst,
  titleOf,
  type ConversationInfo,
  type Glance
} from "../../../schemas/agent/Conversation.ts"
import { AGENT_CONVERSATIONS_MAX, CONVERSATION_READS_MAX } from "../../../schemas/defaults/Conversations.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { ownerOf } from "../../../schemas/agent/OrderSession.ts"
import type { UserPart } from "../../../schemas/agent/UserMessage.ts"
import type { Files } from "./conversationFiles.ts"
import { nextTurn } from "../../../system/inTurns.ts"
import { makeKeyedMutex } from "../../../system/keyedMutex.ts"
import { forgetOldest, fresh, isEmpty, isInUse, keepOf, startOver, unload, type Conversation } from "./conversation.ts"
import { bounded, type KeptTurn } from "./keptTurns.ts"

export type { Conversation } from "./conversation.ts"

const NOT_OURS = "This conversation belongs to another agent: continue it there."

export interface Options {
  /** Where conversations are stored. Default: only in memory. */
  readonly files?: Files | undefined
  /** Their owner in the files. Default: the built-in agent. */
  readonly backend?: string | undefined
  /** The most conversations in memory. */
  readonly max?: number | undefined
}

export const makeConversations = Effect.fnUntraced(function* ({
  backend = BUILT_IN,
  files,
  max = AGENT_CONVERSATIONS_MAX
}: Options = {}): Effect.fn.Return<Conversations, never, Scope.Scope> {
  const conversations = new Map<string, Conversation>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { lock } of conversations.values()) lock?.release()
    })
  )

  const { inTurn } = yield* makeKeyedMutex
  const reads = Semaphore.makeUnsafe(CONVERSATION_READS_MAX)
  /** While it is read, a conversation takes several times its size. So few are read at the same time, and one of each client. */
  const readFile = (from: Files, sessionKey: string) =>
    inTurn(ownerOf(sessionKey), reads.withPermit(from.read(sessionKey)))

  const isOurs = ({ backend: whose = BUILT_IN }: ConversationInfo) => whose === backend

  /** The conversation of this key in memory, marked as most recently used, with `users` more users. */
  const inMemory = (sessionKey: string, now: number, users: 0 | 1): Conversation => {
    const conversation = conversations.get(sessionKey) ?? fresh(sessionKey, backend, now)
    conversations.delete(sessionKey)
    conversations.set(sessionKey, conversation)
    conversation.waiting += users
    forgetOldest(conversations, max)
    return conversation
  }

  /** Reads its file again, unless it has unsaved changes. A file without an owner may be adopted. */
  const reread = Effect.fnUntraced(function* (conversation: Conversation, takes = false) {
    const read =
      files === undefined || conversation.unsaved ? "none" : yield* readFile(files, conversation.info.sessionKey)
    if (read === "none") return void (conversation.isRead = true)
    if (read !== undefined) {
      if (!isOurs(read.info) && !(takes && read.info.backend === undefined)) {
        return yield* new GatewayError({ detail: NOT_OURS })
      }
      // That of an open one was changed since it was read.
      if (!conversation.open) conversation.info = { ...read.info, backend }
      conversation.turns = bounded(read.turns)
    } else if (conversation.stored) {
      startOver(conversation, [])
    }
    conversation.isRead = true
    conversation.stored = read !== undefined
  })

  /** When nobody uses it any more, another process may be next. */
  const settle = (conversation: Conversation) => {
    if (files !== undefined && conversation.waiting === 0) unload(conversation)
    if (isInUse(conversation)) return
    conversation.lock?.release()
    conversation.lock = undefined
    const { sessionKey } = conversation.info
    if (conversations.get(sessionKey) !== conversation) return
    const isKept = conversation.isRead && !isEmpty(conversation) && (conversation.unsaved || !conversation.stored)
    if (!isKept) conversations.delete(sessionKey)
  }

  const letGo = (conversation: Conversation) =>
    Effect.sync(() => {
      conversation.waiting--
      settle(conversation)
    })

  /** The conversation of a session, created when there is none, and locked for this process until it is released. */
  const hold = Effect.fnUntraced(function* (sessionKey: string): Effect.fn.Return<Conversation, GatewayError> {
    const now = yield* Clock.currentTimeMillis
    const conversation = inMemory(sessionKey, now, 1)
    const look = Effect.gen(function* () {
      if (conversation.lock !== undefined && conversation.isRead) return
      if (files !== undefined) conversation.lock ??= yield* files.lock(sessionKey)
      yield* reread(conversation)
    })
    yield* Effect.uninterruptible(look).pipe(
      conversation.look.withPermit,
      Effect.onError(() => letGo(conversation))
    )
    return conversation
  })

  /** As in memory, if it is in use or there are no files. */
  const present = Effect.fnUntraced(function* (sessionKey: string) {
    const held = conversations.get(sessionKey)
    if (files === undefined) return held
    // It may be about to be read.
    if (held !== undefined) yield* held.look.withPermit(Effect.void)
    const now = conversations.get(sessionKey)
    return now?.isRead === true && (isInUse(now) || now.unsaved) ? now : undefined
  })

  /** As in memory if it is in use, else as in its file. */
  const find = Effect.fnUntraced(function* (sessionKey: string) {
    const held = yield* present(sessionKey)
    if (held !== undefined || files === undefined) return held
    const read = yield* readFile(files, sessionKey)
    return read === undefined || !isOurs(read.info)
      ? undefined
      : { ...fresh(sessionKey, backend, 0), ...read, stored: true }
  })

  /** The same without reading its turns. */
  const glance = Effect.fnUntraced(function* (sessionKey: string) {
    const held = yield* present(sessionKey)
    if (held !== undefined) return { updatedAt: held.info.updatedAt, turns: held.turns.length }
    if (files === undefined) return undefined
    // Whoever asks often waits for a turn each time.
    yield* nextTurn
    const read = yield* inTurn(ownerOf(sessionKey), files.glance(sessionKey))
    return read === undefined || !isOurs(read.info) ? undefined : { updatedAt: read.info.updatedAt, turns: read.turns }
  })

  /** Writes its current state. Returns whether it is stored. */
  const save = Effect.fnUntraced(function* (conversation: Conversation) {
    if (files === undefined || conversation.forgotten || !conversation.isRead) return true
    if (isEmpty(conversation)) {
      if (conversation.stored) yield* files.remove(conversation.info.sessionKey)
      conversation.stored = false
      conversation.unsaved = false
      return true
    }
    let outcome = yield* files.write(conversation, conversation.stored)
    if (outcome === "gone") {
      // Somebody has deleted it: it starts again with what was said after that.
      startOver(conversation, conversation.turns.slice(-1))
      outcome = yield* files.write(conversation, false)
    }
    conversation.unsaved = outcome !== "kept"
    conversation.stored ||= outcome === "kept"
    conversation.lock?.touch()
    return outcome === "kept"
  })

  return {
    find,
    glance,
    hold,
    letGo,
    save,
    /** For a caller that fills it from elsewhere and then saves it. Adopts it if it has no owner. */
    open: Effect.fnUntraced(function* (sessionKey: string) {
      const conversation = inMemory(sessionKey, yield* Clock.currentTimeMillis, 0)
      if (isInUse(conversation) && conversation.isRead) return conversation
      return yield* conversation.look.withPermit(reread(conversation, true)).pipe(
        Effect.as(conversation),
        Effect.catch(() =>
          Effect.as(
            Effect.sync(() => settle(conversation)),
            undefined
          )
        )
      )
    }),
    /** Removes everything that was said, including the turn that asked for it. */
    clear: (conversation: Conversation) => {
      startOver(conversation, [])
      keepOf(conversation, [], 1)
    },
    /** Begins a turn. Its question is stored at once, in case this process dies. Returns whether it is stored. */
    question: Effect.fnUntraced(function* (conversation: Conversation, message: ReadonlyArray<UserPart>) {
      const updatedAt = yield* Clock.currentTimeMillis
      const title = titleOf(message)
      conversation.info = { ...conversation.info, title: conversation.info.title ?? title, updatedAt }
      if (files === undefined || conversation.forgotten) return true
      const { sessionKey } = conversation.info
      const turn: KeptTurn = { message, events: [], messages: [] }
      let outcome = conversation.stored ? yield* files.append(sessionKey, turn) : "gone"
      if (outcome === "gone") {
        if (conversation.stored) {
          startOver(conversation, [])
          conversation.info = { ...conversation.info, title }
        }
        const { info, turns } = conversation
        outcome = yield* files.write({ info, turns: [...turns, turn] }, false)
        conversation.stored = outcome === "kept"
      }
      conversation.unsaved ||= outcome !== "kept"
      return outcome === "kept"
    }),
    /** Adds a turn, and drops the oldest ones if there are too many or they are too large. */
    add: Effect.fnUntraced(function* (conversation: Conversation, turn: KeptTurn) {
      const updatedAt = yield* Clock.currentTimeMillis
      const turns = [...conversation.turns, turn]
      keepOf(conversation, bounded(turns), turns.length)
      conversation.info = {
        ...conversation.info,
        title: conversation.info.title ?? titleOf(turn.message),
        updatedAt
      }
      return yield* save(conversation)
    }),
    /** Closes a conversation. One without messages is deleted. */
    release: (sessionKey: string) =>
      Effect.sync(() => {
        const conversation = conversations.get(sessionKey)
        if (conversation === undefined) return
        conversation.open = false
        settle(conversation)
      }),
    remove: Effect.fnUntraced(function* (sessionKey: string) {
      const isUnread = files !== undefined && !conversations.has(sessionKey)
      const kept = isUnread ? yield* readFile(files, sessionKey) : undefined
      if (kept !== undefined && !isOurs(kept.info)) return false
      const conversation = conversations.get(sessionKey)
      conversations.delete(sessionKey)
      if (conversation !== undefined) {
        conversation.forgotten = true
        conversation.open = false
      }
      const known = conversation !== undefined
      const wasThere = files === undefined ? known : (yield* files.remove(sessionKey)) || known
      if (conversation !== undefined) settle(conversation)
      return wasThere
    }),
    /** All conversations with messages, in memory and in files. */
    list: Effect.gen(function* () {
      const kept = files === undefined ? undefined : yield* files.list
      const infos = new Map((kept ?? []).filter(isOurs).map((info) => [info.sessionKey, info]))
      for (const [key, conversation] of conversations) {
        const isGone = kept !== undefined && conversation.stored && !conversation.unsaved && !infos.has(key)
        if (isEmpty(conversation) || isGone) infos.delete(key)
        else infos.set(key, conversation.info)
      }
      return [...infos.values()].toSorted(latestFirst)
    })
  }
})

export interface Conversations {
  readonly find: (sessionKey: string) => Effect.Effect<Conversation | undefined>
  readonly glance: (sessionKey: string) => Effect.Effect<Glance | undefined>
  readonly hold: (sessionKey: string) => Effect.Effect<Conversation, GatewayError>
  readonly letGo: (conversation: Conversation) => Effect.Effect<void>
  /** `undefined` when it belongs to another agent. */
  readonly open: (sessionKey: string) => Effect.Effect<Conversation | undefined>
  readonly save: (conversation: Conversation) => Effect.Effect<boolean>
  readonly clear: (conversation: Conversation) => void
  readonly question: (conversation: Conversation, message: ReadonlyArray<UserPart>) => Effect.Effect<boolean>
  readonly add: (conversation: Conversation, turn: KeptTurn) => Effect.Effect<boolean>
  readonly release: (sessionKey: string) => Effect.Effect<void>
  readonly remove: (sessionKey: string) => Effect.Effect<boolean>
  readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
}
