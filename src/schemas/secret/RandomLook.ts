/**
 * Whether a text looks like chance, as tokens and keys do, so that nobody writes it in any other sense. What a stranger
 * chose as a token is a secret by this alone: a word, a path or an address that they gave for one would be masked, and
 * withheld from every other server. Pure; linear in the length of the text.
 *
 * What is not told apart: public values that were random once (UUIDs, digests, ids), and base64 of what is no text.
 */
import { SECRET_PART_MAX_CHARS, SECRET_RANDOM_PIECE_MIN_CHARS, SECRET_STRANGE_MIN_BITS } from "../defaults/Secrets.ts"

/** No header carries anything else. A line break would make secrets of the single lines. */
const VISIBLE = /^[\x21-\x7e]+$/
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi
/** What stands between letters and digits; zeros in base64; what is of one kind for so long is padding, or counted up. */
const BETWEEN = /([^A-Za-z\d]+|A{2,}|[a-z]{24,}|[A-Z]{24,}|\d{24,})/
/** Words and numbers, which are long in a text that means something, and short where letters and digits follow by chance. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g

const HEX = /^(?:[\da-f]+|[\dA-F]+)$/
/** The longest that words and numbers are on average by chance, in each alphabet that tokens are written in. */
const [ONE_CASE_WORD_CHARS, CASES_WORD_CHARS, LETTERS_WORD_CHARS] = [6, 3.2, 3]
/** With one case only, fewer words and numbers may be a name: `s3bucketeuwest1prod2024`. */
const ONE_CASE_MIN_WORDS = 7
const HEX_MIN_WORDS = 3

/** What each character says in these alphabets where it is random. */
const [HEX_BITS, ONE_CASE_BITS, CASES_BITS] = [4, 5, 5.9]

const wordsIn = (piece: string): number => piece.match(WORD)?.length ?? 0

/** How much of a piece is chance; 0 for one that means something. */
const bitsOf = (piece: string): number => {
  const words = wordsIn(piece)
  const within = (wordChars: number, bits: number) => (piece.length <= wordChars * words ? bits * piece.length : 0)
  if (!/\d/.test(piece)) return within(LETTERS_WORD_CHARS, CASES_BITS)
  if (/[a-z]/.test(piece) && /[A-Z]/.test(piece)) return within(CASES_WORD_CHARS, CASES_BITS)
  if (HEX.test(piece)) return words < HEX_MIN_WORDS ? 0 : within(ONE_CASE_WORD_CHARS, HEX_BITS)
  return words < ONE_CASE_MIN_WORDS ? 0 : within(ONE_CASE_WORD_CHARS, ONE_CASE_BITS)
}

/** What a piece of base64 says, wherever in four characters it begins; `undefined` for what is no text. */
const textIn = (piece: string): string | undefined =>
  [0, 1, 2, 3]
    .map((from) => Buffer.from(piece.slice(from), "base64").toString("latin1"))
    .find((text) => /^[\t\r\n\x20-\x7e]+$/.test(text))

export const looksRandom = (text: string): boolean => {
  if (!VISIBLE.test(text)) return false
  let [long, short, since] = [0, 0, 0]
  for (const piece of text.replace(UUID, (uuid) => uuid.replaceAll("-", "")).split(BETWEEN)) {
    const isLong = piece.length >= SECRET_RANDOM_PIECE_MIN_CHARS
    // Of base64url, where a `-` or a `_` cut it off.
    if (!isLong && wordsIn(piece) > 1) short += ONE_CASE_BITS * piece.length
    const bits = isLong ? bitsOf(piece) : 0
    if (bits === 0) {
      since += piece.length
      // A long value is looked for in parts, and each part is a secret by itself.
      if (since >= SECRET_PART_MAX_CHARS / 2) return false
      continue
    }
    since = 0
    const said = textIn(piece)
    if (said === undefined || looksRandom(said.replace(/\s/g, "."))) long += bits
  }
  return long > 0 && long + short >= SECRET_STRANGE_MIN_BITS
}
