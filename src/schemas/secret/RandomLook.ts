/**
 * Whether a text looks random, like tokens and keys. A value that a stranger calls a token counts as a secret only if it
 * does: otherwise they could have any word, path or URL masked and withheld from every other server. Pure and linear.
 *
 * It cannot distinguish secrets from public random values (UUIDs, digests, ids) and from base64 of binary data.
 */
import { SECRET_PART_MAX_CHARS, SECRET_RANDOM_PIECE_MIN_CHARS, SECRET_STRANGE_MIN_BITS } from "../defaults/Secrets.ts"

/** Headers cannot carry anything else. With a line break, the single lines would become secrets. */
const VISIBLE = /^[\x21-\x7e]+$/
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
/** What separates letters and digits; zeros in base64; long runs of one kind, which are padding or counters. */
const BETWEEN = /([^A-Za-z\d]+|A{2,}|[a-z]{24,}|[A-Z]{24,}|\d{24,})/
/** Words and numbers: long in meaningful text, short in random letters and digits. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g

const HEX = /^(?:[\da-f]+|[\dA-F]+)$/
/** The longest average length of words and numbers in random text, for each alphabet of tokens. */
const [ONE_CASE_WORD_CHARS, CASES_WORD_CHARS, LETTERS_WORD_CHARS] = [6, 3.2, 3]
/** With one case only, fewer words and numbers may be a name: `s3bucketeuwest1prod2024`. */
const ONE_CASE_MIN_WORDS = 7
const HEX_MIN_WORDS = 3

/** The bits per random character in these alphabets. */
const [HEX_BITS, ONE_CASE_BITS, CASES_BITS] = [4, 5, 5.9]

const wordsIn = (piece: string): number => piece.match(WORD)?.length ?? 0

/** How many random bits a piece has; 0 for a meaningful one. */
const bitsOf = (piece: string): number => {
  const words = wordsIn(piece)
  const within = (wordChars: number, bits: number) => (piece.length <= wordChars * words ? bits * piece.length : 0)
  if (!/\d/.test(piece)) return within(LETTERS_WORD_CHARS, CASES_BITS)
  if (/[a-z]/.test(piece) && /[A-Z]/.test(piece)) return within(CASES_WORD_CHARS, CASES_BITS)
  if (HEX.test(piece)) return words < HEX_MIN_WORDS ? 0 : within(ONE_CASE_WORD_CHARS, HEX_BITS)
  return words < ONE_CASE_MIN_WORDS ? 0 : within(ONE_CASE_WORD_CHARS, ONE_CASE_BITS)
}

/** The text that a piece of base64 decodes to, at any of the four offsets; `undefined` when it is not text. */
const textIn = (piece: string): string | undefined =>
  [0, 1, 2, 3]
    .map((from) => Buffer.from(piece.slice(from), "base64").toString("latin1"))
    .find((text) => /^[\t\r\n\x20-\x7e]+$/.test(text))

export const looksRandom = (text: string): boolean => {
  if (!VISIBLE.test(text)) return false
  let [long, short, since] = [0, 0, 0]
  for (const piece of text.replace(UUID, (uuid) => uuid.replaceAll("-", "")).split(BETWEEN)) {
    const isLong = piece.length >= SECRET_RANDOM_PIECE_MIN_CHARS
    // Base64url that was split at a `-` or `_`.
    if (!isLong && wordsIn(piece) > 1) short += ONE_CASE_BITS * piece.length
    const bits = isLong ? bitsOf(piece) : 0
    if (bits === 0) {
      since += piece.length
      // A long value is searched in parts, so each part must look random.
      if (since >= SECRET_PART_MAX_CHARS / 2) return false
      continue
    }
    since = 0
    const said = textIn(piece)
    if (said === undefined || looksRandom(said.replace(/\s/g, "."))) long += bits
  }
  return long > 0 && long + short >= SECRET_STRANGE_MIN_BITS
}
