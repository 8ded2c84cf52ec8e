/**
 * Sees processes start while their parents still live, so that they are known when those are gone and nothing else tells
 * whose they are. One look for all servers of this program, every now and then; it costs hundredths of a millisecond where
 * nothing was started on the machine since the last one, and the reading of a directory where something was. Linux alone.
 */
import { readFileSync } from "node:fs"
import { PROCESS_WATCH_MS } from "../../schemas/defaults/Processes.ts"
import { entryOf, listPids, type ProcessEntry } from "./procfs.ts"

/** Takes what has started since it was told last, and the numbers of all that are there. */
export interface Watcher {
  readonly notice: (fresh: ReadonlyArray<ProcessEntry>, present: ReadonlySet<number>) => void
}

/** The number that was given out last: as long as it stays the same, nothing has started. */
export const newestPid = (): number | undefined => {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1))
  } catch {
    return undefined
  }
}

const watchers = new Set<Watcher>()
let timer: NodeJS.Timeout | undefined
let seen: ReadonlySet<number> = new Set()
let newest: number | undefined

const look = () => {
  const now = newestPid()
  if (now !== undefined && now === newest) return
  newest = now
  const present = new Set(listPids())
  const fresh = [...present]
    .filter((pid) => !seen.has(pid))
    .flatMap((pid) => entryOf(pid) ?? [])
    .toSorted((a, b) => a.started - b.started || a.pid - b.pid)
  seen = present
  for (const watcher of watchers) watcher.notice(fresh, present)
}

const stop = () => {
  clearInterval(timer)
  timer = undefined
  seen = new Set()
  newest = undefined
}

/** Until it is called off. Keeps no program running. */
export const watch = (watcher: Watcher, platform: NodeJS.Platform = process.platform): (() => void) => {
  if (platform !== "linux") return () => {}
  watchers.add(watcher)
  timer ??= setInterval(look, PROCESS_WATCH_MS).unref()
  return () => {
    watchers.delete(watcher)
    if (watchers.size === 0) stop()
  }
}
