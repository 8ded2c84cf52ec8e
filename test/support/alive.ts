/** What is left of processes: tests of shutdown ask here. */
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { pause } from "./pause.ts"

/** Whether a process is there and more than an unreaped zombie. */
export const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  if (process.platform !== "linux") return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3))
  } catch {
    return false
  }
}

/** Longer than the system takes to end a process that was killed. */
const ENDED_WITHIN_MS = 10_000

/**
 * The processes that are left of a program that has ended. Its last act is to kill them; it does not wait for the system, which ends
 * them a moment later.
 */
export const leftOf = (pids: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<number>> =>
  Effect.promise(async () => {
    const patience = performance.now() + ENDED_WITHIN_MS
    while (pids.some(alive) && performance.now() < patience) await pause()
    return pids.filter(alive)
  })
