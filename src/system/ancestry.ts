/** Finds out whether an ancestor of this process listens at a port: the program that started us may be the one that we are about to contact. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

const LISTENING = "0A"
const ANCESTORS_MAX = 64
const TABLE_LINES_MAX = 100_000

const attempt = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** The inodes of the sockets that listen at a port, from the text of /proc/net/tcp. */
export const listenersIn = (table: string, port: number): ReadonlyArray<string> => {
  const hex = port.toString(16).toUpperCase().padStart(4, "0")
  return table
    .split("\n", TABLE_LINES_MAX)
    .slice(1)
    .flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      return state === LISTENING && local?.endsWith(`:${hex}`) === true && inode !== undefined ? [inode] : []
    })
}

/** The parent of a process; 0 if that is unknown. */
export const parentOf = (pid: number): number => {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0)
}

const wordsOf = (pid: number): ReadonlyArray<string> =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "")
    .split("\0")
    .slice(0, -1)

/** The process that handed over to this one, with the same words for another Node; 0 if none did, or that is unknown. Linux only. */
export const handedOverBy = (pid: number): number => {
  const parent = parentOf(pid)
  const [[, , ...own], [, , ...theirs]] = [wordsOf(pid), wordsOf(parent)]
  return own.length > 0 && own.length === theirs.length && own.every((word, at) => word === theirs[at]) ? parent : 0
}

const holds = (pid: number, sockets: ReadonlySet<string>): boolean =>
  attempt(() => readdirSync(`/proc/${pid}/fd`), []).some((descriptor) =>
    sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`), ""))
  )

/** Whether this process descends from one that listens at a port of this machine; `false` if that cannot be determined. */
export const listensAbove = (port: number, platform: NodeJS.Platform = process.platform): boolean => {
  if (platform !== "linux") return false
  const tables = ["tcp", "tcp6"].map((name) => attempt(() => readFileSync(`/proc/self/net/${name}`, "latin1"), ""))
  const sockets = new Set(tables.flatMap((table) => listenersIn(table, port)).map((inode) => `socket:[${inode}]`))
  if (sockets.size === 0) return false
  let pid = process.ppid
  for (let left = ANCESTORS_MAX; pid > 1 && left > 0; left--) {
    if (holds(pid, sockets)) return true
    pid = parentOf(pid)
  }
  return false
}
