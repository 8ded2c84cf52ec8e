/**
 * What Linux tells about processes. A process may end, and another one may get its number, between any two reads: only the number
 * together with the start time identifies it. Nothing here throws; on a system without /proc, nothing is found.
 */
import { open } from "node:fs/promises"
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { PROCESS_ENVIRONMENT_MAX_BYTES } from "../../schemas/defaults/Processes.ts"
import { lazy } from "../../schemas/data/Memo.ts"
import { makeRun, type Owner, TAG_VARIABLE } from "./tag.ts"

export interface ProcessEntry {
  readonly pid: number
  /** Its start time, in clock ticks since boot. */
  readonly started: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** A zombie: it has ended, and nobody has waited for it yet. */
  readonly dead: boolean
}

const PARENT_OF_KERNEL_THREADS = 2

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** `undefined` where processes cannot be listed. */
export const listPids = (): ReadonlyArray<number> | undefined =>
  process.platform === "linux"
    ? attempt(() => readdirSync("/proc"))?.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    : undefined

/** All processes, read synchronously: for the exit hook, which cannot wait. */
export const listNow = (): ReadonlyMap<number, ProcessEntry> =>
  new Map(
    (listPids() ?? []).flatMap((pid) => {
      const entry = entryOf(pid)
      return entry === undefined ? [] : [[pid, entry] as const]
    })
  )

const GONE = new Set(["ENOENT", "ESRCH"])
const SHORT = new Set(["EMFILE", "ENFILE", "ENOMEM"])

/** Whether there is no such process. A process that could not be read is not gone. */
export const isGone = (seen: ProcessEntry | string): seen is string => typeof seen === "string" && GONE.has(seen)
/** Whether this process lacks memory or file descriptors, and so cannot tell of any process whether it exists. */
export const isShort = (seen: ProcessEntry | string): boolean => typeof seen === "string" && SHORT.has(seen)

/** Reads a process, or gives the code of the error. This read does not wait for the process, so a stuck one cannot block it. */
export const lookAt = (pid: number): ProcessEntry | string => {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown"
  }
  // The name is in parentheses and may contain anything, also parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group, session] = fields
  return {
    pid,
    started: Number(fields[19]),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    dead: state === "Z" || state === "X"
  }
}

export const entryOf = (pid: number): ProcessEntry | undefined => {
  const seen = lookAt(pid)
  return typeof seen === "string" ? undefined : seen
}

export const isKernelThread = ({ parent, pid }: ProcessEntry): boolean =>
  parent === PARENT_OF_KERNEL_THREADS || pid === PARENT_OF_KERNEL_THREADS

const isSame = (seen: ProcessEntry | string, started: number) =>
  typeof seen !== "string" && seen.started === started && !seen.dead

/** Whether this very process still runs. True if that cannot be determined. */
export const isAlive = ({ pid, started }: Pick<ProcessEntry, "pid" | "started">): boolean => {
  const seen = lookAt(pid)
  return typeof seen === "string" ? !isGone(seen) : isSame(seen, started)
}

export const isOurs = (pid: number): boolean =>
  attempt(() => statSync(`/proc/${pid}`).uid === process.geteuid?.()) === true

/** Signals a process if it is certainly the same one: it is read immediately before. */
export const signal = ({ pid, started }: Pick<ProcessEntry, "pid" | "started">, name: NodeJS.Signals): void => {
  if (isSame(lookAt(pid), started)) attempt(() => process.kill(pid, name))
}

/** Enough for most processes; the buffer grows for others. */
const ENVIRONMENT_BYTES = 16 * 1024
const MARK = `${TAG_VARIABLE}=`

/** The tags in its environment, unparsed. This read waits for the process and may never end. */
export const readTagText = async (pid: number): Promise<string | undefined> => {
  const file = await open(`/proc/${pid}/environ`, "r").catch(() => undefined)
  if (file === undefined) return undefined
  try {
    let buffer = Buffer.allocUnsafe(ENVIRONMENT_BYTES)
    let size = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, size, buffer.length - size)
      size += bytesRead
      if (bytesRead === 0 || size >= PROCESS_ENVIRONMENT_MAX_BYTES) break
      if (size === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)])
    }
    return buffer
      .toString("latin1", 0, size)
      .split("\0")
      .find((variable) => variable.startsWith(MARK))
      ?.slice(MARK.length)
  } catch {
    return undefined
  } finally {
    await file.close().catch(() => {})
  }
}

const inode = (path: string): string => /\d+/.exec(attempt(() => readlinkSync(path)) ?? "")?.[0] ?? "-"

/** This process, with a random name that no other has. */
export const ownSelf = lazy((): Owner => ({
  run: makeRun(),
  pid: process.pid,
  started: process.platform === "linux" ? (entryOf(process.pid)?.started ?? 0) : 0,
  place: process.platform === "linux" ? `${inode("/proc/self/ns/pid")}.${inode("/proc/self/ns/time")}` : "-"
}))
