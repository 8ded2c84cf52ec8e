/**
 * Files for this user only, as all stores of the data directory write and read them. Each file is replaced as a whole, in a directory that nobody
 * else can read. A file that others could have put there is not read.
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

/** The error code of the system, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT"

/** `undefined` when the file or directory does not exist. */
export const ifThere = async <A>(work: Promise<A>): Promise<A | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The file or directory is not ours. The message says why. */
export class NotOurs extends Error {}

/** Without the path, which is documented and the same for every failure. */
export const fileSystemSays = (error: unknown): string =>
  error instanceof NotOurs ? error.message : `the file system says ${codeOf(error) ?? "an unknown error"}`

// ---- directories ---------------------------------------------------------------------------------------------------

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a directory and its parents, level by level: Node's `recursive` never returns if the system says that a new directory has no parent, as
 * in /proc. Synchronous, because the directory nearly always exists already.
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
 * The same for a directory that only this user can read and write; if it exists with other permissions, they are changed. Only the last level is
 * checked: the place of the data directory, also behind a link, is the choice of its user.
 */
export const makeOwnDirectory = (path: string): void => {
  makeDirectory(path)
  closeToOthers(path, 0o077)
}

/** Changes the permissions if others have these. */
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

/** The same for the existing directory of a file. Whoever can write to a directory can replace its files. */
const closeDirectoryOf = (path: string): void => {
  const folder = dirname(path)
  if (isDirectory(folder)) closeToOthers(folder, WRITERS)
}

/** The data directory itself may be a link and may be readable, but others must not be able to move or replace what is in it. */
export const closeToWriters = (path: string): void => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || process.platform === "win32" || isOthers(stats) || (stats.mode & WRITERS) === 0) return
  chmodSync(path, stats.mode & 0o755)
}

/** Windows does not tell the owner of a file. */
export const isOthers = ({ uid }: { readonly uid: number }): boolean =>
  process.platform !== "win32" && uid !== process.getuid?.()

// ---- writing -------------------------------------------------------------------------------------------------------

/** A name beside `path` that is unique over all processes and times. */
export const nameBeside = (path: string): string => `${path}.${process.pid}-${randomBytes(6).toString("hex")}`

const IN_THE_WAY: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"])
const TRIES = 10
const PAUSE_MS = 30

/** Retries on Windows, where a file that is being read cannot be replaced or removed. */
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

/**
 * Readers get the old file or the new one. If writing fails, the old one stays; also if `last`, which runs when only the renaming is left,
 * rejects. It gets the path of the new file.
 */
export const replaceFile = async (
  path: string,
  text: string | Iterable<string> | AsyncIterable<Buffer>,
  last: (fresh: string) => Promise<void> = async () => {}
): Promise<void> => {
  const fresh = `${nameBeside(path)}.tmp`
  try {
    await writeFile(fresh, text, { flag: "wx", mode: 0o600, flush: true })
    await last(fresh)
    await persistently(() => rename(fresh, path))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

export const removeFile = (path: string): Promise<void> => persistently(() => rm(path, { force: true }))

// ---- reading -------------------------------------------------------------------------------------------------------

export const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Why a file is not ours: a link, a pipe, or a file that others have written or could write. */
const strangeness = (stats: Stats, maxBytes: number): string | undefined => {
  if (!stats.isFile()) return NO_FILE
  if (isOthers(stats)) return "the file belongs to another user"
  if (process.platform !== "win32" && (stats.mode & WRITERS) !== 0) return "the file can be written by others"
  return stats.size > maxBytes ? TOO_LARGE : undefined
}

export const NO_FILE = "it is not a file"
const TOO_LARGE = "the file is too large"
const PIECE_BYTES = 16 * 1024

/** Collects the content of a file up to a limit: the system does not always tell the size, as in /proc. */
const makeText = (maxBytes: number) => {
  const pieces: Array<Buffer> = []
  let size = 0
  return {
    room: () => Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes + 1 - size)),
    /** `undefined` if there may be more. */
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
  /** When it was last written or touched. */
  readonly mtimeMs: number
}

/** Says what is wrong with a file, before it is read. */
export type Judge = (stats: Stats) => string | undefined | Promise<string | undefined>

/** Opens the file with `flags`, judges the open file, and reads it if nothing is wrong. */
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

/** `undefined` if there is no file; rejects if the file or its directory is not ours. */
export const readOwn = async (path: string, maxBytes: number): Promise<OwnText | undefined> => {
  closeDirectoryOf(path)
  return readJudged(path, maxBytes, READING, (stats) => strangeness(stats, maxBytes))
}

/** The same, synchronously; throws if the file is not ours. */
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
