/**
 * Locks between processes. A lock is a file that only one process can create. It names its owner (processOwner.ts), so that others can
 * tell whether the owner still runs; where they cannot (another machine, another container), the age of the file decides, and the owner
 * touches it while it holds the lock. A lock that was left behind is removed under a lock of its own: otherwise two processes that find it
 * could each remove what the other has just created.
 *
 * The file system is used synchronously: the files are tiny, and nothing can come between two steps of one process.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { lstatSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import {
  LOCK_AGE_MAX_MS,
  LOCK_BEAT_MS,
  LOCK_MAX_BYTES,
  LOCK_POLL_MS,
  LOCK_UNNAMED_MAX_MS
} from "../schemas/defaults/Locks.ts"
import { codeOf, fileSystemSays, NotOurs, readOwnSync } from "./ownFiles.ts"
import { isOwnerAlive, Owner, thisProcess } from "./processOwner.ts"

/** The nonce tells one holding from the next. */
const Holder = Schema.fromJsonString(Schema.Struct({ ...Owner.fields, nonce: Schema.String }))
type Holder = typeof Holder.Type
const decode = Schema.decodeUnknownOption(Holder)

export interface Lock {
  /** Shows that the lock is still in use. */
  readonly touch: () => void
  readonly release: () => void
}

export type Taken =
  | { readonly _tag: "Ours"; readonly lock: Lock }
  /** `pid` is that of the owner, if it is known. */
  | { readonly _tag: "Theirs"; readonly pid: number | undefined }

interface Held {
  readonly holder: Holder | undefined
  /** No process of ours can have made the file: it is a link, or a pipe, or others can write it. */
  readonly isStrange: boolean
  readonly ageMs: number
}

/** For steps whose failure does no harm: the owner, or the age, tells the next process. */
const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // The file belongs to another process by now, or nothing can be written.
  }
}

/** The age is by the time of the file system, not by that of a test. */
const look = (path: string): Held | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  const ageMs = Date.now() - stats.mtimeMs
  try {
    return { holder: Option.getOrUndefined(decode(readOwnSync(path, LOCK_MAX_BYTES)?.text)), isStrange: false, ageMs }
  } catch (error) {
    return { holder: undefined, isStrange: error instanceof NotOurs, ageMs }
  }
}

/** A file of ours that names no holder is being written, or never will be. */
const isLeft = ({ ageMs, holder, isStrange }: Held, ageMaxMs: number): boolean => {
  if (holder === undefined) return isStrange || ageMs > LOCK_UNNAMED_MAX_MS
  return !(isOwnerAlive(holder) ?? ageMs <= ageMaxMs)
}

const create = (path: string, holder: Holder): boolean => {
  try {
    writeFileSync(path, JSON.stringify(holder), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    // The disk is full: an empty file would keep others out until it is old.
    quietly(() => rmSync(path, { force: true }))
    throw error
  }
}

const newHolder = (): Holder => ({ ...thisProcess(), nonce: randomBytes(16).toString("hex") })

const removeLeft = (path: string, ageMaxMs: number): void => {
  const breaking = `${path}.break`
  if (!create(breaking, newHolder())) {
    const other = look(breaking)
    if (other !== undefined && isLeft(other, ageMaxMs)) rmSync(breaking, { force: true })
    return
  }
  try {
    const now = look(path)
    if (now !== undefined && isLeft(now, ageMaxMs)) rmSync(path, { force: true })
  } finally {
    rmSync(breaking, { force: true })
  }
}

/** Whether the lock names a process that is certainly gone. Removes nothing. */
export const isLeftBehind = (path: string): boolean => {
  const holder = look(path)?.holder
  return holder !== undefined && isOwnerAlive(holder) === false
}

/** Whether somebody has the lock. One that was left behind is removed. Throws if that fails. */
export const isHeld = (path: string, ageMaxMs: number = LOCK_AGE_MAX_MS): boolean => {
  const held = look(path)
  if (held === undefined) return false
  if (!isLeft(held, ageMaxMs)) return true
  removeLeft(path, ageMaxMs)
  return look(path) !== undefined
}

/** Takes the lock if nobody has it. Throws if no file can be created. */
export const take = (path: string, ageMaxMs: number = LOCK_AGE_MAX_MS): Taken => {
  const holder = newHolder()
  const isOurs = () => look(path)?.holder?.nonce === holder.nonce
  if (!create(path, holder) && (isHeld(path, ageMaxMs) || !create(path, holder))) {
    return { _tag: "Theirs", pid: look(path)?.holder?.pid }
  }
  return {
    _tag: "Ours",
    lock: {
      touch: () =>
        quietly(() => {
          const now = new Date()
          if (isOurs()) utimesSync(path, now, now)
        }),
      release: () =>
        quietly(() => {
          if (isOurs()) rmSync(path, { force: true })
        })
    }
  }
}

// ---- as an effect --------------------------------------------------------------------------------------------------

/** Holds the lock that `acquire` takes for the caller's Scope, and touches it meanwhile. */
export const holding = <A extends Lock, E>(acquire: Effect.Effect<A, E>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.acquireRelease(acquire, ({ release }) => Effect.sync(release)).pipe(
    Effect.tap(({ touch }) =>
      Effect.sync(touch).pipe(Effect.delay(LOCK_BEAT_MS), Effect.forever, Effect.interruptible, Effect.forkScoped)
    )
  )

const inWords = (pid: number | undefined, what: string): string =>
  pid === undefined ? `another process is using ${what}` : `process ${pid} is using ${what} and does not finish`

/**
 * Holds the lock for the caller's Scope; waits for it. Fails with words if its owner keeps it for longer than `waitMs`; `what` is locked
 * in these words.
 */
export const withLock = (path: string, waitMs: number, what = "them"): Effect.Effect<Lock, string, Scope.Scope> =>
  holding(
    Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + waitMs
      while (true) {
        const taken = yield* Effect.try({
          try: () => take(path),
          catch: (error) => `no lock can be written: ${fileSystemSays(error)}`
        })
        if (taken._tag === "Ours") return taken.lock
        if ((yield* Clock.currentTimeMillis) >= until) return yield* Effect.fail(inWords(taken.pid, what))
        // Only here: an attempt that is interrupted could leave a lock that nobody removes.
        yield* Effect.interruptible(Effect.sleep(LOCK_POLL_MS * (0.5 + Math.random())))
      }
    })
  )
