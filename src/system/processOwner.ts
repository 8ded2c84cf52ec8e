/**
 * A process by what tells it from every other one, for files that say whose they are. Whether it has died is told by its number
 * together with the time of its start; a number alone is given again.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { isObject } from "../schemas/data/Json.ts"

export interface ProcessOwner {
  readonly pid: number
  /** When that process began; empty where the system does not say. */
  readonly started: string
  readonly host: string
  readonly boot: string
  /** Where on that machine its number means it. */
  readonly space: string
}

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

/** Field 22 of `stat`; the name before it may hold anything, so it is counted from its end. */
const startedAt = (pid: number | "self"): string =>
  attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  })

const place = () => ({
  host: hostname(),
  boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: attempt(() => readlinkSync("/proc/self/ns/pid"))
})

export const thisProcess = (): ProcessOwner => ({ pid: process.pid, started: startedAt("self"), ...place() })

/** Of what was read from a file; what is none is none. */
export const readProcessOwner = (value: unknown): ProcessOwner | undefined => {
  if (!isObject(value)) return undefined
  const { boot, host, pid, space, started } = value
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined
  return typeof boot === "string" &&
    typeof host === "string" &&
    typeof space === "string" &&
    typeof started === "string"
    ? { pid: Number(pid), started, host, boot, space }
    : undefined
}

/** Also one of somebody else's. */
export const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** `undefined` where that cannot be told from here. */
export const isOwnerAlive = ({ boot, host, pid, space, started }: ProcessOwner): boolean | undefined => {
  const here = place()
  if (host !== here.host) return undefined
  if (boot !== here.boot) return false
  if (space !== here.space) return undefined
  if (!exists(pid)) return false
  const now = startedAt(pid)
  return now === "" || started === "" ? undefined : now === started
}
