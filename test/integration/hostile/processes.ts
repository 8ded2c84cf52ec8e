/** Processes of a play: all that have its mark in their environment, whoever their parent is by now. */
import { readdirSync, readFileSync } from "node:fs"
import { alive } from "../../support/alive.ts"

export const MARK = "HOSTILE_PLAY"

const carries = (pid: string, mark: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${MARK}=${mark}`)
  } catch {
    // Gone meanwhile, or somebody else's.
    return false
  }
}

export const marked = (mark: string): ReadonlyArray<number> =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && carries(name, mark))
        .map(Number)
        .filter(alive)
    : []
