/**
 * Replaces letters that only look Latin: mathematical letters, and look-alikes from other alphabets within a Latin word.
 * Every character keeps its position.
 */
import { foldCodePoint } from "../fold.ts"
import { DIGIT } from "./letters.ts"

export const undisguised = (text: string): string => {
  const plain = text.replace(STYLED_PAIRS, unstyled)
  return MIXED.test(plain) ? plain.replace(WORD, (word) => (MIXED.test(word) ? asLatin(word) : word)) : plain
}

// ---- mathematical letters ----------------------------------------------------------------------------------------------

/** The letter for a surrogate pair that is a mathematical letter, by its second unit. */
const symbolOfStyled = (low: number): number => {
  const place = low - 0xdc00
  if (place < 0x2a4) return ((place % 52) % 26) + 1
  return place >= 0x3ce && place < 0x400 ? DIGIT : NONE
}

/** Mathematical letters are two units. They are replaced by the letter and one unit that is ignored. */
const STYLED_PAIRS = /\ud835[\udc00-\udfff]/g
const unstyled = (pair: string): string => {
  const symbol = symbolOfStyled(pair.charCodeAt(1))
  return `\xad${symbol <= LETTERS ? String.fromCharCode(symbol + 0x60) : " "}`
}
const LETTERS = 26
const NONE = 0xff

// ---- look-alikes -------------------------------------------------------------------------------------------------------

/** A Latin letter next to a Greek or Cyrillic one. */
const MIXED = /[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]/
const WORD = /[A-Za-z\u0370-\u052f]+/g

const asLatin = (word: string) =>
  Array.from(word, (char) => {
    const read = char < "\x80" ? char : foldCodePoint(char.codePointAt(0) ?? 0)
    return /^[a-z]$/i.test(read) ? read : char
  }).join("")
