/**
 * A random word (a key, a namespace, a token) that is made once and kept in a file for this user only, so that later processes have the same one.
 * So do processes that make it at the same time.
 */
import { randomBytes } from "node:crypto"
import { link, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, makeOwnDirectory, nameBeside } from "./ownFiles.ts"
import { readOwnSecret } from "./secretFiles.ts"

const FILE_MAX_BYTES = 1024

export interface Word {
  readonly path: string
  /** The number of its random bytes. */
  readonly bytes: number
  readonly encoding: "hex" | "base64url"
}

const isWhole = (text: string, { bytes, encoding }: Word): boolean =>
  text.length >= Math.ceil((bytes * 8) / (encoding === "hex" ? 4 : 6)) &&
  (encoding === "hex" ? /^[0-9a-f]+$/ : /^[\w-]+$/).test(text)

/** A word that is not kept. */
export const makeWord = ({ bytes, encoding }: Pick<Word, "bytes" | "encoding">): string =>
  randomBytes(bytes).toString(encoding)

/** `undefined` if the file contains something else. Rejects if the word can be neither kept nor read. */
export const keptOnce = async (word: Word): Promise<string | undefined> => {
  const { path } = word
  const read = async () => (await readOwnSecret(path, FILE_MAX_BYTES))?.text.trim()
  let known = await read()
  if (known === undefined) {
    makeOwnDirectory(dirname(path))
    const aside = `${nameBeside(path)}.tmp`
    try {
      await writeFile(aside, makeWord(word), { flag: "wx", mode: 0o600, flush: true })
      // By a link, so that nobody reads an incomplete file.
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
