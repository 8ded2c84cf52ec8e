/**
 * What a list of numbers, or of short texts, may spell: a text in bytes, letter by letter, or digit by digit. Pure; linear,
 * and nearly free for lists of words, objects or fractions.
 */
import { LIST_LETTERS_MAX_CHARS, SECRET_MASK_MIN_CHARS } from "./defaults/Secrets.ts"

/** Longer ones are words of their own. */
const isLetters = (item: unknown): boolean => typeof item === "string" && item.length <= LIST_LETTERS_MAX_CHARS
const isWhole = (item: unknown): item is number => typeof item === "number" && Number.isSafeInteger(item)
/** Some languages count the upper half of all bytes from -128 on. */
const isByte = (item: number): boolean => item >= -0x80 && item <= 0xff
const isCodePoint = (item: number): boolean => item >= 0 && item <= 0x10ffff

/**
 * The texts that a list may stand for: its bytes or code points as text, and its items put together. None for a list that
 * has anything but whole numbers and short texts in it, and none that is too short to be a secret.
 */
export const textsOf = (list: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  if (list.length < 2 || !list.every((item) => isWhole(item) || isLetters(item))) return []
  const texts = [list.join("")]
  if (list.every(isWhole)) {
    if (list.every(isByte)) texts.push(Buffer.from(list).toString("utf8"))
    if (list.every(isCodePoint)) texts.push(list.map((item) => String.fromCodePoint(item)).join(""))
  }
  return [...new Set(texts)].filter((text) => text.trim().length >= SECRET_MASK_MIN_CHARS)
}
