/** Turns foreign file names into names that are valid in any file system and text. */
import { FILE_NAME_MAX_BYTES } from "../defaults/Orders.ts"

/** Device names on Windows, with anything after the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i
const ENDING = /\.[\p{L}\p{N}]{1,8}(?:\.[\p{L}\p{N}]{1,8})?$/u
/** A longer name is cut before anything else is done with it. */
const LOOKED_AT_CHARS = 4 * 1024

const bytesOf = (text: string) => Buffer.byteLength(text)

/** The longest prefix that fits, without splitting a character. */
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
 * The last part of a path, without control, invisible and bidirectional characters and those with a meaning on some system;
 * never empty, reserved or too long. Returns `otherwise` if nothing is left.
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

/** A name that differs from all taken ones, also if case is ignored; marks it as taken. */
export const uniqueFileName = (name: string, taken: Set<string>): string => {
  const [stem, ending] = split(name)
  let unique = name
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`
  taken.add(unique.toLowerCase())
  return unique
}
