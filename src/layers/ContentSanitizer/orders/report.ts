/**
 * Reports wording that gives orders to a model, in the languages that a lexicon knows. Telemetry, no defence: what is found
 * stays as it is, and much will not be found.
 *
 * Everything is searched for rare terms in Latin letters; around what was found there, and where other letters stand, the
 * languages in question are read in full. Their tables are built when they are first needed.
 */
import type { Tally } from "../tally.ts"
import { undisguised } from "./disguise.ts"
import { OTHER } from "./letters.ts"
import { EVERY, LATIN, OTHERS } from "./lexicons.ts"
import { makeReader, type Reader } from "./reader.ts"
import { makeRough, type Rough } from "./rough.ts"
import { REPORT_REACH } from "./rules.ts"
import type { Lexicon } from "./terms.ts"

export const reportOrders = (text: string, tally: Tally): void => {
  const hasOthers = OTHER.test(text)
  if (!hasOthers && text.length < LATIN_MIN) return
  const plain = hasOthers ? undisguised(text) : text
  const read = (lexicon: Lexicon, from: number, to: number): ReadonlyArray<string> => {
    const found: Array<string> = []
    readerOf(lexicon)(plain.slice(Math.max(0, from), to), (detail) => found.push(detail))
    return found
  }
  const report = (lexicon: Lexicon, found: ReadonlyArray<string>) => {
    for (const detail of found) tally.add("pattern", `${detail} (${lexicon.name})`)
  }

  for (const [language, stretches] of stretchesOf(plain)) {
    const lexicon = LATIN[language]!
    for (const { from, to } of stretches) {
      // Most is nothing at a closer look; whether the text only speaks about orders is seen from further away.
      if (read(lexicon, from, to).length > 0) report(lexicon, read(lexicon, from - REPORT_REACH, to))
    }
  }
  if (!hasOthers) return
  for (const lexicon of OTHERS) {
    for (const { from, to } of stretchesIn(lexicon.script!, plain)) report(lexicon, read(lexicon, from, to))
  }
}

/** No order in Latin letters is shorter. */
const LATIN_MIN = 24

interface Stretch {
  readonly from: number
  to: number
}

/** As far around a place of a language it is read first: what belongs together is mostly nearer than it may be. */
const AROUND = 220
const NOWHERE: ReadonlyMap<number, ReadonlyArray<Stretch>> = new Map()

/** By language, what is to be read. */
const stretchesOf = (text: string): ReadonlyMap<number, ReadonlyArray<Stretch>> => {
  rough ??= makeRough(LATIN, EVERY)
  let places: Map<number, Array<Stretch>> | undefined
  rough(text, (language, at) => {
    places ??= new Map()
    const known = places.get(language)
    const stretch = { from: at - AROUND, to: at + AROUND }
    if (known === undefined) places.set(language, [stretch])
    else if (stretch.from <= known.at(-1)!.to) known.at(-1)!.to = stretch.to
    else known.push(stretch)
  })
  return places ?? NOWHERE
}
let rough: Rough | undefined

/** Where letters of a script stand, and what is near them. */
const stretchesIn = (script: RegExp, text: string): ReadonlyArray<Stretch> => {
  const stretches: Array<Stretch> = []
  const next = new RegExp(script, "gu")
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    const last = stretches.at(-1)
    if (last !== undefined && match.index <= last.to) last.to = match.index + SCRIPT_GAP
    else stretches.push({ from: Math.max(0, match.index - SCRIPT_GAP), to: match.index + SCRIPT_GAP })
    next.lastIndex = match.index + SCRIPT_STEP
  }
  return stretches
}
/** What is nearer to one another is read together; and how much is not looked at one by one. */
const SCRIPT_GAP = 200
const SCRIPT_STEP = 50

const readers = new Map<Lexicon, Reader>()
const readerOf = (lexicon: Lexicon): Reader => {
  const known = readers.get(lexicon)
  if (known !== undefined) return known
  const made = makeReader(lexicon, EVERY)
  readers.set(lexicon, made)
  return made
}
