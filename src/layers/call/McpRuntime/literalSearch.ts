/**
 * Finds a literal text in a long one, ignoring case, in linear time for every input: the search never goes back in the text
 * (Knuth, Morris, Pratt). The text comes in parts, so that nobody needs to hold all of it.
 */
import { lazy } from "../../../schemas/data/Memo.ts"

export interface Match {
  readonly start: number
  readonly end: number
  /** The line of its first character, counted from 1. */
  readonly line: number
}

/** The matches in the next part of the text, including those that began in the previous part. */
export type SearchPart = (part: string) => Generator<Match>

/** Matches within `from` and `to` that do not overlap, in order. */
export const literalSearch = (wanted: string, from: number, to: number): SearchPart => {
  const lower = lowerCase()
  const units = Array.from({ length: wanted.length }, (_, i) => lower[wanted.charCodeAt(i)]!)
  const fallback = fallbackOf(units)
  const breaksWithin = units.slice(0, -1).filter((unit) => unit === LINE_FEED).length
  let [line, matched, begin] = [1, 0, 0]
  return function* (part) {
    const start = begin
    begin += part.length
    const end = Math.min(to, begin)
    for (let place = start; place < end; place++) {
      const unit = part.charCodeAt(place - start)
      if (place >= from) {
        const folded = lower[unit]!
        while (matched > 0 && units[matched] !== folded) matched = fallback[matched - 1]!
        if (units[matched] === folded) matched++
        if (matched === units.length && matched > 0) {
          yield { start: place + 1 - matched, end: place + 1, line: line - breaksWithin }
          matched = 0
        }
      }
      if (unit === LINE_FEED) line++
    }
  }
}

const LINE_FEED = 10

/** For each prefix: the length of its longest proper suffix that is also a prefix. */
const fallbackOf = (units: ReadonlyArray<number>): ReadonlyArray<number> => {
  const fallback = [0]
  for (let i = 1, length = 0; i < units.length; i++) {
    while (length > 0 && units[i] !== units[length]) length = fallback[length - 1]!
    if (units[i] === units[length]) length++
    fallback.push(length)
  }
  return fallback
}

/** Unit by unit, so that places stay what they are: `İ` and others that become two characters are left alone. */
const lowerCase = lazy(() =>
  new Uint16Array(0x10000).map((_, unit) => {
    const lower = String.fromCharCode(unit).toLowerCase()
    return lower.length === 1 ? lower.charCodeAt(0) : unit
  })
)
