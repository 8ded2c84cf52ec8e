/**
 * Takes out what is part of some writing and hides something anywhere else: the blank cell of Braille, joiners and
 * blanks of hieroglyphs, the filler of Khitan, the empty notehead, more marks than any letter carries. The separators of lines and paragraphs become line feeds: a model may
 * not see the break, and who writes one hides nothing.
 */
import { MARK, PILE_MAX } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const SEPARATORS = /[\u2028\u2029]/g
/** In drawings they stand beside other cells. Elsewhere each becomes a space, so that columns stay where they are. */
const BLANK_CELLS = /(?<![\u2800-\u28ff])\u2800+(?![\u2800-\u28ff])/g

/** Signs that group hieroglyphs, and the blanks that fill a group. */
const JOINER = String.raw`[\u{13430}-\u{1343f}\u{13441}\u{13442}]`
const HIEROGLYPH = String.raw`[\u{13000}-\u{143ff}]`
/** As many as groups within groups need, beside a hieroglyph. */
const JOINERS_MAX = 8
const JOINERS = new RegExp(
  `(?<!${HIEROGLYPH})${JOINER}+(?!${HIEROGLYPH})|(?<=${JOINER}{${JOINERS_MAX}})${JOINER}+`,
  "gu"
)
const EMPTY_NOTES = /(?<![\u{1d100}-\u{1d1ff}])\u{1d159}+(?![\u{1d100}-\u{1d1ff}])/gu
const FILLERS = /(?<![\u{16fe4}\u{18b00}-\u{18cff}])\u{16fe4}+|(?<=\u{16fe4})\u{16fe4}+/gu
/** A joiner between two marks does not end a pile: it goes with the mark behind it. */
const HELD = "[\u200b-\u200d]?"
const PILES = new RegExp(
  `(?<=${MARK.source}(?:${HELD}${MARK.source}){${PILE_MAX - 1}})(?:${HELD}${MARK.source})+${HELD}`,
  "gv"
)

export const stripStrays = (text: string, tally: Tally): string => {
  const counted = (detail: string, stray: string, instead = "") => {
    tally.add("hiddenUnicode", detail)
    return instead.repeat(stray.length)
  }
  return text
    .replace(SEPARATORS, "\n")
    .replace(BLANK_CELLS, (stray) => counted("blank cells of Braille", stray, " "))
    .replace(JOINERS, (stray) => counted("joiners of hieroglyphs", stray))
    .replace(EMPTY_NOTES, (stray) => counted("empty noteheads", stray))
    .replace(FILLERS, (stray) => counted("fillers of Khitan", stray))
    .replace(PILES, (stray) => counted("piles of combining marks", stray))
}
