/**
 * Folds a character to what it looks like: a lower-case ASCII letter, a digit, or one of a few signs. For comparisons only;
 * output is never folded.
 *
 * The result: letters and digits; `&` for what reads as e and as t, `%` for what reads as c and as s; `\n` for line breaks, a
 * space for other white space; `<` `>` `[` `]` `|` `/` `=` `"` and `,` for these and what looks like them; `_` for all other
 * signs; `~` for letters that look like none of ours; nothing for marks, controls and what has no width.
 */
import { ALPHABETS, LETTERS, SIGNS } from "./lookalikes.ts"

const IGNORED = /^[\p{M}\p{DI}\p{Cf}\p{Cc}]$/u
const LINE_BREAK = /^[\n\r\x85\u2028\u2029]$/
const SPACE = /^[\s\p{Z}\u2800]$/u
/** Modifier letters between others act like signs: the long vowel mark, the stretched connector. */
const SIGN = /^[\p{P}\p{S}\p{Lm}]$/u
const READABLE = /^[a-z0-9<>[\]|/=",_ &%]{1,4}$/

const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [...LETTERS, ...SIGNS].flatMap(([reads, lookalikes]) =>
    Array.from(lookalikes, (char): [string, string] => [char, reads])
  )
)

export const foldCodePoint = (codePoint: number): string => {
  if (codePoint < 0x80) return foldAscii(codePoint)
  const char = String.fromCodePoint(codePoint)
  if (LINE_BREAK.test(char)) return "\n"
  if (SPACE.test(char)) return " "
  return foldLookalike(char) ?? foldDecomposed(char) ?? foldByClass(char)
}

const foldAscii = (code: number): string => {
  const char = String.fromCharCode(code).toLowerCase()
  if (char === "\n" || char === "\r") return "\n"
  if (char === "\t" || char === " ") return " "
  if (code < 0x20 || code === 0x7f) return ""
  if (/[a-z0-9<>[\]|/=",]/.test(char)) return char
  return ASCII_SIGNS[char] ?? "_"
}

const ASCII_SIGNS: Record<string, string> = { "@": "a", $: "s", "{": "[", "}": "]" }

const foldLookalike = (char: string): string | undefined => {
  const read = LOOKALIKES.get(char)
  if (read !== undefined) return read
  if (IGNORED.test(char)) return ""
  const codePoint = char.codePointAt(0) ?? 0
  const alphabet = ALPHABETS.find((start) => codePoint >= start && codePoint < start + 26)
  if (alphabet !== undefined) return String.fromCharCode(0x61 + codePoint - alphabet)
  return LOOKALIKES.get(char.toUpperCase()) ?? LOOKALIKES.get(char.toLowerCase())
}

/** Decomposes accented, full-width, mathematical, circled and ligature forms. */
const foldDecomposed = (char: string): string | undefined => {
  const parts = char.normalize("NFKD")
  if (parts === char) return undefined
  const folded = Array.from(parts, (part) => foldCodePoint(part.codePointAt(0) ?? 0)).join("")
  return READABLE.test(folded) ? folded : undefined
}

const foldByClass = (char: string): string => (SIGN.test(char) ? "_" : "~")
