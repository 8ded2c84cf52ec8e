/**
 * Who holds a lock, so that another process can tell whether they still do: a number is soon given to somebody else, so
 * the time of the start goes with it, and what a number means is known only on the same machine and in the same container.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { isObject } from "../../schemas/Json.ts"

export interface Owner {
  readonly pid: number
  /** When that process began; empty where the system does not say. */
  readonly started: string
  /** Where its number means it. */
  readonly place: string
  /** Tells one holding of a lock from the next. */
  readonly nonce: string
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

const here = (): string =>
  [
    hostname(),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim())
  ].join(" ")

export const ownerHere = (nonce: string): Owner => ({
  pid: process.pid,
  started: startedAt("self"),
  place: here(),
  nonce
})

export const readOwner = (text: string): Owner | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return undefined
    const { nonce, pid, place, started } = value
    return typeof nonce === "string" &&
      typeof pid === "number" &&
      Number.isSafeInteger(pid) &&
      pid > 0 &&
      typeof place === "string" &&
      typeof started === "string"
      ? { nonce, pid, place, started }
      : undefined
  } catch {
    return undefined
  }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** `undefined` where that cannot be told from here. */
export const isAlive = ({ pid, place, started }: Owner): boolean | undefined => {
  if (place !== here()) return undefined
  if (!exists(pid)) return false
  const now = startedAt(pid)
  return now === "" || started === "" ? undefined : now === started
}
