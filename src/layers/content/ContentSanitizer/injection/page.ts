/**
 * A text as an array of its units, which is several times as fast to read as a string: a table look-up a unit, without
 * asking each time how the string is kept.
 */
import { KINDS, SPACE, START } from "./letters.ts"

export interface Page {
  readonly units: Uint16Array
  /** Where the text ends; a space stands there. */
  readonly size: number
}

/** Nearly all texts fit into one array that is kept. It is read and left before another text comes. */
const KEPT_UNITS = 1 << 14
const kept = new Uint16Array(KEPT_UNITS)
const keptBytes = Buffer.from(kept.buffer)

export const pageOf = (text: string): Page => {
  const fits = text.length < KEPT_UNITS
  const units = fits ? kept : new Uint16Array(text.length + 1)
  if (text.length < SHORT_UNITS) for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index)
  else (fits ? keptBytes : Buffer.from(units.buffer)).write(text, "utf16le")
  units[text.length] = SPACE_UNIT
  return { size: text.length, units }
}
/** Shorter texts are copied faster than a copy is ordered. */
const SHORT_UNITS = 128
const SPACE_UNIT = 0x20

export const kindAt = ({ size, units }: Page, index: number): number =>
  index < 0 || index >= size ? START : KINDS[units[index]!]!

export const isBetween = (kind: number): boolean => kind === SPACE || kind === START

export const isLetter = (page: Page, index: number): boolean => !isBetween(kindAt(page, index))

/** No word is longer than this. */
const WORD_MAX = 40

export const wordStart = (page: Page, index: number): number => {
  let start = index
  while (start > index - WORD_MAX && isLetter(page, start - 1)) start--
  return start
}
