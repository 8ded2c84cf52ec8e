/**
 * Changes lines in files of lines (lineFiles.ts) that other processes may write to meanwhile. The current file is rotated first, so that they begin a
 * new one; each file is replaced as a whole. What a process has still written to a file that was replaced is taken over. No line is lost; one that was
 * on its way at that moment may be there twice. Files of any size are read in blocks.
 */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { type FileHandle, lstat, open, readdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { LineFileNames } from "../schemas/data/LineFiles.ts"
import { withLock } from "./fileLock.ts"
import { ROTATION_LOCK } from "./lineFiles.ts"
import { fileSystemSays, ifThere, READING, replaceFile } from "./ownFiles.ts"

/** Returns the line to write instead, an empty one to remove it; `undefined` for one that stays. */
export type ChangeLine = (line: string) => string | undefined

const WAIT_MS = 5_000
const MODE = 0o600
const LINE_FEED = 10
const BLOCK_BYTES = 1024 * 1024
/** No line of ours is longer. */
const LINE_MAX_BYTES = 16 * BLOCK_BYTES

/** Whole lines, many at a time, but for the last one, which may have no end, and for parts of a line that is none of ours. */
async function* linesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for (let at = from; at < to;) {
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, to - at))
    const { bytesRead } = await file.read(block, 0, block.length, at)
    if (bytesRead === 0) break
    at += bytesRead
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)])
    const feed = bytes.lastIndexOf(LINE_FEED)
    const end = feed === -1 && bytes.length > LINE_MAX_BYTES ? bytes.length : feed + 1
    if (end > 0) yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield rest
}

const changed = (bytes: Buffer, change: ChangeLine) => {
  let count = 0
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const other = line === "" ? undefined : change(line)
      if (other === undefined) return [line]
      count++
      return other === "" ? [] : [other]
    })
  return count === 0 ? { bytes, count } : { bytes: Buffer.from(lines.join("\n")), count }
}

/** A file from a place on, with its lines changed. */
const changing = (file: FileHandle, change: ChangeLine) => {
  const all = { count: 0 }
  async function* parts(from: number, to: number) {
    for await (const lines of linesOf(file, from, to)) {
      const { bytes, count } = changed(lines, change)
      all.count += count
      yield bytes
    }
  }
  return { all, parts }
}

const hasChanges = async (file: FileHandle, size: number, change: ChangeLine): Promise<boolean> => {
  for await (const lines of linesOf(file, 0, size)) if (changed(lines, change).count > 0) return true
  return false
}

const rewriteFile = async (path: string, change: ChangeLine): Promise<number> => {
  // Does not follow a link.
  const file = await open(path, READING)
  try {
    const { size } = await file.stat()
    if (!(await hasChanges(file, size, change))) return 0
    const { all, parts } = changing(file, change)
    await replaceFile(path, parts(0, size))
    // Somebody who had opened the file before it was rotated may have written to it.
    const { size: now } = await file.stat()
    if (now > size) await writeFile(path, parts(size, now), { flag: "a", mode: MODE })
    return all.count
  } finally {
    await file.close()
  }
}

const rewrite = async (directory: string, names: LineFileNames, change: ChangeLine): Promise<number> => {
  const current = join(directory, names.current)
  const found = await ifThere(lstat(current))
  if (found?.isFile() === true && found.size > 0) {
    const name = names.rotatedName(
      names.rotatedAmong(await readdir(directory)),
      Date.now(),
      randomBytes(4).toString("hex")
    )
    await rename(current, join(directory, name))
  }
  let count = 0
  for (const name of names.rotatedAmong((await ifThere(readdir(directory))) ?? [])) {
    count += (await ifThere(rewriteFile(join(directory, name), change))) ?? 0
  }
  return count
}

/** Returns how many lines were changed; fails with words. */
export const rewriteLines = (
  directory: string,
  names: LineFileNames,
  change: ChangeLine
): Effect.Effect<number, string> =>
  Effect.gen(function* () {
    const isThere = yield* attempt(async () => (await ifThere(lstat(directory)))?.isDirectory() === true)
    if (!isThere) return 0
    yield* withLock(join(directory, ROTATION_LOCK), WAIT_MS, "the files")
    return yield* attempt(() => rewrite(directory, names, change))
  }).pipe(Effect.scoped)

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: fileSystemSays })
