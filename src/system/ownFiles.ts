/**
 * Files for this user alone, as all stores of the data directory write and read them: each is replaced as a whole, in a
 * directory that nobody else sees into. What others could have put there is not read.
 */
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  type Stats
} from "node:fs"
import { open, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

/** The system's name for a failure, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT"

/** What is there is none of ours; says why, in words of our own. */
export class NotOurs extends Error {}

/** Without the path: it is the same for every failure, and stands in the documentation. */
export const fileSystemSays = (error: unknown): string =>
  error instanceof NotOurs ? error.message : `the file system says ${codeOf(error) ?? "an unknown error"}`

// ---- directories ---------------------------------------------------------------------------------------------------

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * With all that leads to it. Level by level: Node's `recursive` never comes back where the system says that a new directory
 * has no parent, as in /proc. Without suspending: it is a look at what is there, all times but the first.
 */
export const makeDirectory = (path: string): void => {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== "EEXIST" || !isDirectory(path)) throw error
  }
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

const openFolder = (path: string): number => {
  try {
    return openSync(path, FOLDER)
  } catch (error) {
    const code = codeOf(error)
    throw code === "ENOTDIR" || code === "ELOOP" ? new NotOurs("the directory is a link") : error
  }
}

/**
 * The same where nobody else sees in, nor puts anything there; also where it was there before, with whatever rights. Only the
 * last level is looked at: where the data directory lies, and whether a link leads there, is its user's choice.
 */
export const makeOwnDirectory = (path: string): void => {
  makeDirectory(path)
  closeToOthers(path, 0o077)
}

/** Of one in which others may do what these bits say. */
const closeToOthers = (path: string, bits: number): void => {
  if (process.platform === "win32") return
  const folder = openFolder(path)
  try {
    const stats = fstatSync(folder)
    if (isOthers(stats)) throw new NotOurs("the directory belongs to another user")
    if ((stats.mode & bits) !== 0) fchmodSync(folder, 0o700)
  } finally {
    closeSync(folder)
  }
}

const WRITERS = 0o022

/** The same for what is there; nothing where there is none. Who may write to a directory may put one file in another's place. */
const closeDirectoryOf = (path: string): void => {
  const folder = dirname(path)
  if (isDirectory(folder)) closeToOthers(folder, WRITERS)
}

/** The data directory itself may be a link, and may be seen into. What others could move away or replace is in it, though. */
export const closeToWriters = (path: string): void => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || process.platform === "win32" || isOthers(stats) || (stats.mode & WRITERS) === 0) return
  chmodSync(path, stats.mode & 0o755)
}

/** Of `stat`: on Windows nobody is told whose a file is. */
export const isOthers = ({ uid }: { readonly uid: number }): boolean =>
  process.platform !== "win32" && uid !== process.getuid?.()

// ---- writing -------------------------------------------------------------------------------------------------------

/** A name beside `path` that no other process, and no other moment, comes upon. */
export const nameBeside = (path: string): string => `${path}.${process.pid}-${randomBytes(6).toString("hex")}`

const IN_THE_WAY: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"])
const TRIES = 10
const PAUSE_MS = 30

/** On Windows a file that somebody is reading can be neither replaced nor removed: for a moment. */
const persistently = async (work: () => Promise<void>): Promise<void> => {
  for (let left = TRIES; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (process.platform !== "win32" || !IN_THE_WAY.has(codeOf(error)) || left <= 1) throw error
      await delay(PAUSE_MS)
    }
  }
}

/** Who reads meanwhile has the old file or the new one. What could not be written whole leaves the old one. */
export const replaceFile = async (path: string, text: string | Iterable<string>): Promise<void> => {
  const fresh = `${nameBeside(path)}.tmp`
  try {
    await writeFile(fresh, text, { flag: "wx", mode: 0o600, flush: true })
    await persistently(() => rename(fresh, path))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

export const removeFile = (path: string): Promise<void> => persistently(() => rm(path, { force: true }))

// ---- reading -------------------------------------------------------------------------------------------------------

export const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What a link leads to, a pipe that never ends, and what others have written or could write, is none of ours. */
const strangeness = (stats: Stats, maxBytes: number): string | undefined => {
  if (!stats.isFile()) return NO_FILE
  if (isOthers(stats)) return "the file belongs to another user"
  if (process.platform !== "win32" && (stats.mode & WRITERS) !== 0) return "the file can be written by others"
  return stats.size > maxBytes ? TOO_LARGE : undefined
}

export const NO_FILE = "it is no file"
const TOO_LARGE = "the file is too large"
const PIECE_BYTES = 16 * 1024

/** What is in a file, and no more of it than may be: its size is not always told, as in /proc. */
const makeText = (maxBytes: number) => {
  const pieces: Array<Buffer> = []
  let size = 0
  return {
    room: () => Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes + 1 - size)),
    /** `undefined` when there may be more. */
    add: (room: Buffer, read: number): string | undefined => {
      if (read === 0) return Buffer.concat(pieces).toString("utf8")
      pieces.push(room.subarray(0, read))
      size += read
      if (size > maxBytes) throw new NotOurs(TOO_LARGE)
      return undefined
    }
  }
}

const notOpened = (error: unknown): undefined => {
  if (isMissing(error)) return undefined
  throw codeOf(error) === "ELOOP" ? new NotOurs(NO_FILE) : error
}

const check = (stats: Stats, maxBytes: number) => {
  const strange = strangeness(stats, maxBytes)
  if (strange !== undefined) throw new NotOurs(strange)
}

export interface OwnText {
  readonly text: string
  /** When it was written, or touched. */
  readonly mtimeMs: number
}

/** What is wrong with a file, before a byte of it is read. */
export type Judge = (stats: Stats) => string | undefined | Promise<string | undefined>

/** Opens what `flags` say, and reads it where nothing is wrong with it: what was looked at is what is read. */
export const readJudged = async (
  path: string,
  maxBytes: number,
  flags: number,
  judge: Judge
): Promise<OwnText | undefined> => {
  const file = await open(path, flags).catch(notOpened)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    const fault = (await judge(stats)) ?? (stats.size > maxBytes ? TOO_LARGE : undefined)
    if (fault !== undefined) throw new NotOurs(fault)
    const { add, room } = makeText(maxBytes)
    for (;;) {
      const piece = room()
      const { bytesRead } = await file.read(piece, 0, piece.length, null)
      const text = add(piece, bytesRead)
      if (text !== undefined) return { text, mtimeMs: stats.mtimeMs }
    }
  } finally {
    await file.close()
  }
}

/** `undefined` where there is none; rejects where it, or the directory that it lies in, is none of ours. */
export const readOwn = async (path: string, maxBytes: number): Promise<OwnText | undefined> => {
  closeDirectoryOf(path)
  return readJudged(path, maxBytes, READING, (stats) => strangeness(stats, maxBytes))
}

/** The same without suspending; throws where it is none of ours. */
export const readOwnSync = (path: string, maxBytes: number): OwnText | undefined => {
  closeDirectoryOf(path)
  const file = opened(path)
  if (file === undefined) return undefined
  try {
    const stats = fstatSync(file)
    check(stats, maxBytes)
    const { add, room } = makeText(maxBytes)
    for (;;) {
      const piece = room()
      const text = add(piece, readSync(file, piece, 0, piece.length, null))
      if (text !== undefined) return { text, mtimeMs: stats.mtimeMs }
    }
  } finally {
    closeSync(file)
  }
}

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, READING)
  } catch (error) {
    return notOpened(error)
  }
}
