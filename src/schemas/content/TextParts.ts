/** A long text in parts, as it is stored: whoever reads a piece of it reads only the parts that hold it. */
import { KEPT_TEXT_CHUNK_CHARS } from "../defaults/Results.ts"
import { onCharacter } from "./TextWindow.ts"

/** Where each part ends, in the text and in what is stored. */
export interface Parts {
  readonly chars: ReadonlyArray<number>
  readonly bytes: ReadonlyArray<number>
}

/** Splits a text into parts, never within a character. */
export function* partsOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = onCharacter(text, Math.min(text.length, start + KEPT_TEXT_CHUNK_CHARS))
    yield text.slice(start, end)
  }
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** The parts that hold the characters from `from` to `to`: their numbers, and what they hold of the text and of what is stored. */
export const rangeOf = (
  { bytes, chars }: Parts,
  from: number,
  to: number
): { readonly parts: Range; readonly chars: Range; readonly bytes: Range } => {
  const first = chars.findIndex((end) => end > from)
  const last = chars.findIndex((end) => end >= to)
  const within = (ends: ReadonlyArray<number>) => ({
    start: first === -1 ? (ends.at(-1) ?? 0) : (ends[first - 1] ?? 0),
    end: last === -1 ? (ends.at(-1) ?? 0) : ends[last]!
  })
  const parts = { start: first === -1 ? chars.length : first, end: last === -1 ? chars.length : last + 1 }
  return { parts, chars: within(chars), bytes: within(bytes) }
}
