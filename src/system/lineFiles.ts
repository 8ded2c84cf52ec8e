/**
 * Files of lines, such as those of the audit log, which several processes may write at the same time. For each chunk the file is opened by name
 * for appending, and a chunk of whole lines is one write. So the system keeps the chunks of two processes apart, and a
 * concurrent rename loses nothing. Only rotation takes a lock, and nobody waits for it: a process that finds it taken
 * continues to write, and the file gets a little longer.
 */
import { randomBytes } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { LineFileNames } from "../schemas/data/LineFiles.ts"
import { AUDIT_WRITE_MAX_BYTES } from "../schemas/defaults/Audit.ts"
import { take } from "./fileLock.ts"
import { ifThere, makeOwnDirectory } from "./ownFiles.ts"

export interface Limits {
  readonly maxBytes: number
  readonly maxFiles: number
}

export interface LineFiles {
  /** Writes as many of the first `lines` as fit into one write; returns how many, at least one. */
  readonly append: (lines: ReadonlyArray<string>) => Promise<number>
}

export const ROTATION_LOCK = "rotate.lock"
const LINE_FEED = 10
const OTHERS = 0o077
const ATTEMPTS = 5

// Does not follow a link and does not block on a pipe in place of the file. Windows has neither flag.
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

interface Piece {
  /** Begins and ends with a line break: the first one is for a file that ends within a line. */
  readonly bytes: Buffer
  readonly lines: number
}

/** Joined into one buffer, because building one text of all lines would copy them twice more. */
const pieceOf = (lines: ReadonlyArray<string>): Piece => {
  const text = lines.join("\n")
  const size = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(size + 2)
  bytes.write(text, 1)
  bytes[0] = bytes[size + 1] = LINE_FEED
  return { bytes, lines: lines.length }
}

/** The lines that fit into one write: nearly always all. */
const firstOf = (lines: ReadonlyArray<string>): Piece => {
  const all = pieceOf(lines)
  if (all.bytes.length <= AUDIT_WRITE_MAX_BYTES) return all
  let [size, count] = [0, 0]
  for (const line of lines) {
    size += Buffer.byteLength(line) + 1
    if (count > 0 && size > AUDIT_WRITE_MAX_BYTES) break
    count++
  }
  return count === lines.length ? all : pieceOf(lines.slice(0, count))
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.dev === other.dev && one.size === other.size

/** Whether the file ends within a line, because the disk was full or a process died. */
const isTorn = async (file: FileHandle, { size }: Stats): Promise<boolean> => {
  if (size === 0) return false
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && buffer[0] !== LINE_FEED
}

const countLines = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

export const makeLineFiles = (directory: string, names: LineFileNames, { maxBytes, maxFiles }: Limits): LineFiles => {
  const { rotatedAmong, rotatedName } = names
  const current = join(directory, names.current)
  /** The file as we left it: it ends with a line, as long as nobody has touched it. */
  let ours: Stats | undefined

  // ---- rotation ----------------------------------------------------------------------------------------------------

  const removeOldest = async (): Promise<void> => {
    const rotated = rotatedAmong(await readdir(directory))
    const excess = rotated.slice(0, Math.max(0, rotated.length - (maxFiles - 1)))
    for (const name of excess) await rm(join(directory, name), { force: true })
  }

  /** Renames the file if it still is the one that was full; `false` when another process is rotating. */
  const rotate = async (full: Stats): Promise<boolean> => {
    const taken = take(join(directory, ROTATION_LOCK))
    if (taken._tag === "Theirs") return false
    try {
      const now = await ifThere(lstat(current))
      if (now === undefined || now.ino !== full.ino || now.dev !== full.dev) return true
      const name = rotatedName(rotatedAmong(await readdir(directory)), Date.now(), randomBytes(4).toString("hex"))
      await ifThere(rename(current, join(directory, name)))
      await removeOldest()
      return true
    } finally {
      taken.lock.release()
    }
  }

  // ---- the file ----------------------------------------------------------------------------------------------------

  /** Each time: the directory may have been removed, or replaced by a link, since the last one. */
  const openCurrent = async (): Promise<FileHandle> => {
    makeOwnDirectory(directory)
    return open(current, FLAGS, 0o600)
  }

  /** Whether the file has been removed. Some file systems report no links for every file. */
  const isGone = async ({ ino, nlink }: Stats): Promise<boolean> =>
    nlink === 0 && (await ifThere(lstat(current)))?.ino !== ino

  /** `undefined` when the file was removed while it was written to, or has just been rotated. */
  const tryAppend = async (lines: ReadonlyArray<string>, mayRotate: boolean): Promise<number | undefined> => {
    const file = await openCurrent()
    try {
      const found = await file.stat()
      if (!found.isFile()) throw new Error(`${names.current} is not a file`)
      const first = firstOf(lines)
      if (mayRotate && found.size > 0 && found.size + first.bytes.length - 1 > maxBytes && (await rotate(found)))
        return undefined
      if ((found.mode & OTHERS) !== 0 && process.platform !== "win32") await file.chmod(0o600)
      const torn = ours !== undefined && isSame(ours, found) ? false : await isTorn(file, found)
      ours = undefined
      const piece = torn ? first.bytes : first.bytes.subarray(1)
      const { bytesWritten } = await file.write(piece)
      const after = await file.stat()
      if (await isGone(after)) return undefined
      if (bytesWritten === piece.length) {
        if (after.size === found.size + bytesWritten) ours = after
        return first.lines
      }
      const written = countLines(piece.subarray(0, bytesWritten)) - (torn ? 1 : 0)
      // Lines that a full disk cut off are written again as a whole; the fragment becomes a line of its own.
      if (written < 1) throw Object.assign(new Error("nothing could be written"), { code: "ENOSPC" })
      return written
    } finally {
      await file.close()
    }
  }

  return {
    append: async (lines) => {
      for (let attempts = ATTEMPTS; attempts > 0; attempts--) {
        const written = await tryAppend(lines, attempts > 1)
        if (written !== undefined) return written
      }
      throw new Error("the file was removed several times")
    }
  }
}
