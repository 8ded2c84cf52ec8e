/**
 * A random word that is made up once, in a file for this user alone, and found again by every later process: a key, a
 * namespace, a token. Processes that make it at once end up with the same one.
 */
import { randomBytes } from "node:crypto"
import { link, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, makeOwnDirectory, nameBeside } from "./ownFiles.ts"
import { readOwnSecret } from "./secretFiles.ts"

const FILE_MAX_BYTES = 1024

export interface Word {
  readonly path: string
  /** Random bytes in it. */
  readonly bytes: number
  readonly encoding: "hex" | "base64url"
}

const isWhole = (text: string, { bytes, encoding }: Word): boolean =>
  text.length >= Math.ceil((bytes * 8) / (encoding === "hex" ? 4 : 6)) &&
  (encoding === "hex" ? /^[0-9a-f]+$/ : /^[\w-]+$/).test(text)

/** What a process has in place of one that it cannot keep. */
export const makeWord = ({ bytes, encoding }: Pick<Word, "bytes" | "encoding">): string =>
  randomBytes(bytes).toString(encoding)

/** `undefined` when something else is in its place. Rejects where it can be neither kept nor found. */
export const keptOnce = async (word: Word): Promise<string | undefined> => {
  const { path } = word
  const read = async () => (await readOwnSecret(path, FILE_MAX_BYTES))?.text.trim()
  let known = await read()
  if (known === undefined) {
    makeOwnDirectory(dirname(path))
    const aside = `${nameBeside(path)}.tmp`
    try {
      await writeFile(aside, makeWord(word), { flag: "wx", mode: 0o600, flush: true })
      // Whole, or not there: nobody reads half of it.
      await link(aside, path)
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error
    } finally {
      await rm(aside, { force: true }).catch(() => {})
    }
    known = await read()
  }
  return known !== undefined && isWhole(known, word) ? known : undefined
}
