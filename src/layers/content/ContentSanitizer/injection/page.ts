/**
 * A text as an array of its units, which is read several times as fast as a string: one table look-up per unit, independent
 * of the string's representation.
 */
import { KINDS, SPACE, START } from "./letters.ts"

export interface Page {
  readonly units: Uint16Array
  /** The end of the text, where a space is stored. */
  readonly size: number
}

/** Nearly all texts fit into one array that is reused. A text is finished before the next one begins. */
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
/** Shorter texts are copied faster by a loop. */
const SHORT_UNITS = 128
const SPACE_UNIT = 0x20

export const kindAt = ({ size, units }: Page, index: number): number =>
  index < 0 || index >= size ? START : KINDS[units[index]!]!

export const isBetween = (kind: number): boolean => kind === SPACE || kind === START

export const isLetter = (page: Page, index: number): boolean => !isBetween(kindAt(page, index))

/** The longest word. */
const WORD_MAX = 40

export const wordStart = (page: Page, index: number): number => {
  let start = index
  while (start > index - WORD_MAX && isLetter(page, start - 1)) start--
  return start
}
