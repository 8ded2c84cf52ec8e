/**
 * Marks every word of a text with a sign that is not in it, so that a model sees of each whether it is data. Taking the
 * mark out of the result gives the text back: nothing else of it is touched.
 */
import { MARK_EVERY_CHARS, MARK_WORD_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { mapWords } from "../../../schemas/data/Whitespace.ts"
import { freshByte } from "./boundary.ts"

/** Visible, rare, and no part of a letter or of an emoji. A power of two of them, so that each is as likely as another. */
export const MARKS = [..."▖▗▘▙▚▛▜▝▞▟▣▤▥▦▧▨▩◐◑◒◓◔◕◖◗◧◨◩◪◫◰◱◲◳◴◵◶◷⬒⬓⬔⬕⬖⬗⬘⬙⧄⧅⧆⧇⧈⟐⟡⟢⟣⍁⍂⍃⍄⍇⍈⍌⍐⍓"]

/** Marks of one length are tried so often before longer ones are. */
const TRIES = 8

/**
 * A mark that does not occur in the text and that nobody could have foreseen: one sign, or a row of different ones for a
 * text that has nearly all of them. As no sign comes twice in a row, no part of one can be taken for the mark's beginning.
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
/** What the character after it belongs to: joiners, halves of flags, signs in front of numbers, stackers of consonants. */
const JOINING = String.raw`[\u200d\p{RI}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u0d4e\u094d\u09cd\u0a4d\u0acd\u0b4d\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1bab\ua9c0\uaaf6\u1100-\u115f\ua960-\ua97c]`

/** No more belongs to one character: an expression that goes on for as long as a text does runs out of memory. */
const JOINED_MAX = 64

const LEADING = new RegExp(`^${JOINED}{1,${JOINED_MAX}}`, "u")
/** As many characters as a mark may cover, each with all that belongs to it. It always matches, so nothing is tried twice. */
const PIECE = new RegExp(`(?:[^](?:${JOINED}|(?<=${JOINING})[^]){0,${JOINED_MAX}}){1,${MARK_EVERY_CHARS}}`, "gu")

/** The text with the mark before every word, and within long ones. White space is as it was. */
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
