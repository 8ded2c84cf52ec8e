/**
 * Marks every word of a text with a sign that does not occur in it, so that a model can tell for each word that it is data.
 * Removing the mark gives the text back unchanged.
 */
import { MARK_EVERY_CHARS, MARK_WORD_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { mapWords } from "../../../schemas/data/Whitespace.ts"
import { freshByte } from "./boundary.ts"

/** Visible, rare, and not part of a letter or emoji. Their number is a power of two, so that all are equally likely. */
export const MARKS = [..."▖▗▘▙▚▛▜▝▞▟▣▤▥▦▧▨▩◐◑◒◓◔◕◖◗◧◨◩◪◫◰◱◲◳◴◵◶◷⬒⬓⬔⬕⬖⬗⬘⬙⧄⧅⧆⧇⧈⟐⟡⟢⟣⍁⍂⍃⍄⍇⍈⍌⍐⍓"]

/** How many marks of one length are tried before longer ones. */
const TRIES = 8

/**
 * A mark that does not occur in the text and cannot be predicted: one sign, or a sequence of different ones for a text with
 * nearly all of them. No sign occurs twice in a row, so no part of a mark can be mistaken for its beginning.
 */
export const chooseMark = (text: string): string => {
  for (let length = 1; ; length++) {
    for (let tries = 0; tries < TRIES; tries++) {
      const mark = randomRow(length)
      if (!text.includes(mark)) return mark
    }
  }
}

const randomRow = (length: number): string => {
  const row: Array<string> = []
  while (row.length < length) {
    const mark = MARKS[freshByte() % MARKS.length]!
    if (!row.includes(mark)) row.push(mark)
  }
  return row.join("")
}

/** What belongs to the character before it: marks, joiners, selectors, tags, modifiers, the second part of a syllable. */
const JOINED = String.raw`[\p{M}\p{EMod}\p{DI}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]`
/** What belongs to the character after it: joiners, halves of flags, signs before numbers, stackers of consonants. */
const JOINING = String.raw`[\u200d\p{RI}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u0d4e\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\u1100-\u115f\ua960-\ua97c]`

/** The most that belongs to one character: an unlimited expression runs out of memory on long texts. */
const JOINED_MAX = 64

const LEADING = new RegExp(`^${JOINED}{1,${JOINED_MAX}}`, "u")
/** The characters that one mark covers, each with all that belongs to it. It always matches, so nothing is tried twice. */
const PIECE = new RegExp(`(?:[^](?:${JOINED}|(?<=${JOINING})[^]){0,${JOINED_MAX}}){1,${MARK_EVERY_CHARS}}`, "gu")

/** The text with the mark before every word, and inside long ones. White space is unchanged. */
export const datamark = (text: string, mark: string): string =>
  mapWords(text, (word) => {
    const leading = LEADING.exec(word)?.[0] ?? ""
    const rest = word.slice(leading.length)
    const isLong = word.length > (UNSPACED.test(word) ? MARK_EVERY_CHARS : MARK_WORD_MAX_CHARS)
    if (isLong) return leading + rest.replace(PIECE, `${mark}$&`)
    return rest === "" ? word : leading + mark + rest
  })

/** Scripts that are written without spaces between words. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffff]/
