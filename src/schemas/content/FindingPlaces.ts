/**
 * Where in a text a finding stands, for a person who reads it: the sentence, or the line, that the same examination reports by itself. A
 * finding that only several lines make together has no place. Pure.
 */
import * as Schema from "effect/Schema"
import { FINDING_PLACES_MAX, FINDING_PLACES_MAX_LINES } from "../defaults/Texts.ts"
import { FINDING_KINDS, type Finding } from "./Finding.ts"

export const FindingPlace = Schema.Struct({
  /** UTF-16 units, as in any string of JavaScript. */
  from: Schema.Int,
  to: Schema.Int,
  kind: Schema.Literals(FINDING_KINDS),
  detail: Schema.String
})
export type FindingPlace = typeof FindingPlace.Type

interface Stretch {
  readonly from: number
  readonly text: string
}

const within = ({ from, text }: Stretch, pattern: RegExp): ReadonlyArray<Stretch> =>
  Array.from(text.matchAll(pattern), (match) => ({ from: from + match.index, text: match[0] }))

const LINE = /[^\n]+/g
/** Up to its end sign and the blanks after it, or the rest. A dot within a word or an address ends nothing. */
const SENTENCE = /\S(?:[^.!?。！？]|[.!?](?!\s|$))*(?:[.!?。！？]+|$)/g

export const placesOf = (
  text: string,
  examine: (text: string) => ReadonlyArray<Finding>
): ReadonlyArray<FindingPlace> => {
  const places: Array<FindingPlace> = []
  for (const line of within({ from: 0, text }, LINE).slice(0, FINDING_PLACES_MAX_LINES)) {
    const found = examine(line.text)
    if (found.length === 0) continue
    const sentences = within(line, SENTENCE).map((sentence) => ({ ...sentence, findings: examine(sentence.text) }))
    for (const { detail, kind } of found) {
      const own = sentences.filter(({ findings }) => findings.some((one) => one.kind === kind && one.detail === detail))
      for (const { from, text: stretch } of own.length === 0 ? [line] : own) {
        places.push({ from, to: from + stretch.length, kind, detail })
        if (places.length === FINDING_PLACES_MAX) return places
      }
    }
  }
  return places
}
