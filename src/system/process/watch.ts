/**
 * Notices new processes while their parents are still alive, because later nothing may show whose they are. One timer serves all
 * servers of this process. A look costs hundredths of a millisecond if nothing has started on the machine since the last one, and
 * otherwise the listing of one directory. Linux only. The timer is Node's and not that of Effect's `Clock`: it must not keep the
 * process alive.
 */
import { readFileSync } from "node:fs"
import { PROCESS_WATCH_MS } from "../../schemas/defaults/Processes.ts"
import { entryOf, listPids, type ProcessEntry } from "./procfs.ts"

/** Is told which processes have started since the last look, and the numbers of all that exist. */
export interface Watcher {
  readonly notice: (fresh: ReadonlyArray<ProcessEntry>, present: ReadonlySet<number>) => void
}

/** The number of the newest process. As long as it stays the same, nothing has started. */
export const newestPid = (): number | undefined => {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1))
  } catch {
    return undefined
  }
}

/** Watches until the returned function is called. */
export type Watch = (watcher: Watcher) => () => void

export const makeWatch = (platform: NodeJS.Platform = process.platform): Watch => {
  if (platform !== "linux") return () => () => {}
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

  return (watcher) => {
    watchers.add(watcher)
    timer ??= setInterval(look, PROCESS_WATCH_MS).unref()
    return () => {
      watchers.delete(watcher)
      if (watchers.size > 0) return
      clearInterval(timer)
      timer = newest = undefined
      seen = new Set()
    }
  }
}
