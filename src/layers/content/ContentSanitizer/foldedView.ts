/**
 * A text as a reader sees it: every character folded and every escape decoded, with a mapping from each position in the view
 * to the original text. Built in one pass.
 */
import { decodeAt, mayEscape } from "./decode.ts"
import { foldCodePoint } from "./fold.ts"
import { memoUpTo } from "../../../schemas/data/Memo.ts"

export interface Span {
  readonly start: number
  readonly end: number
}

export interface View {
  readonly text: string
  /** The span in the source for a span of the view. */
  readonly toSource: (span: Span) => Span
}

export const viewOf = (source: string): View => {
  // Almost every character folds to one; ligatures that fold to more get more room below.
  let letters = Buffer.allocUnsafe(source.length + ROOM)
  let origins = new Int32Array(source.length + ROOM)
  let size = 0

  const push = (folded: string, origin: number) => {
    if (size + folded.length + 1 >= letters.length) {
      letters = Buffer.concat([letters], letters.length * 2)
      origins = enlarged(origins)
    }
    for (let index = 0; index < folded.length; index++) {
      letters[size] = folded.charCodeAt(index)
      origins[size++] = origin
    }
  }

  let index = 0
  while (index < source.length) {
    const code = source.charCodeAt(index)
    const quick = mayEscape(code) ? NOT_ONE : foldedUnit(code)
    if (quick !== NOT_ONE && size + 1 < letters.length) {
      letters[size] = quick
      origins[size++] = index++
      continue
    }
    const decoded = mayEscape(code) ? decodeAt(source, index) : undefined
    const codePoint = decoded?.codePoint ?? source.codePointAt(index) ?? 0
    push(foldCached(codePoint), index)
    index = decoded?.end ?? index + (codePoint > 0xffff ? 2 : 1)
  }
  origins[size] = source.length

  return {
    text: letters.toString("latin1", 0, size),
    toSource: ({ end, start }) => {
      // If one character of the source became several of the view, the span covers all of them.
      let next = end
      while (next < size && origins[next] === origins[end - 1]) next++
      return { start: origins[start]!, end: origins[next]! }
    }
  }
}

const ROOM = 16

const enlarged = (origins: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(origins.length * 2)
  larger.set(origins)
  return larger
}

/** Folds once computed. Of the other planes only some: a text may have any number of different characters from them. */
const OTHER_PLANES_MAX = 8192
const foldOther = memoUpTo(OTHER_PLANES_MAX, foldCodePoint)
// Module state: what a pure function returns, kept by code point. A look-up in an array costs a tenth of one in a map.
const basicPlane: Array<string | undefined> = Array.from({ length: 0x10000 })

export const foldCached = (codePoint: number): string =>
  codePoint <= 0xffff ? (basicPlane[codePoint] ??= foldCodePoint(codePoint)) : foldOther(codePoint)

/** For a unit that folds to no character or several, or is half of a character. */
export const NOT_ONE = 0xff

/** The fold of a single unit, if it is one character. */
export const foldedUnit = (unit: number): number => UNITS[unit]! || learn(unit)

// Module state: the same by unit; 0 until the unit was met.
const UNITS = new Uint8Array(0x1_0000)

const learn = (unit: number): number => {
  const folded = unit >= 0xd800 && unit <= 0xdfff ? "" : foldCached(unit)
  return (UNITS[unit] = folded.length === 1 ? folded.charCodeAt(0) : NOT_ONE)
}
