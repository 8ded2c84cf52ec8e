/**
 * A long text in windows that overlap, so that the memory and the time of each turn are those of a window. What is as long as
 * the overlap or shorter is whole in one of them. Runs of what stands for nothing in any view are left out of the windows, but
 * for the last of each: else they would keep apart what belongs together, one after each character of it.
 */
import { SECRET_WINDOW_CHARS } from "../../../schemas/defaults/Secrets.ts"
import { INVISIBLE_CLASS, invisibleAt } from "./characters.ts"
import type { Place } from "./spans.ts"

export interface Window {
  readonly text: string
  /** Where something of the window stands in the whole text. */
  readonly origin: (start: number, end: number) => Place
  /** Everything that begins before this place of the whole text is within this window or one before it. */
  readonly settled: number
}

/** A part of the text that is in the window as it is. */
interface Piece {
  /** In the whole text. */
  readonly start: number
  readonly end: number
}

/** `isDense`: whether everything is looked at, also what stands for nothing. */
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
  /** Where each piece begins in the window. There may be as many as there are characters. */
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

/** The pieces from so many characters on. */
const fromChars = (pieces: ReadonlyArray<Piece>, chars: number): Array<Piece> => {
  let left = chars
  for (const [index, { end, start }] of pieces.entries()) {
    if (left < end - start) return [{ start: start + left, end }, ...pieces.slice(index + 1)]
    left -= end - start
  }
  return []
}

// ---- what stands for nothing ---------------------------------------------------------------------------------------

const NOTHING = `(?:[${INVISIBLE_CLASS}]|[=\\\\]\\r?\\n)`
/** Where a run begins: of it, only the last is in a window. */
const RUN = new RegExp(`${NOTHING}[\\udc00-\\udfff]?(?=${NOTHING})`, "g")

/** Whether a value has such a run in it. */
export const hasRunOfNothing = (text: string): boolean => text.search(RUN) !== -1

/** What is taken over, and where to go on. */
interface Step {
  readonly end: number
  readonly next: number
}

/** From here up to the next run of what is undone to nothing in every view, and over it but for the last of it. */
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
