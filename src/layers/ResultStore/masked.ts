/** A long text with known secrets masked, in parts of a few milliseconds each, none of them cut within a secret. */
import { KEPT_TEXT_CHUNK_CHARS } from "../../schemas/defaults/Results.ts"
import { CUT_MARGIN_CHARS } from "../../schemas/defaults/Texts.ts"
import { onCharacter } from "../../schemas/TextWindow.ts"

type Redact = (text: string) => string

/** The parts in order; joined they are the text as it is kept. */
export function* maskedParts(text: string, redact: Redact, partChars = KEPT_TEXT_CHUNK_CHARS): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = seamFrom(text, Math.min(text.length, start + partChars), redact)
    yield redact(text.slice(start, end)).toWellFormed()
  }
}

/** The first place, not far from `place`, that has no secret lying across it. */
const seamFrom = (text: string, place: number, redact: Redact): number => {
  let end = place
  while (end < text.length && !isSeam(text, end, redact)) end = Math.min(text.length, end + CUT_MARGIN_CHARS)
  return end
}

const isSeam = (text: string, place: number, redact: Redact): boolean => {
  if (onCharacter(text, place) !== place) return false
  const before = text.slice(Math.max(0, place - CUT_MARGIN_CHARS), place)
  const after = text.slice(place, place + CUT_MARGIN_CHARS)
  return redact(before + after) === redact(before) + redact(after)
}
