/**
 * How much memory and time the processes of servers use, from /proc. A process counts for a leader if it is in the leader's group or session,
 * or descends from it. Reads in slices, so that a machine with thousands of processes does not block the event loop.
 */
import { readFileSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { lazy } from "../../schemas/data/Memo.ts"
import { listPids } from "./procfs.ts"

export interface Usage {
  readonly processes: number
  readonly rssBytes: number
  readonly cpuMs: number
}

interface Seen {
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly ticks: number
  readonly pages: number
}

const SLICE = 128
/** Linux reports times in hundredths of a second to programs, whatever the kernel counts in. */
const TICK_MS = 10

const look = (pid: number | "self"): Seen | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The name is in parentheses and may contain anything, also parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [, parent, group, session] = fields.map(Number)
    const [user, kernel, pages] = [11, 12, 21].map((field) => Number(fields[field]))
    return { parent: parent!, group: group!, session: session!, ticks: user! + kernel!, pages: pages! }
  } catch {
    return undefined
  }
}

/** Node does not tell the size of a page: it is what makes our own pages our own memory. */
const pageBytes = lazy((): number => {
  const pages = look("self")?.pages ?? 0
  return pages === 0 ? 4096 : 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages))
})

const ANCESTORS_MAX = 64

export interface ProcessUse {
  readonly pid: number
  readonly parent: number
  readonly rssBytes: number
  readonly cpuMs: number
}

/** By the number of the leader; without an entry for those that are gone. `undefined` where processes cannot be listed. */
export const processesOf = async (
  leaders: ReadonlySet<number>
): Promise<ReadonlyMap<number, ReadonlyArray<ProcessUse>> | undefined> => {
  const pids = listPids()
  if (pids === undefined) return undefined
  const seen = new Map<number, Seen>()
  for (let from = 0; from < pids.length; from += SLICE) {
    for (const pid of pids.slice(from, from + SLICE)) {
      const one = look(pid)
      if (one !== undefined) seen.set(pid, one)
    }
    await nextTurn()
  }
  const leaderOf = (pid: number): number | undefined => {
    for (let [at, left] = [pid, ANCESTORS_MAX]; left > 0; left--) {
      const one = seen.get(at)
      if (one === undefined) return undefined
      for (const leader of [at, one.group, one.session]) if (leaders.has(leader)) return leader
      at = one.parent
    }
    return undefined
  }
  const found = new Map<number, Array<ProcessUse>>()
  for (const [pid, { pages, parent, ticks }] of seen) {
    const leader = leaderOf(pid)
    if (leader === undefined) continue
    const ofLeader = found.get(leader) ?? []
    ofLeader.push({ pid, parent, rssBytes: pages * pageBytes(), cpuMs: ticks * TICK_MS })
    found.set(leader, ofLeader)
  }
  return found
}

/** The same in sums. */
export const usageOf = async (leaders: ReadonlySet<number>): Promise<ReadonlyMap<number, Usage> | undefined> => {
  const found = await processesOf(leaders)
  if (found === undefined) return undefined
  return new Map(
    [...found].map(([leader, processes]) => [
      leader,
      {
        processes: processes.length,
        rssBytes: processes.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
        cpuMs: processes.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
      }
    ])
  )
}

/** The words with which a process was started; `undefined` if they cannot be read. */
export const wordsOf = (pid: number): ReadonlyArray<string> | undefined => {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    return words.at(-1) === "" ? words.slice(0, -1) : words
  } catch {
    return undefined
  }
}
