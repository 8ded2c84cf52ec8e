/**
 * The lock of an open conversation: a file next to it that only one process can create. The lock of a dead process is taken
 * over; a process is identified by its id and its start time.
 */
import { randomBytes } from "node:crypto"
import { linkSync, lstatSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import {
  CONVERSATION_LOCK_AGE_MAX_MS,
  CONVERSATION_LOCK_MAX_BYTES,
  CONVERSATION_LOCK_UNNAMED_MAX_MS
} from "../../../schemas/defaults/Conversations.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { readOwnSync } from "../../../system/ownFiles.ts"
import { isOwnerAlive, readProcessOwner, thisProcess, type ProcessOwner } from "../../../system/processOwner.ts"

export const LOCK_SUFFIX = ".lock"

interface Owner extends ProcessOwner {
  /** Distinguishes one lock from the next. */
  readonly nonce: string
}

export interface Lock {
  /** Shows that it is still in use, for those who can only check its age. */
  readonly touch: () => void
  readonly release: () => void
}

export type Taken =
  | { readonly _tag: "Ours"; readonly lock: Lock }
  /** The process id, if known. */
  | { readonly _tag: "Theirs"; readonly pid: number | undefined }

/** If this fails, others can still judge the lock by its owner or age. */
const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // The file belongs to somebody else now, or nothing can be written.
  }
}

interface Held {
  readonly owner: Owner | undefined
  readonly ageMs: number
}

const ownerIn = (path: string): Owner | undefined => {
  try {
    const value: unknown = JSON.parse(readOwnSync(path, CONVERSATION_LOCK_MAX_BYTES)?.text ?? "")
    const owner = readProcessOwner(value)
    const nonce = isObject(value) ? value["nonce"] : undefined
    return owner === undefined || typeof nonce !== "string" ? undefined : { ...owner, nonce }
  } catch {
    return undefined
  }
}

/** Uses the file system's time, not Effect's Clock. A foreign file names no owner, and is removed when it is old. */
const look = (path: string): Held | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  return { owner: ownerIn(path), ageMs: Date.now() - stats.mtimeMs }
}

const isLeft = ({ ageMs, owner }: Held): boolean =>
  owner === undefined
    ? ageMs > CONVERSATION_LOCK_UNNAMED_MAX_MS
    : !(isOwnerAlive(owner) ?? ageMs <= CONVERSATION_LOCK_AGE_MAX_MS)

const create = (path: string, owner: Owner): boolean => {
  try {
    writeFileSync(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  }
}

/** Moves the lock away. If another process was faster, this moved its new lock, which is then put back. */
const removeLeft = (path: string): void => {
  const aside = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
  try {
    renameSync(path, aside)
    const moved = look(aside)
    if (moved !== undefined && !isLeft(moved)) linkSync(aside, path)
  } catch {
    // Removed already, or another one by now: the next attempt will tell.
  }
  rmSync(aside, { force: true })
}

/** Whether somebody holds it. An abandoned lock is removed. */
export const isHeld = (path: string): boolean => {
  const held = look(path)
  if (held === undefined) return false
  if (!isLeft(held)) return true
  removeLeft(path)
  return false
}

/** Throws when no file can be created. */
export const take = (path: string): Taken => {
  const owner: Owner = { ...thisProcess(), nonce: randomBytes(16).toString("hex") }
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
