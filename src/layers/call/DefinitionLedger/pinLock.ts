/**
 * A lock between processes: a file that only one can create. It is held for the milliseconds that one file takes to be read
 * and replaced; one that is much older was left by a process that died.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { linkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { PINS_LOCK_AGE_MAX_MS, PINS_LOCK_POLL_MS, PINS_LOCK_WAIT_MS } from "../../../schemas/defaults/Pins.ts"
import { codeOf, fileSystemSays } from "../../../system/ownFiles.ts"

const create = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/** By the time of the file system, not by that of a test. */
const isLeft = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > PINS_LOCK_AGE_MAX_MS
}

/** Out of the way at once. If somebody else was faster, what was moved is their new lock, and is put back. */
const removeLeft = (lock: string): void => {
  const aside = `${lock}.${randomBytes(6).toString("hex")}`
  try {
    renameSync(lock, aside)
    if (!isLeft(aside)) linkSync(aside, lock)
  } catch {
    // Nobody's any more, or another one's by now: the next attempt tells.
  }
  rmSync(aside, { force: true })
}

const tryOnce = (lock: string): boolean => {
  if (create(lock)) return true
  if (isLeft(lock)) removeLeft(lock)
  return false
}

/** Holds the lock of a file for the caller's Scope. Fails with words when it cannot be had. */
export const withLock = (path: string): Effect.Effect<void, string, Scope.Scope> => {
  const lock = `${path}.lock`
  const acquire = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + PINS_LOCK_WAIT_MS
    while (!(yield* Effect.try({ try: () => tryOnce(lock), catch: fileSystemSays }))) {
      if ((yield* Clock.currentTimeMillis) >= until) return yield* Effect.fail("another process is at them")
      yield* Effect.interruptible(Effect.sleep(PINS_LOCK_POLL_MS))
    }
  })
  return Effect.acquireRelease(acquire, () => Effect.sync(() => rmSync(lock, { force: true })))
}
