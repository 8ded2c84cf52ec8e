/**
 * Finds a literal text in a long one, without regard to case and in linear time, whatever both are: the search never goes
 * back in the text (Knuth, Morris, Pratt). It pauses every few milliseconds, so that others can run meanwhile.
 */
import { KEPT_TEXT_CHUNK_CHARS } from "./defaults/Results.ts"

export interface Match {
  readonly start: number
  readonly end: number
  /** Of the first character; the first line is 1. */
  readonly line: number
}

/** Places that lie within `from` and `to` and do not overlap, in order; `undefined` where the search pauses. */
export function* findLiteral(text: string, wanted: string, from: number, to: number): Generator<Match | undefined> {
  const lower = (lowerCase ??= makeLowerCase())
  const units = Array.from({ length: wanted.length }, (_, i) => lower[wanted.charCodeAt(i)]!)
  const fallback = fallbackOf(units)
  const breaksWithin = units.slice(0, -1).filter((unit) => unit === LINE_FEED).length
  const end = Math.min(to, text.length)
  let [line, matched] = [1, 0]
  for (let place = 0; place < end; place++) {
    if ((place + 1) % KEPT_TEXT_CHUNK_CHARS === 0) yield undefined
    const unit = text.charCodeAt(place)
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

const LINE_FEED = 10

/** For each beginning of the text: the length of its longest end that is a beginning, too. */
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
let lowerCase: Uint16Array | undefined
const makeLowerCase = (): Uint16Array =>
  new Uint16Array(0x10000).map((_, unit) => {
    const lower = String.fromCharCode(unit).toLowerCase()
    return lower.length === 1 ? lower.charCodeAt(0) : unit
  })
