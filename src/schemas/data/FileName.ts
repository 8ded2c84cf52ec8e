/** Names of files that strangers have chosen, as names that any file system, and any text, can hold. */
import { FILE_NAME_MAX_BYTES } from "../defaults/Orders.ts"

/** Windows has these for devices, whatever comes behind the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i
const ENDING = /\.[\p{L}\p{N}]{1,8}(?:\.[\p{L}\p{N}]{1,8})?$/u
/** What is looked at: a name that is longer is cut before anything else is done with it. */
const LOOKED_AT_CHARS = 4 * 1024

const bytesOf = (text: string) => Buffer.byteLength(text)

/** The beginning that fits, without half a character. */
const cut = (text: string, maxBytes: number): string => {
  let [kept, bytes] = ["", 0]
  for (const char of text) {
    bytes += bytesOf(char)
    if (bytes > maxBytes) break
    kept += char
  }
  return kept
}

const split = (name: string): readonly [stem: string, ending: string] => {
  const ending = ENDING.exec(name)?.[0] ?? ""
  return ending.length === name.length ? [name, ""] : [name.slice(0, name.length - ending.length), ending]
}

/**
 * The last part of what may be a path, without controls, invisible and bidirectional characters, and what some system gives a
 * meaning; never empty, never reserved, never too long. `otherwise` where nothing is left of it.
 */
export const safeFileName = (given: string | undefined, otherwise: string): string => {
  const last = (given ?? "").slice(-LOOKED_AT_CHARS).split(/[/\\]/).at(-1) ?? ""
  const plain = last
    .toWellFormed()
    .normalize("NFC")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufffd]/gu, "")
    .replace(/\p{Zs}+/gu, " ")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[\s.~-]+|[\s.]+$/g, "")
  const [stem, ending] = split(plain)
  const bounded =
    bytesOf(plain) <= FILE_NAME_MAX_BYTES
      ? plain
      : `${cut(stem, FILE_NAME_MAX_BYTES - bytesOf(ending)).trimEnd()}${ending}`
  if (bounded === "") return otherwise
  return RESERVED.test(bounded) ? `_${bounded}` : bounded
}

/** Different from all that are taken, also where case makes no difference; it is taken from now on. */
export const uniqueFileName = (name: string, taken: Set<string>): string => {
  const [stem, ending] = split(name)
  let unique = name
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`
  taken.add(unique.toLowerCase())
  return unique
}
