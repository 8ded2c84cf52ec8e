/**
 * Whose a conversation is while it is open: a file beside it that only one process can create. One that a process left
 * behind when it died is taken over; whether it died is told by its number together with the time of its start.
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

/** What cannot be done any more tells the next one by its owner or its age. */
const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // The file is somebody else's by now, or nothing can be written.
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

/** By the time of the file system, not by that of a test. What is none of ours names nobody, and goes when it is old. */
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
