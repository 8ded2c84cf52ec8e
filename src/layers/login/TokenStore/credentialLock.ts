/**
 * A lock between processes: a file that only one can create, and touches as long as it holds it. Who finds it taken looks
 * whether its owner is still there, and takes the place of one that is not. Taking over has a lock of its own, or two that found the same dead owner
 * could each remove what the other had just created.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { rm, utimes, writeFile } from "node:fs/promises"
import {
  CREDENTIALS_LOCK_AGE_MAX_MS,
  CREDENTIALS_LOCK_BEAT_MS,
  CREDENTIALS_LOCK_POLL_MS,
  CREDENTIALS_LOCK_WAIT_MS
} from "../../../schemas/defaults/Authorization.ts"
import { codeOf, removeFile } from "../../../system/ownFiles.ts"
import { isOwnerAlive } from "../../../system/processOwner.ts"
import { readOwn } from "./credentialFiles.ts"
import { ownerHere, readOwner, type Owner } from "./owner.ts"

/** Between creating a file and writing who did it. */
const UNNAMED_MAX_MS = 10_000

const create = async (path: string, owner: Owner): Promise<boolean> => {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

interface Held {
  readonly owner: Owner | undefined
  readonly ageMs: number
}

const look = async (path: string): Promise<Held | undefined> => {
  const read = await readOwn(path)
  return read === undefined ? undefined : { owner: readOwner(read.text), ageMs: Date.now() - read.mtimeMs }
}

const isLeft = ({ ageMs, owner }: Held): boolean => {
  if (owner === undefined) return ageMs > UNNAMED_MAX_MS
  return !(isOwnerAlive(owner) ?? ageMs <= CREDENTIALS_LOCK_AGE_MAX_MS)
}

/** Removes a lock that was left behind, if it is still the one. */
const takeOver = async (path: string, left: Held): Promise<void> => {
  const breaking = `${path}.break`
  if (!(await create(breaking, ownerHere("break")))) {
    const other = await look(breaking)
    if (other !== undefined && isLeft(other)) await rm(breaking, { force: true })
    return
  }
  try {
    const now = await look(path)
    if (now !== undefined && now.owner?.nonce === left.owner?.nonce && isLeft(now)) await rm(path, { force: true })
  } finally {
    await rm(breaking, { force: true })
  }
}

/** `true` when the lock is ours, else who has it. */
const tryOnce = async (path: string, owner: Owner): Promise<true | Held | undefined> => {
  if (await create(path, owner)) return true
  const held = await look(path)
  if (held !== undefined && isLeft(held)) await takeOver(path, held)
  return held
}

const release = async (path: string, { nonce }: Owner): Promise<void> => {
  if ((await look(path))?.owner?.nonce === nonce) await removeFile(path)
}

/** Who holds a lock for long is not taken for dead: also not by those who can only tell by its age. */
const beat = async (path: string, { nonce }: Owner): Promise<void> => {
  const now = new Date()
  if ((await look(path))?.owner?.nonce === nonce) await utimes(path, now, now)
}

const words = (held: Held | undefined): string =>
  held?.owner === undefined
    ? "another process is at them"
    : `process ${held.owner.pid} is at them and does not come to an end`

/** Holds the lock for the caller's Scope. Fails with words when its owner lives and keeps it, or no file can be created. */
export const withLock = (path: string): Effect.Effect<void, string, Scope.Scope> =>
  Effect.suspend(() => {
    const owner = ownerHere(randomBytes(16).toString("hex"))
    const acquire = Effect.gen(function* () {
      const until = (yield* Clock.currentTimeMillis) + CREDENTIALS_LOCK_WAIT_MS
      while (true) {
        const outcome = yield* Effect.tryPromise({
          try: () => tryOnce(path, owner),
          catch: (error) =>
            `no lock can be written (${codeOf(error) ?? (error instanceof Error ? error.message : String(error))})`
        })
        if (outcome === true) return
        if ((yield* Clock.currentTimeMillis) >= until) return yield* Effect.fail(words(outcome))
        // Only here: an attempt that was cut off could leave a lock that nobody removes.
        yield* Effect.interruptible(Effect.sleep(CREDENTIALS_LOCK_POLL_MS * (0.5 + Math.random())))
      }
    })
    const beating = Effect.promise(() => beat(path, owner).catch(() => {})).pipe(
      Effect.delay(CREDENTIALS_LOCK_BEAT_MS),
      Effect.forever
    )
    return Effect.acquireRelease(acquire, () => Effect.promise(() => release(path, owner).catch(() => {}))).pipe(
      Effect.andThen(Effect.forkScoped(Effect.interruptible(beating))),
      Effect.asVoid
    )
  })
