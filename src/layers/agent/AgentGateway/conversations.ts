/**
 * Conversations by session key: in memory, and in files where there is a place for them. One that is in use is in memory,
 * and is this process's alone; of all others the files say what they are. Those of another backend are none of these,
 * and are left as they are. Where there are no files, the least recently used ones leave the memory when there are too many;
 * those that somebody has open, or that are being answered, never do.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { BUILT_IN, latestFirst, titleOf, type ConversationInfo } from "../../../schemas/agent/Conversation.ts"
import { AGENT_CONVERSATIONS_MAX } from "../../../schemas/defaults/Conversations.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { UserPart } from "../../../schemas/agent/UserMessage.ts"
import type { Files } from "./conversationFiles.ts"
import type { Lock } from "../../../system/fileLock.ts"
import { bounded, type KeptTurn } from "./keptTurns.ts"

export interface Conversation {
  /** One answer at a time. */
  readonly turn: Semaphore.Semaphore
  /** One look at its file at a time. */
  readonly look: Semaphore.Semaphore
  info: ConversationInfo
  turns: ReadonlyArray<KeptTurn>
  /** Messages that are being answered or wait for their turn, and whoever else is at it. */
  waiting: number
  /** Whether a front has it open. */
  open: boolean
  /** While it is in use, where there are files. */
  lock: Lock | undefined
  /** Whether there is a file of it, as far as we know. */
  stored: boolean
  /** Whether there is something that could not be written. */
  unsaved: boolean
  /** Whether it was forgotten while it was in use: nothing of it is kept any more. */
  forgotten: boolean
}

/** These, of so many. */
const keepOf = (conversation: Conversation, turns: ReadonlyArray<KeptTurn>, count: number) => {
  const dropped = (conversation.info.dropped ?? 0) + count - turns.length
  conversation.turns = turns
  if (dropped > 0) conversation.info = { ...conversation.info, dropped }
}

/** With what is left of it, which has a name of its own. */
const startOver = (conversation: Conversation, turns: ReadonlyArray<KeptTurn>) => {
  keepOf(conversation, turns, conversation.turns.length)
  conversation.info = { ...conversation.info, title: titleOf(turns[0]?.message ?? []) }
}

const NOT_OURS = "This conversation is one with another agent: it goes on where it began."

export interface Options {
  /** Where they outlive this process; nowhere when left out. */
  readonly files?: Files | undefined
  /** Whose they are there; the built-in agent's when left out. */
  readonly backend?: string | undefined
  /** In memory. */
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

  const isInUse = ({ open, waiting }: Conversation) => open || waiting > 0
  const isEmpty = ({ turns }: Conversation) => turns.length === 0
  const isOurs = ({ backend: whose = BUILT_IN }: ConversationInfo) => whose === backend

  const forgetOldest = () => {
    for (const [key, conversation] of conversations) {
      if (conversations.size <= max) return
      if (!isInUse(conversation)) conversations.delete(key)
    }
  }

  const fresh = (sessionKey: string, now: number): Conversation => ({
    turn: Semaphore.makeUnsafe(1),
    look: Semaphore.makeUnsafe(1),
    info: { sessionKey, backend, cwd: undefined, title: undefined, createdAt: now, updatedAt: now },
    turns: [],
    waiting: 0,
    open: false,
    lock: undefined,
    stored: false,
    unsaved: false,
    forgotten: false
  })

  /** The one of this key in memory, and now the most recently used one; for so many more. */
  const inMemory = (sessionKey: string, now: number, users: 0 | 1): Conversation => {
    const conversation = conversations.get(sessionKey) ?? fresh(sessionKey, now)
    conversations.delete(sessionKey)
    conversations.set(sessionKey, conversation)
    conversation.waiting += users
    forgetOldest()
    return conversation
  }

  /** What the file says, unless there is something that it does not know. One that does not say whose it is may be taken. */
  const reread = Effect.fnUntraced(function* (conversation: Conversation, takes = false) {
    if (files === undefined || conversation.unsaved) return
    const read = yield* files.read(conversation.info.sessionKey)
    if (read !== undefined) {
      if (!isOurs(read.info) && !(takes && read.info.backend === undefined)) {
        return yield* new GatewayError({ detail: NOT_OURS })
      }
      conversation.info = { ...read.info, backend }
      conversation.turns = bounded(read.turns)
    } else if (conversation.stored) {
      startOver(conversation, [])
    }
    conversation.stored = read !== undefined
  })

  /** Nobody is at it any more: the next one may be another process. */
  const settle = (conversation: Conversation) => {
    if (isInUse(conversation)) return
    conversation.lock?.release()
    conversation.lock = undefined
    const { sessionKey } = conversation.info
    if (conversations.get(sessionKey) !== conversation) return
    if (isEmpty(conversation) || (conversation.stored && !conversation.unsaved)) conversations.delete(sessionKey)
  }

  const letGo = (conversation: Conversation) =>
    Effect.sync(() => {
      conversation.waiting--
      settle(conversation)
    })

  /** The conversation of a session, begun when there is none; this process's alone until it is let go of. */
  const hold = Effect.fnUntraced(function* (sessionKey: string): Effect.fn.Return<Conversation, GatewayError> {
    const now = yield* Clock.currentTimeMillis
    const conversation = inMemory(sessionKey, now, 1)
    const look = Effect.gen(function* () {
      if (files === undefined || conversation.lock !== undefined) return
      conversation.lock = yield* files.lock(sessionKey)
      yield* reread(conversation)
    })
    yield* Effect.uninterruptible(look).pipe(
      conversation.look.withPermit,
      Effect.onError(() => letGo(conversation))
    )
    return conversation
  })

  /** As it is in memory where it is in use, else as its file says. */
  const find = Effect.fnUntraced(function* (sessionKey: string) {
    const held = conversations.get(sessionKey)
    if (files === undefined) return held
    // It may be about to be read.
    if (held !== undefined) yield* held.look.withPermit(Effect.void)
    const now = conversations.get(sessionKey)
    if (now !== undefined && (isInUse(now) || now.unsaved)) return now
    const read = yield* files.read(sessionKey)
    return read === undefined || !isOurs(read.info) ? undefined : { ...fresh(sessionKey, 0), ...read, stored: true }
  })

  /** Writes it as it is now. Whether it is kept. */
  const save = Effect.fnUntraced(function* (conversation: Conversation) {
    if (files === undefined || conversation.forgotten) return true
    if (isEmpty(conversation)) {
      if (conversation.stored) yield* files.remove(conversation.info.sessionKey)
      conversation.stored = false
      conversation.unsaved = false
      return true
    }
    let outcome = yield* files.write(conversation, conversation.stored)
    if (outcome === "gone") {
      // Somebody has deleted it: only what was said since then begins it anew.
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
    hold,
    letGo,
    save,
    /** For whoever fills it with what is known elsewhere, and saves it then: it is theirs if nothing says whose it is. */
    open: Effect.fnUntraced(function* (sessionKey: string) {
      const conversation = inMemory(sessionKey, yield* Clock.currentTimeMillis, 0)
      if (isInUse(conversation)) return conversation
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
    /** All that was said is no part of it any more, and neither is the turn that says so. */
    clear: (conversation: Conversation) => {
      startOver(conversation, [])
      keepOf(conversation, [], 1)
    },
    /** A turn begins: its question is kept already, should this process not live to see its end. Whether it is. */
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
    /** Adds a turn, and lets the oldest go where there are too many, or they are too large. */
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
    /** Nobody looks at it any more. One in which nothing was said is forgotten. */
    release: (sessionKey: string) =>
      Effect.sync(() => {
        const conversation = conversations.get(sessionKey)
        if (conversation === undefined) return
        conversation.open = false
        settle(conversation)
      }),
    remove: Effect.fnUntraced(function* (sessionKey: string) {
      const kept = conversations.has(sessionKey) ? undefined : yield* files?.read(sessionKey) ?? Effect.undefined
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
    /** Of everything in memory and in files, what something was said in. */
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
  readonly hold: (sessionKey: string) => Effect.Effect<Conversation, GatewayError>
  readonly letGo: (conversation: Conversation) => Effect.Effect<void>
  /** `undefined`: it is another's. */
  readonly open: (sessionKey: string) => Effect.Effect<Conversation | undefined>
  readonly save: (conversation: Conversation) => Effect.Effect<boolean>
  readonly clear: (conversation: Conversation) => void
  readonly question: (conversation: Conversation, message: ReadonlyArray<UserPart>) => Effect.Effect<boolean>
  readonly add: (conversation: Conversation, turn: KeptTurn) => Effect.Effect<boolean>
  readonly release: (sessionKey: string) => Effect.Effect<void>
  readonly remove: (sessionKey: string) => Effect.Effect<boolean>
  readonly list: Effect.Effect<ReadonlyArray<ConversationInfo>>
}
