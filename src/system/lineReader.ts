/**
 * Reads files of lines, such as those of the audit log, while other processes write, rotate and remove them. The position in a file is kept by the
 * file's identity, not by its name.
 */
import type { BigIntStats } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { LineFileNames } from "../schemas/data/LineFiles.ts"
import { AUDIT_READ_BYTES } from "../schemas/defaults/Audit.ts"
import { codeOf, isMissing, NotOurs, READING } from "./ownFiles.ts"

/** One line of a file. */
export interface ReadLine<A> {
  /** The line as in the file. */
  readonly text: string
  /** `undefined` when the line is damaged, or newer than this version. */
  readonly record: A | undefined
}

type Lines<A> = ReadonlyArray<ReadLine<A>>
type Parse<A> = (text: string) => A | undefined

interface Progress {
  /** Every line before this offset has been returned. */
  offset: number
  /** The size of the file at the last look. */
  size: number
}

const LINE_FEED = 10
/** A rotation during reading may hide a file: the directory is listed again, at most this often. */
const ROUNDS_MAX = 5

const LINKED = "is a link, and links are not followed; put the file itself in its place, or remove the link"

/** Inode numbers are reused after a file is removed, so the time of creation is included. */
export const identityOf = ({ birthtimeNs, dev, ino }: BigIntStats): string => `${dev} ${ino} ${birthtimeNs}`

const lineOf = <A>(bytes: Buffer, parse: Parse<A>): ReadLine<A> => {
  const text = bytes.toString("utf8")
  return { text, record: parse(text) }
}

const isBlank = (bytes: Buffer): boolean => bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)

/** The whole lines in `bytes`, and the offset after them. */
const cut = <A>(bytes: Buffer, parse: Parse<A>): { readonly lines: Lines<A>; readonly rest: number } => {
  const lines: Array<ReadLine<A>> = []
  let rest = 0
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, rest)) {
    const line = bytes.subarray(rest, end)
    if (!isBlank(line)) lines.push(lineOf(line, parse))
    rest = end + 1
  }
  return { lines, rest }
}

async function* readFrom<A>(file: FileHandle, progress: Progress, parse: Parse<A>): AsyncGenerator<Lines<A>> {
  const buffer = Buffer.alloc(AUDIT_READ_BYTES)
  // The rest of a line that was too long is skipped.
  let skipping = false
  while (progress.offset < progress.size) {
    const wanted = Math.min(buffer.length, progress.size - progress.offset)
    const { bytesRead } = await file.read(buffer, 0, wanted, progress.offset)
    if (bytesRead === 0) return
    const piece = buffer.subarray(0, bytesRead)
    const begin = skipping ? piece.indexOf(LINE_FEED) + 1 : 0
    if (skipping && begin === 0) {
      progress.offset += bytesRead
      continue
    }
    skipping = false
    const { lines, rest } = cut(piece.subarray(begin), parse)
    if (lines.length > 0) yield lines
    const used = begin + rest
    progress.offset += used
    if (used > 0) continue
    if (bytesRead === buffer.length) {
      yield [{ text: "", record: undefined }]
      skipping = true
      progress.offset += bytesRead
      continue
    }
    // A line without a line break: cut off, or still being written and then read again.
    const last = lineOf(piece, parse)
    if (last.record !== undefined) progress.offset += bytesRead
    yield [last]
    return
  }
}

export interface Reader<A> {
  /** What has been written since the last call. */
  readonly next: () => AsyncGenerator<Lines<A>>
}

export interface ReaderParts<A> {
  readonly directory: string
  readonly names: LineFileNames
  readonly parse: Parse<A>
  /** Files that were last written before this time are skipped. */
  readonly since: number | undefined
}

export const makeReader = <A>({
  directory,
  names: { current, rotatedAmong },
  parse,
  since
}: ReaderParts<A>): Reader<A> => {
  let known = new Map<string, Progress>()

  async function* readFile(name: string, here: Map<string, Progress>): AsyncGenerator<Lines<A>> {
    const file = await open(join(directory, name), READING).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw codeOf(error) === "ELOOP" ? new NotOurs(`${name} ${LINKED}`) : error
    })
    if (file === undefined) return
    try {
      const stats = await file.stat({ bigint: true })
      const [id, size] = [identityOf(stats), Number(stats.size)]
      const progress = here.get(id) ?? known.get(id) ?? { offset: 0, size: 0 }
      const isNew = progress.size !== size
      here.set(id, progress)
      if (!stats.isFile() || !isNew) return
      if (size < progress.offset) progress.offset = 0
      progress.size = size
      if (since !== undefined && Number(stats.mtimeMs) < since) progress.offset = size
      yield* readFrom(file, progress, parse)
    } finally {
      await file.close()
    }
  }

  const namesNow = async (): Promise<ReadonlyArray<string>> => {
    try {
      return [...rotatedAmong(await readdir(directory)), current]
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  async function* next(): AsyncGenerator<Lines<A>> {
    const here = new Map<string, Progress>()
    let names = await namesNow()
    for (let round = 0; round < ROUNDS_MAX; round++) {
      for (const name of names) yield* readFile(name, here)
      const again = await namesNow()
      const moved = again.some((name) => !names.includes(name))
      names = again
      if (!moved) break
    }
    // Removed files are forgotten.
    known = here
  }

  return { next }
}
