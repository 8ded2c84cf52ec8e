/**
 * Reports wording that gives instructions to a model, in the languages of the lexicons. This is telemetry and no defense:
 * findings stay in the text, and much is not found.
 *
 * Every text is searched for rare terms in Latin letters. Around matches, and where other letters occur, it is read
 * completely in the languages in question. Their tables are built on first use; those of the search take longer, so they are
 * built in advance, in steps.
 */
import { atOnce, type InTurns } from "../../../../schemas/data/InTurns.ts"
import type { Tally } from "../tally.ts"
import { undisguised } from "./disguise.ts"
import { OTHER } from "./letters.ts"
import { EVERY, LATIN, OTHERS } from "./lexicons.ts"
import { makeReader } from "./reader.ts"
import { makeRough, type Rough } from "./rough.ts"
import { REPORT_REACH } from "./rules.ts"
import type { Lexicon } from "./terms.ts"
import { lazy, memoOf } from "../../../../schemas/data/Memo.ts"

export const reportOrders = (text: string, tally: Tally): void => {
  const hasOthers = OTHER.test(text)
  if (!hasOthers && text.length < LATIN_MIN) return
  const plain = hasOthers ? undisguised(text) : text
  for (const [language, stretches] of stretchesOf(plain)) {
    const lexicon = LATIN[language]!
    for (const { from, to } of stretches) {
      // Most candidates turn out to be harmless; the wider context shows whether the text only talks about instructions.
      if (read(lexicon, plain, from, to).length > 0)
        report(lexicon, read(lexicon, plain, from - REPORT_REACH, to), tally)
    }
  }
  if (!hasOthers) return
  for (const [place, stretches] of stretchesByScript(plain).entries()) {
    const lexicon = OTHERS[place]!
    for (const { from, to } of stretches) {
      if (lexicon.script!.test(plain.slice(from, to))) report(lexicon, read(lexicon, plain, from, to), tally)
    }
  }
}

const read = (lexicon: Lexicon, text: string, from: number, to: number): ReadonlyArray<string> =>
  readerOf(lexicon)(text.slice(Math.max(0, from), to))

const report = (lexicon: Lexicon, found: ReadonlyArray<string>, tally: Tally) => {
  for (const detail of found) tally.add("pattern", `${detail} (${lexicon.name})`)
}

/** The shortest instruction in Latin letters. */
const LATIN_MIN = 24

interface Stretch {
  readonly from: number
  to: number
}

/** The stretch around a candidate that is read first: what belongs together is usually close. */
const AROUND = 180
const NOWHERE: ReadonlyMap<number, ReadonlyArray<Stretch>> = new Map()

/** By language, the stretches to read. */
const stretchesOf = (text: string): ReadonlyMap<number, ReadonlyArray<Stretch>> => {
  const rough = search().rough ?? atOnce(prepareOrders())
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

/** What every text is searched with. Several callers may build it together: each goes on where another one stopped. */
const search = lazy(() => ({ building: makeRough(LATIN), rough: undefined as Rough | undefined }))

/** Builds `search`, or the rest of it. */
export function* prepareOrders(): InTurns<Rough> {
  for (const state = search(); ; yield) {
    if (state.rough !== undefined) return state.rough
    const step = state.building.next()
    if (step.done === true) state.rough = step.value
  }
}

/** For the languages of other scripts: the places with letters of their script, and their surroundings. */
const stretchesByScript = (text: string): ReadonlyArray<ReadonlyArray<Stretch>> => {
  const masks = masksOf()
  const all = OTHERS.map((): Array<Stretch> => [])
  const next = new Int32Array(OTHERS.length)
  for (let index = 0; index < text.length; index++) {
    for (let mask = masks[text.charCodeAt(index) >> BLOCK_BITS]!; mask !== 0; mask &= mask - 1) {
      const language = 31 - Math.clz32(mask & -mask)
      if (index < next[language]!) continue
      next[language] = index + SCRIPT_STEP
      const last = all[language]!.at(-1)
      if (last !== undefined && index <= last.to) last.to = index + SCRIPT_GAP
      else all[language]!.push({ from: Math.max(0, index - SCRIPT_GAP), to: index + SCRIPT_GAP })
    }
  }
  return all
}

/** By block of units, the languages whose letters are there, a bit for each. */
const masksOf = lazy(() =>
  Uint16Array.from({ length: 0x10000 >> BLOCK_BITS }, (_, block) => {
    const units = String.fromCharCode(
      ...Array.from({ length: 1 << BLOCK_BITS }, (__, low) => (block << BLOCK_BITS) | low)
    )
    return OTHER.test(units)
      ? OTHERS.reduce((mask, { script }, place) => mask | (script!.test(units) ? 1 << place : 0), 0)
      : 0
  })
)
const BLOCK_BITS = 5

/** Candidates closer than this are read together; and the size that is skipped at once. */
const SCRIPT_GAP = 200
const SCRIPT_STEP = 50

const readerOf = memoOf((lexicon: Lexicon) => makeReader(lexicon, EVERY))
