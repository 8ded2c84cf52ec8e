/** Reads a file of variables (`.env`) that another file names. Synchronous, because decoding a configuration is. */
import { readFileSync, statSync } from "node:fs"

const MAX_BYTES = 256 * 1024

/** `undefined` for a file that is missing, too large or no file. */
export const readVariablesFile = (path: string): string | undefined => {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined
  } catch {
    return undefined
  }
}
