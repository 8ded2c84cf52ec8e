/**
 * The texts that a list of numbers or short texts may spell: as bytes, letters or digits. Pure, linear, and nearly free for
 * other lists.
 */
import { LIST_LETTERS_MAX_CHARS, SECRET_MASK_MIN_CHARS } from "../defaults/Secrets.ts"
import { atOnce, type InTurns } from "./InTurns.ts"

/** Longer texts are words of their own. */
const isLetters = (item: unknown): boolean => typeof item === "string" && item.length <= LIST_LETTERS_MAX_CHARS
const isWhole = (item: unknown): item is number => typeof item === "number" && Number.isSafeInteger(item)
/** Some languages count the upper half of the bytes from -128. */
const isByte = (item: number): boolean => item >= -0x80 && item <= 0xff
const isCodePoint = (item: number): boolean => item >= 0 && item <= 0x10ffff

/** Items per step. */
const TURN_ITEMS = 8_192

/**
 * The texts that a list may spell: its bytes or code points as text, and its items joined. Empty for a list with anything but
 * integers and short texts, and for one that is too short for a secret. Works in steps.
 */
export function* textsInTurns(list: ReadonlyArray<unknown>): InTurns<ReadonlyArray<string>> {
  if (list.length < 2 || !(isWhole(list[0]) || isLetters(list[0]))) return NO_TEXTS
  let [items, characters]: [string, string | undefined] = ["", ""]
  let bytes: Array<Buffer> | undefined = []
  for (let from = 0; from < list.length; from += TURN_ITEMS) {
    if (from > 0) yield
    const some = list.length <= TURN_ITEMS ? list : list.slice(from, from + TURN_ITEMS)
    if (!some.every((item) => isWhole(item) || isLetters(item))) return NO_TEXTS
    items += some.join("")
    const areWhole = some.every(isWhole)
    bytes = areWhole && bytes !== undefined && some.every(isByte) ? [...bytes, Buffer.from(some)] : undefined
    characters =
      areWhole && characters !== undefined && some.every(isCodePoint)
        ? characters + some.map((item) => String.fromCodePoint(item)).join("")
        : undefined
  }
  const texts = [items, bytes === undefined ? "" : Buffer.concat(bytes).toString("utf8"), characters ?? ""]
  return [...new Set(texts)].filter((text) => text.trim().length >= SECRET_MASK_MIN_CHARS)
}

const NO_TEXTS: ReadonlyArray<string> = []

/** The same without yielding. */
export const textsOf = (list: ReadonlyArray<unknown>): ReadonlyArray<string> => atOnce(textsInTurns(list))
