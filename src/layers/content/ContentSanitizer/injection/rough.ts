/**
 * The first look at a text: searches for terms in Latin letters that are rare in ordinary text, of all languages at once, and
 * returns the places around which everything must be read. Nearly every text needs only this, at a few nanoseconds per
 * character, so the number of terms is small; see `HINTS` in rules.ts.
 */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"
import { type Add, type Automaton, BETWEEN, makeAutomaton, OTHER_SIGN, ROOT, SKIPPED, step } from "./automaton.ts"
import { type Feature, featureId } from "./features.ts"
import { type Hints, makeHints, type OnPlace } from "./hints.ts"
import { byUnit, DIGIT, IGNORED, START } from "./letters.ts"
import { isBetween, kindAt, type Page, pageOf } from "./page.ts"
import { HINTS } from "./rules.ts"
import { expanded, type Lexicon, type Term, termsOf } from "./terms.ts"

export type Rough = (text: string, onPlace: OnPlace) => void

interface Mark {
  readonly language: number
  readonly feature: number
  /** The rest of the term after the searched part, in `RESTS`. */
  readonly restFrom: number
  readonly restTo: number
  readonly check: Check | undefined
}
/** The condition at the end of a pattern. */
type Check = (page: Page, index: number) => boolean

/** The languages in Latin letters, and the terms for all languages. */
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
    // At the end of the text one more position is read, a space, which ends the last word.
    state = search(next, isEnd, page, start + PIECE < text.length ? page.size : page.size + 1, state)
    if (HITS.every(({ size }) => size === 0)) continue
    if (!begun) hints.begin(text.length)
    begun = true
    hints.turn(page, start)
    for (const hits of HITS) hear(automaton, hints, hits, page, start, onPlace)
  }
}

/** Outside of `look`: a function that is created for each text would be compiled again after each garbage collection. */
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

/** How much is copied at once. */
const PIECE = 1 << 13
/** The longest pattern, with some white space between its words; for more white space see `isEnough`. */
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
 * Reads the four quarters of a page in parallel: each step waits for the one before it, so four take hardly longer than one.
 * What ends near the beginning of a quarter is found while reading the previous one, whose end must be enough to know the
 * state. Returns the state after the last quarter.
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

/** Whether `OVERLAP` characters are enough to contain every pattern that ends after them: they may be mostly white space. */
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

/** By unit, the class for the automaton. */
const READ = new Uint8Array(byUnit(readOf))
function readOf(kind: number): number {
  if (isBetween(kind)) return BETWEEN
  if (kind === IGNORED) return SKIPPED
  return kind >= DIGIT ? OTHER_SIGN : kind
}

/** Whether the whole term is present, of which the first part was found. A term that continues after the piece counts as found. */
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

/** How much of a term is searched for, and how much is compared after a match. A longer term counts as found. */
const FOUND_MAX = 9
const BODY_MAX = 12

/** Examines the beginning of a term, if it is still in the piece. */
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

/** Writes the classes of the term's characters to `BODY`, and returns their number. */
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
