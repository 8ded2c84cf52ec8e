/**
 * Reads files of lines backwards, from the newest line to the oldest, page by page. A page continues where the one before ended, also after a
 * rotation: its place is kept by the file's identity. Each page looks at a bounded part of the files.
 */
import { type FileHandle, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { LineFileNames } from "../schemas/data/LineFiles.ts"
import type { PastAsked, PastPage } from "../schemas/data/PastPage.ts"
import { AUDIT_READ_BYTES, PAST_SCAN_MAX_BYTES } from "../schemas/defaults/Audit.ts"
import { identityOf } from "./lineReader.ts"
import { isMissing, READING } from "./ownFiles.ts"

export interface PastParts<A> {
  readonly directory: string
  readonly names: LineFileNames
  readonly parse: (text: string) => A | undefined
}

interface Place {
  readonly file: string
  /** The line before this offset is the next one. */
  readonly offset: number
}

const LINE_FEED = 10
const CURSOR = /^(\d{1,20} \d{1,20} \d{1,20}):(\d{1,15})$/

const placeOf = (cursor: string): Place | undefined => {
  const [, file, offset] = CURSOR.exec(cursor) ?? []
  return file === undefined ? undefined : { file, offset: Number(offset) }
}

/** Whole lines before `end` with their offsets, the last one first. Without a line break, the end of a file is still being written. */
async function* linesBefore(file: FileHandle, end: number): AsyncGenerator<readonly [offset: number, line: string]> {
  /** What of a line is known so far, from its end. */
  let rest = Buffer.alloc(0)
  /** The rest of a line that was too long is skipped. */
  let skipping = true
  for (let at = end; at > 0;) {
    const from = Math.max(0, at - AUDIT_READ_BYTES)
    const block = Buffer.alloc(at - from)
    const { bytesRead } = await file.read(block, 0, block.length, from)
    if (bytesRead < block.length) return
    const bytes = Buffer.concat([block, rest])
    let until = bytes.length
    for (
      let feed = bytes.lastIndexOf(LINE_FEED);
      feed !== -1;
      feed = feed === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, feed - 1)
    ) {
      if (!skipping && feed + 1 < until) yield [from + feed + 1, bytes.toString("utf8", feed + 1, until)]
      skipping = false
      until = feed
    }
    rest = bytes.subarray(0, until)
    if (rest.length > AUDIT_READ_BYTES) {
      rest = Buffer.alloc(0)
      skipping = true
    }
    at = from
  }
  if (!skipping && rest.length > 0) yield [0, rest.toString("utf8")]
}

const opened = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await open(path, READING)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Newest first. */
const filesIn = async ({ directory, names: { current, rotatedAmong } }: PastParts<unknown>) => {
  try {
    return [...rotatedAmong(await readdir(directory)), current].toReversed()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** A cursor that is not one of ours, or whose file has been removed since, leads to an empty page. */
export const readPast = async <A>(parts: PastParts<A>, asked: PastAsked<A>): Promise<PastPage<A>> => {
  const place = asked.before === undefined ? undefined : placeOf(asked.before)
  if (asked.before !== undefined && place === undefined) return { lines: [] }
  const found: Array<PastPage<A>["lines"][number]> = []
  const page = (cursor?: string): PastPage<A> => ({
    lines: found.toReversed(),
    ...(cursor === undefined ? {} : { cursor })
  })
  let isThere = place === undefined
  let left = PAST_SCAN_MAX_BYTES
  for (const name of await filesIn(parts)) {
    const file = await opened(join(parts.directory, name))
    if (file === undefined) continue
    try {
      const stats = await file.stat({ bigint: true })
      const id = identityOf(stats)
      if (!stats.isFile() || (!isThere && id !== place?.file)) continue
      const size = Number(stats.size)
      const end = isThere ? size : Math.min(size, place!.offset)
      isThere = true
      let last = end
      for await (const [offset, text] of linesBefore(file, end)) {
        left -= last - offset
        last = offset
        const record = parts.parse(text)
        if (record !== undefined && asked.accepts(record)) found.push({ text, record })
        if (found.length >= asked.limit || left <= 0) return page(`${id}:${offset}`)
      }
    } finally {
      await file.close()
    }
  }
  return page()
}
