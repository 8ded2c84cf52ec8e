/** Bytes, times and shares of a processor in words. */
import type { ProcessValue } from "../../../../../schemas/control/ServerView.ts"

export const bytesWords = (bytes: number): string =>
  bytes < 1_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : bytes < 1_000_000_000
      ? `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`
      : `${(bytes / 1_000_000_000).toFixed(1)} GB`

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The two largest units. */
export const lastedWords = (ms: number): string => {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`
}

/** What the processes had used at a time. */
export interface CpuLook {
  /** In milliseconds of a clock that only goes forward. */
  readonly at: number
  readonly processes: ReadonlyArray<ProcessValue>
}

/** The share of one processor by process between the last two looks; a process that is new has none yet. */
export const cpuShares = (looks: ReadonlyArray<CpuLook>): ReadonlyMap<number, number> => {
  const [before, after] = looks.slice(-2)
  if (before === undefined || after === undefined || after.at <= before.at) return new Map()
  const earlier = new Map(before.processes.map(({ cpuMs, pid }) => [pid, cpuMs]))
  return new Map(
    after.processes.flatMap(({ cpuMs, pid }) => {
      const was = earlier.get(pid)
      // Another process may have got the number.
      if (cpuMs === undefined || was === undefined || cpuMs < was) return []
      return [[pid, (cpuMs - was) / (after.at - before.at)] as const]
    })
  )
}
