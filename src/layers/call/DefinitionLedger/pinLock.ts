/**
 * A lock between processes: a file that only one can create. It is held for the milliseconds that it takes to read and
 * replace one file; a much older one was left by a process that died.
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

/** Uses the file system's time, not Effect's Clock. */
const isLeft = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > PINS_LOCK_AGE_MAX_MS
}

/** Moves the lock away. If another process was faster, this moved its new lock, which is then put back. */
const removeLeft = (lock: string): void => {
  const aside = `${lock}.${randomBytes(6).toString("hex")}`
  try {
    renameSync(lock, aside)
    if (!isLeft(aside)) linkSync(aside, lock)
  } catch {
    // Removed already, or another one by now: the next attempt will tell.
  }
  rmSync(aside, { force: true })
}

const tryOnce = (lock: string): boolean => {
  if (create(lock)) return true
  if (isLeft(lock)) removeLeft(lock)
  return false
}

/** Holds the lock of a file for the caller's Scope. Fails with a sentence when the lock is not available. */
export const withLock = (path: string): Effect.Effect<void, string, Scope.Scope> => {
  const lock = `${path}.lock`
  const acquire = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + PINS_LOCK_WAIT_MS
    while (!(yield* Effect.try({ try: () => tryOnce(lock), catch: fileSystemSays }))) {
      if ((yield* Clock.currentTimeMillis) >= until) return yield* Effect.fail("another process is using them")
      yield* Effect.interruptible(Effect.sleep(PINS_LOCK_POLL_MS))
    }
  })
  return Effect.acquireRelease(acquire, () => Effect.sync(() => rmSync(lock, { force: true })))
}
