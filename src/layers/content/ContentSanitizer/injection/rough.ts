/**
 * The first look at a text: searches it for terms in Latin letters that are rare in ordinary text, of all languages at once,
 * and tells around which places it is worth to read everything. Nearly every text is done with that, at a few nanoseconds a
 * character; so little is searched for, see `HINTS` in rules.ts.
 */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"
import { type Add, type Automaton, BETWEEN, makeAutomaton, OTHER_SIGN, ROOT, SKIPPED, step } from "./automaton.ts"
import { type Feature, featureId } from "./features.ts"
import { type Hints, makeHints, type OnPlace } from "./hints.ts"
import { DIGIT, IGNORED, KINDS, START } from "./letters.ts"
import { isBetween, kindAt, type Page, pageOf } from "./page.ts"
import { HINTS } from "./rules.ts"
import { expanded, type Lexicon, type Term, termsOf } from "./terms.ts"

export type Rough = (text: string, onPlace: OnPlace) => void

interface Mark {
  readonly language: number
  readonly feature: number
  /** What stands behind the part of the term that is searched for, in `RESTS`. */
  readonly restFrom: number
  readonly restTo: number
  readonly check: Check | undefined
}
/** What else must be so where a pattern ends. */
type Check = (page: Page, index: number) => boolean

/** The languages that are written in Latin letters, and what counts in all of them. */
export function* makeRough(lexicons: ReadonlyArray<Lexicon>, every: Lexicon): InTurns<Rough> {
  const automaton = yield* makeAutomaton<Mark>(function* (add) {
    for (const [language, lexicon] of [...lexicons, every].entries()) yield* addPatterns(lexicon, language, add)
  })
  const hints = makeHints(lexicons)
  return (text, onPlace) => look(automaton, hints, text, onPlace)
}

const look = (automaton: Automaton<Mark>, hints: Hints, text: string, onPlace: OnPlace): void => {
  const { isEnd, next } = automaton
  let begun = false
  let state = step(next, ROOT, BETWEEN)
  for (let start = 0; start < text.length; start += PIECE) {
    const page = pageOf(text.slice(start, start + PIECE))
    // At the end of the text one place more is read, which is a space: there a last word ends.
    state = search(next, isEnd, page, start + PIECE < text.length ? page.size : page.size + 1, state)
    if (HITS.every(({ size }) => size === 0)) continue
    if (!begun) hints.begin(text.length)
    begun = true
    hints.turn(page, start)
    for (const hits of HITS) hear(automaton, hints, hits, page, start, onPlace)
  }
}

/** Stands outside of `look`: what is made anew for each text is compiled anew after each collection of garbage. */
const hear = (
  { ends }: Automaton<Mark>,
  hints: Hints,
  { index, size, states }: Hits,
  page: Page,
  start: number,
  onPlace: OnPlace
): void => {
  for (let hit = 0; hit < size; hit++) {
    const marks = ends[states[hit]!]!
    for (let each = 0; each < marks.length; each++) {
      const mark = marks[each]!
      if (stands(mark, page, index[hit]!)) hints.hear(mark.language, mark.feature, start + index[hit]!, onPlace)
    }
  }
}

/** As much is copied at once. */
const PIECE = 1 << 13
/** No pattern is longer, with some white space between its words; where there is more of it, see `isEnough`. */
const OVERLAP = 48

/** Where patterns end, and which. */
interface Hits {
  readonly states: Uint16Array
  readonly index: Uint16Array
  size: number
}
const makeHits = (): Hits => ({ index: new Uint16Array(PIECE), size: 0, states: new Uint16Array(PIECE) })
const HITS = [makeHits(), makeHits(), makeHits(), makeHits()] as const

const put = (hits: Hits, state: number, index: number) => {
  hits.states[hits.size] = state
  hits.index[hits.size++] = index
}

/**
 * Looks through the quarters of a page at the same time: a step waits for the one before it, so four ways through a text take
 * hardly longer than one. What ends near the beginning of a quarter is found on the way through the one before; what is there
 * must be enough to know the state behind it. Returns the state behind the last.
 */
const search = (next: Uint16Array, isEnd: Uint8Array, { units }: Page, size: number, before: number): number => {
  const [first, second, third, fourth] = HITS
  first.size = second.size = third.size = fourth.size = 0
  let state = before
  const quarter = (size + 3) >> 2
  const length = quarter + OVERLAP
  const [at2, at3, at4] = [quarter, 2 * quarter, size - length]
  const isQuartered =
    size >= QUARTERED_MIN && isEnough(units, at2) && isEnough(units, at3) && isEnough(units, at3 + quarter)
  if (!isQuartered) {
    for (let index = 0; index < size; index++) {
      state = step(next, state, READ[units[index]!]!)
      if (isEnd[state] === 1) put(first, state, index)
    }
    return state
  }

  let [state2, state3, state4] = [ROOT, ROOT, ROOT]
  for (let index = 0; index < length; index++) {
    state = step(next, state, READ[units[index]!]!)
    state2 = step(next, state2, READ[units[at2 + index]!]!)
    state3 = step(next, state3, READ[units[at3 + index]!]!)
    state4 = step(next, state4, READ[units[at4 + index]!]!)
    if ((isEnd[state]! | isEnd[state2]! | isEnd[state3]! | isEnd[state4]!) === 0) continue
    if (isEnd[state] === 1) put(first, state, index)
    if (isEnd[state2] === 1 && index >= OVERLAP) put(second, state2, at2 + index)
    if (isEnd[state3] === 1 && index >= OVERLAP) put(third, state3, at3 + index)
    if (isEnd[state4] === 1 && at4 + index >= at3 + length) put(fourth, state4, at4 + index)
  }
  return state4
}

/** Whether no pattern that ends behind `OVERLAP` characters can have begun before them: white space may be most of them. */
const isEnough = (units: Uint16Array, from: number): boolean => {
  let [reads, last] = [0, SKIPPED]
  for (let at = from; at < from + OVERLAP && reads < BODY_MAX; at++) {
    const read = READ[units[at]!]!
    if (read === SKIPPED || (read === BETWEEN && last === BETWEEN)) continue
    reads++
    last = read
  }
  return reads === BODY_MAX
}

/** Shorter pages would be read nearly twice. */
const QUARTERED_MIN = 16 * OVERLAP

/** By unit, what the automaton reads. */
const READ = KINDS.map(readOf)
function readOf(kind: number): number {
  if (isBetween(kind)) return BETWEEN
  if (kind === IGNORED) return SKIPPED
  return kind >= DIGIT ? OTHER_SIGN : kind
}

/** Whether all of a term is there, of which the first part was found. What is behind the piece is taken as found. */
const stands = ({ check, restFrom, restTo }: Mark, page: Page, index: number): boolean => {
  const { size, units } = page
  let last = READ[units[index]!]!
  let at = index + 1
  for (let place = restFrom; place < restTo && at <= size; at++) {
    const read = READ[units[at]!]!
    if (read === SKIPPED || (read === BETWEEN && last === BETWEEN)) continue
    if (read !== RESTS[place++]) return false
    last = read
  }
  return check === undefined || check(page, index)
}
// Module state: a part of what `makeRough` builds, once for all texts.
const RESTS: Array<number> = []

const HINTED = new Set<string>(HINTS.flatMap(({ all }) => all))

function* addPatterns(lexicon: Lexicon, language: number, add: Add<Mark>): InTurns<void> {
  for (const [name, list] of Object.entries(lexicon.terms)) {
    if (!HINTED.has(name)) continue
    const feature = featureId(name as Feature)
    const whole: Mark = { check: undefined, feature, language, restFrom: 0, restTo: 0 }
    for (const term of termsOf(lexicon, list)) {
      yield
      const check = checkOf(term)
      for (const body of expanded(term.body)) {
        const size = readBody(body, term.onward)
        const found = size < FOUND_MAX ? size : FOUND_MAX
        const restFrom = RESTS.length
        for (let place = found; place < size; place++) RESTS.push(BODY[place]!)
        const isWhole = found === size && check === undefined
        add(BODY, found, isWhole ? whole : { check: check?.(found), feature, language, restFrom, restTo: RESTS.length })
      }
    }
  }
}

/** As much of a term is searched for, and as much is compared where that was found. What is longer is taken as found. */
const FOUND_MAX = 9
const BODY_MAX = 12

/** Looks at what stands at the beginning of a term, if that is still in the piece. */
const checkOf = ({ atStart, check }: Term): ((found: number) => Check) | undefined => {
  if (!atStart && check === undefined) return undefined
  return (found) => (page, index) => {
    const first = index - found + 2
    if (first < 1) return true
    if (check === "capitals") return isCapital(page.units[first]!)
    if (check === "dotted") return page.units[first - 1] === DOT
    return !atStart || kindAt(page, first - 1) === START || isCapital(page.units[first]!)
  }
}
const isCapital = (unit: number) => unit >= 0x41 && unit <= 0x5a
const DOT = 0x2e

/** Puts into `BODY` what the automaton reads where the term stands, and tells how much that is. */
const readBody = (body: string, onward: boolean): number => {
  let size = 1
  for (let index = 0; index < body.length && size < BODY_MAX; index++) {
    const read = READ[body.charCodeAt(index)]!
    if (read !== SKIPPED && (read !== BETWEEN || BODY[size - 1] !== BETWEEN)) BODY[size++] = read
  }
  if (!onward && size < BODY_MAX && BODY[size - 1] !== BETWEEN) BODY[size++] = BETWEEN
  return size
}
// Module state: scratch space, written and read within one call; every term of every text goes through it.
const BODY = new Uint8Array(BODY_MAX)
BODY[0] = BETWEEN
