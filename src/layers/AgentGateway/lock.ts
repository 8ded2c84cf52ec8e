/**
 * Whose a conversation is while it is open: a file beside it that only one process can create. One that a process left
 * behind when it died is taken over; whether it died is told by its number together with the time of its start.
 */
import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { CONVERSATION_LOCK_AGE_MAX_MS, CONVERSATION_LOCK_UNNAMED_MAX_MS } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"

export const LOCK_SUFFIX = ".lock"

interface Owner {
  readonly pid: number
  /** When that process began; empty where the system does not say. */
  readonly started: string
  readonly host: string
  readonly boot: string
  /** Where on that machine its number means it. */
  readonly space: string
  /** Tells one holding from the next. */
  readonly nonce: string
}

export interface Lock {
  /** It is still in use: for those who can tell by its age alone. */
  readonly touch: () => void
  readonly release: () => void
}

export type Taken =
  | { readonly _tag: "Ours"; readonly lock: Lock }
  /** The number of the process, where it is known. */
  | { readonly _tag: "Theirs"; readonly pid: number | undefined }

const attempt = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

/** What cannot be done any more tells the next one by its owner or its age. */
const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // The file is somebody else's by now, or nothing can be written.
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

const readOwner = (text: string): Owner | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return undefined
    const { boot, host, nonce, pid, space, started } = value
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return undefined
    return [boot, host, nonce, space, started].every((each) => typeof each === "string")
      ? (value as unknown as Owner)
      : undefined
  } catch {
    return undefined
  }
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
const isAlive = ({ boot, host, pid, space, started }: Owner): boolean | undefined => {
  const here = place()
  if (host !== here.host) return undefined
  if (boot !== here.boot) return false
  if (space !== here.space) return undefined
  if (!exists(pid)) return false
  const now = startedAt(pid)
  return now === "" || started === "" ? undefined : now === started
}

interface Held {
  readonly owner: Owner | undefined
  readonly ageMs: number
}

/** By the time of the file system, not by that of a test. */
const look = (path: string): Held | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  return { owner: readOwner(attempt(() => readFileSync(path, "utf8"))), ageMs: Date.now() - stats.mtimeMs }
}

const isLeft = ({ ageMs, owner }: Held): boolean =>
  owner === undefined
    ? ageMs > CONVERSATION_LOCK_UNNAMED_MAX_MS
    : !(isAlive(owner) ?? ageMs <= CONVERSATION_LOCK_AGE_MAX_MS)

const create = (path: string, owner: Owner): boolean => {
  try {
    writeFileSync(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

/** Out of the way at once. If somebody else was faster, what was moved is their new lock, and is put back. */
const removeLeft = (path: string): void => {
  const aside = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
  try {
    renameSync(path, aside)
    const moved = look(aside)
    if (moved !== undefined && !isLeft(moved)) linkSync(aside, path)
  } catch {
    // Nobody's any more, or another one's by now: the next attempt tells.
  }
  rmSync(aside, { force: true })
}

/** Whether somebody has it. One that was left behind is removed. */
export const isHeld = (path: string): boolean => {
  const held = look(path)
  if (held === undefined) return false
  if (!isLeft(held)) return true
  removeLeft(path)
  return false
}

/** Throws where no file can be created. */
export const take = (path: string): Taken => {
  const owner: Owner = {
    pid: process.pid,
    started: startedAt("self"),
    ...place(),
    nonce: randomBytes(16).toString("hex")
  }
  const isOurs = () => look(path)?.owner?.nonce === owner.nonce
  if (!create(path, owner) && (isHeld(path) || !create(path, owner))) {
    return { _tag: "Theirs", pid: look(path)?.owner?.pid }
  }
  return {
    _tag: "Ours",
    lock: {
      touch: () =>
        quietly(() => {
          const now = new Date()
          if (isOurs()) utimesSync(path, now, now)
        }),
      release: () =>
        quietly(() => {
          if (isOurs()) rmSync(path, { force: true })
        })
    }
  }
}
