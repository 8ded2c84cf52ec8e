/**
 * Changes lines in files of lines (lineFiles.ts) that other processes may write to meanwhile. The current file is rotated first, so that they begin a
 * new one; each file is replaced as a whole. What a process has still written to a file that was replaced is taken over. No line is lost; one that was
 * on its way at that moment may be there twice.
 */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { appendFile, lstat, open, readdir, rename } from "node:fs/promises"
import { join } from "node:path"
import type { LineFileNames } from "../schemas/data/LineFiles.ts"
import { withLock } from "./fileLock.ts"
import { ROTATION_LOCK } from "./lineFiles.ts"
import { fileSystemSays, ifThere, READING, replaceFile } from "./ownFiles.ts"

/** Returns the line to write instead, an empty one to remove it; `undefined` for one that stays. */
export type ChangeLine = (line: string) => string | undefined

const WAIT_MS = 5_000
const MODE = 0o600

const changed = (text: string, change: ChangeLine) => {
  let count = 0
  const lines = text.split("\n").flatMap((line) => {
    const other = line === "" ? undefined : change(line)
    if (other === undefined) return [line]
    count++
    return other === "" ? [] : [other]
  })
  return { text: lines.join("\n"), count }
}

const rewriteFile = async (path: string, change: ChangeLine): Promise<number> => {
  // Does not follow a link.
  const file = await open(path, READING)
  try {
    const bytes = await file.readFile()
    const first = changed(bytes.toString("utf8"), change)
    if (first.count === 0) return 0
    await replaceFile(path, first.text)
    // Somebody who had opened the file before it was rotated may have written to it.
    const { size } = await file.stat()
    if (size <= bytes.length) return first.count
    const late = Buffer.alloc(size - bytes.length)
    await file.read(late, 0, late.length, bytes.length)
    const more = changed(late.toString("utf8"), change)
    await appendFile(path, more.text, { mode: MODE })
    return first.count + more.count
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
