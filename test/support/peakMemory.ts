/** The most memory that a process has had (Linux). */
import { readFileSync, writeFileSync } from "node:fs"

/** Megabytes, since it was last asked; `undefined` where nobody says. */
export const peakMb = (pid: number | "self"): number | undefined => {
  try {
    const [, kib] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    writeFileSync(`/proc/${pid}/clear_refs`, "5")
    return kib === undefined ? undefined : Number(kib) / 1024
  } catch {
    // Gone, or another system.
    return undefined
  }
}
