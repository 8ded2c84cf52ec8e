/**
 * Splits a long text into overlapping windows, to limit memory and time per step. Anything up to the length of the overlap is
 * complete in one of them. Of runs of ignorable characters only the last is included: otherwise such runs between the
 * characters of a value would make it too long for a window.
 */
import { SECRET_WINDOW_CHARS } from "../../../schemas/defaults/Secrets.ts"
import { INVISIBLE_CLASS, invisibleAt } from "./characters.ts"
import type { Place } from "./spans.ts"

export interface Window {
  readonly text: string
  /** The original place of a span in the window. */
  readonly origin: (start: number, end: number) => Place
  /** Everything that begins before this position of the whole text is in this window or an earlier one. */
  readonly settled: number
}

/** A part of the text that is in the window unchanged. */
interface Piece {
  /** Positions in the whole text. */
  readonly start: number
  readonly end: number
}

/** `isDense`: includes ignorable characters, too. */
export function* windowsOf(text: string, overlap: number, isDense: boolean): Generator<Window> {
  let pieces: Array<Piece> = []
  let chars = 0
  for (let at = 0; ;) {
    while (chars < SECRET_WINDOW_CHARS + overlap && at < text.length) {
      const limit = Math.min(at + SECRET_WINDOW_CHARS + overlap - chars, text.length)
      const { end, next } = isDense ? { end: limit, next: limit } : upToRun(text, at, limit)
      const last = pieces.at(-1)
      if (last?.end === at) pieces[pieces.length - 1] = { start: last.start, end }
      else if (end > at) pieces.push({ start: at, end })
      chars += end - at
      at = next
    }
    const isLast = at >= text.length
    const next = isLast ? [] : fromChars(pieces, chars - overlap)
    yield windowOf(text, pieces, isLast ? text.length : next[0]!.start)
    if (isLast) return
    pieces = next
    chars = next.reduce((sum, { end, start }) => sum + end - start, 0)
  }
}

const windowOf = (text: string, pieces: ReadonlyArray<Piece>, settled: number): Window => {
  /** The start of each piece in the window. There may be as many as characters. */
  const places = new Int32Array(pieces.length)
  for (let index = 1; index < pieces.length; index++) {
    const { end, start } = pieces[index - 1]!
    places[index] = places[index - 1]! + end - start
  }
  const locate = (place: number): number => {
    let [low, high] = [0, places.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (places[middle]! <= place) low = middle
      else high = middle - 1
    }
    return pieces[low]!.start + place - places[low]!
  }
  return {
    text: pieces.map(({ end, start }) => text.slice(start, end)).join(""),
    origin: (start, end) => ({ start: locate(start), end: locate(end - 1) + 1 }),
    settled
  }
}

/** The pieces after the first `chars` characters. */
const fromChars = (pieces: ReadonlyArray<Piece>, chars: number): Array<Piece> => {
  let left = chars
  for (const [index, { end, start }] of pieces.entries()) {
    if (left < end - start) return [{ start: start + left, end }, ...pieces.slice(index + 1)]
    left -= end - start
  }
  return []
}

// ---- ignorable characters ------------------------------------------------------------------------------------------

const NOTHING = `(?:[${INVISIBLE_CLASS}]|[=\\\\]\\r?\\n)`
/** Where a run begins; only its last character is in a window. */
const RUN = new RegExp(`${NOTHING}[\\udc00-\\udfff]?(?=${NOTHING})`, "g")

/** Whether a value contains such a run. */
export const hasRunOfNothing = (text: string): boolean => text.search(RUN) !== -1

/** What is copied, and where to continue. */
interface Step {
  readonly end: number
  readonly next: number
}

/** Copies up to the next run that every view removes, and skips it except for its last character. */
const upToRun = (text: string, from: number, limit: number): Step => {
  RUN.lastIndex = 0
  const run = RUN.exec(text.slice(from, limit))
  if (run === null) return { end: limit, next: limit }
  const end = from + run.index
  let [next, last] = [end, end]
  for (let size = nothingAt(text, next); size > 0; size = nothingAt(text, next)) {
    last = next
    next += size
  }
  return last > end ? { end, next: last } : { end: end + 1, next: end + 1 }
}

const nothingAt = (text: string, at: number): number => {
  const invisible = invisibleAt(text, at)
  if (invisible > 0) return invisible
  if (text[at] !== "=" && text[at] !== "\\") return 0
  return text[at + 1] === "\n" ? 2 : text[at + 1] === "\r" && text[at + 2] === "\n" ? 3 : 0
}
