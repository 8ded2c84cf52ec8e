/** Looks at processes by /proc: which carry a tag in their environment, and how much memory one has taken at the most. */
import { readdirSync, readFileSync } from "node:fs"

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    // Gone by now, or not ours to look at.
    return undefined
  }
}

const stateOf = (stat: string | undefined) => stat?.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3)

const isAlive = (pid: string): boolean => {
  const state = stateOf(read(`/proc/${pid}/stat`))
  return state !== undefined && state !== "Z" && state !== "X"
}

export const TAG = "MCP_HOSTILE_TRIAL"

/** Living processes that were started with this tag; one that has only not been reaped is none. */
export const tagged = (tag: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => read(`/proc/${pid}/environ`)?.split("\0").includes(`${TAG}=${tag}`) === true && isAlive(pid))
    .map(Number)

/** Bytes, the highest so far and now; `undefined` when it is gone. */
export const memoryOf = (pid: number): { readonly peak: number; readonly now: number } | undefined => {
  const status = read(`/proc/${pid}/status`)
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status ?? "")?.[1] ?? Number.NaN)
  const [peak, now] = [kib("VmHWM") * 1024, kib("VmRSS") * 1024]
  return Number.isFinite(peak) && Number.isFinite(now) ? { peak, now } : undefined
}

export const end = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // Gone by now.
  }
}
