/**
 * A long text in windows that overlap, so that the memory and the time of each turn are those of a window. What is as long as
 * the overlap or shorter is whole in one of them. Long runs of what stands for nothing in any view are left out of the
 * windows: else they would keep apart what belongs together.
 */
import { SECRET_WINDOW_CHARS } from "../../schemas/defaults/Secrets.ts"
import { invisibleAt } from "./characters.ts"
import type { Place } from "./places.ts"

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
      const { end, next } = isDense ? stepFrom(text, at) : overNothing(text, stepFrom(text, at).end)
      const last = pieces.at(-1)
      if (last?.end === at) pieces[pieces.length - 1] = { start: last.start, end }
      else pieces.push({ start: at, end })
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
  const locate = (place: number): number => {
    let left = place
    for (const { end, start } of pieces) {
      if (left < end - start) return start + left
      left -= end - start
    }
    return text.length
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

/** Runs that are shorter than this may stay. */
const STEP = 512

/** What is taken over, and where to go on. */
interface Step {
  readonly end: number
  readonly next: number
}

const stepFrom = (text: string, at: number): Step => {
  const end = Math.min(at + STEP, text.length)
  return { end, next: end }
}

/** From here on over a long run of what is undone to nothing in every view, but for the last of it. */
const overNothing = (text: string, from: number): Step => {
  for (let end = from; end < Math.min(from + NOTHING_MAX, text.length); end++) {
    let [next, last] = [end, end]
    for (let size = nothingAt(text, next); size > 0; size = nothingAt(text, next)) {
      last = next
      next += size
    }
    if (next - end > STEP) return { end, next: last }
  }
  return { end: from, next: from }
}

/** It may have begun within one of these. */
const NOTHING_MAX = 3

const nothingAt = (text: string, at: number): number => {
  const invisible = invisibleAt(text, at)
  if (invisible > 0) return invisible
  if (text[at] !== "=" && text[at] !== "\\") return 0
  return text[at + 1] === "\n" ? 2 : text[at + 1] === "\r" && text[at + 2] === "\n" ? 3 : 0
}
