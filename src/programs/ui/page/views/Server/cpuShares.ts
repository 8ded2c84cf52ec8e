/** The share of a processor that processes use. */
import type { ProcessValue } from "../../../../../schemas/control/ServerView.ts"

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
