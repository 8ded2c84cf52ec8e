/**
 * The first look at a text: searches for terms in Latin letters that are rare in ordinary text, of all languages at once, and
 * returns the places around which everything must be read. Nearly every text needs only this, at a few nanoseconds per
 * character, so the number of terms is small; see `HINTS` in rules.ts.
 */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"
import { type Automaton, BETWEEN, END, makeAutomaton, ROOT, SKIPPED, step, UNKNOWN } from "./automaton.ts"
import { type Hints, makeHints, type OnPlace } from "./hints.ts"
import { byUnit } from "./letters.ts"
import { type Page, pageOf } from "./page.ts"
import { addSearched, classOf, firstOf, type Mark, REST_BITS, TERM_MAX } from "./searched.ts"
import type { Lexicon } from "./terms.ts"

export type Rough = (text: string, onPlace: OnPlace) => void

/** For texts in the languages of the lexicons, which are in Latin letters. */
export function* makeRough(lexicons: ReadonlyArray<Lexicon>): InTurns<Rough> {
  const names = lexicons.map(({ name }) => name)
  const automaton = yield* makeAutomaton<Mark>((add) => addSearched(names, add))
  const hints = makeHints(lexicons)
  return (text, onPlace) => look(automaton, hints, text, onPlace)
}

const look = (automaton: Automaton<Mark>, hints: Hints, text: string, onPlace: OnPlace): void => {
  let begun = false
  let state = step(automaton.next, ROOT, BETWEEN)
  automaton.learn(state)
  for (let start = 0; start < text.length; start += PIECE) {
    const page = pageOf(text.slice(start, start + PIECE))
    // At the end of the text one more position is read, a space, which ends the last word.
    state = search(automaton, page, start + PIECE < text.length ? page.size : page.size + 1, state)
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
/** One at each place of a piece, and one at the space behind the text. */
const HITS_MAX = PIECE + 1
const makeHits = (): Hits => ({ index: new Uint16Array(HITS_MAX), size: 0, states: new Uint16Array(HITS_MAX) })
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
const search = (automaton: Automaton<Mark>, { units }: Page, size: number, before: number): number => {
  const { flags, next } = automaton
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
      if (flags[state] === 0) continue
      if (flags[state]! >= UNKNOWN) automaton.learn(state)
      if (flags[state] === END) put(first, state, index)
    }
    return state
  }

  let [state2, state3, state4] = [ROOT, ROOT, ROOT]
  for (let index = 0; index < length; index++) {
    state = step(next, state, READ[units[index]!]!)
    state2 = step(next, state2, READ[units[at2 + index]!]!)
    state3 = step(next, state3, READ[units[at3 + index]!]!)
    state4 = step(next, state4, READ[units[at4 + index]!]!)
    const any = flags[state]! | flags[state2]! | flags[state3]! | flags[state4]!
    if (any === 0) continue
    if (any >= UNKNOWN) learnAll(automaton, state, state2, state3, state4)
    if (flags[state] === END) put(first, state, index)
    if (flags[state2] === END && index >= OVERLAP) put(second, state2, at2 + index)
    if (flags[state3] === END && index >= OVERLAP) put(third, state3, at3 + index)
    if (flags[state4] === END && at4 + index >= at3 + length) put(fourth, state4, at4 + index)
  }
  return state4
}

/** Outside of `search`, whose loop then has room for all it reads. */
const learnAll = ({ learn }: Automaton<Mark>, first: number, second: number, third: number, fourth: number): void => {
  learn(first)
  learn(second)
  learn(third)
  learn(fourth)
}

/** Whether `OVERLAP` characters are enough to contain every pattern that ends after them: they may be mostly white space. */
const isEnough = (units: Uint16Array, from: number): boolean => {
  let [reads, last] = [0, SKIPPED]
  for (let at = from; at < from + OVERLAP && reads < TERM_MAX; at++) {
    const read = READ[units[at]!]!
    if (read === SKIPPED || (read === BETWEEN && last === BETWEEN)) continue
    reads++
    last = read
  }
  return reads === TERM_MAX
}

/** Shorter pages would be read nearly twice. */
const QUARTERED_MIN = 16 * OVERLAP

/** By unit, the class for the automaton. In this file, because its loops read an import more slowly. */
const READ = new Uint8Array(byUnit(classOf))

/** Whether the whole term is present, of which the first part was found. A term that continues after the piece counts as found. */
const stands = ({ check, rest }: Mark, page: Page, index: number): boolean => {
  const { size, units } = page
  let last = READ[units[index]!]!
  let left = rest
  for (let at = index + 1; left !== 0 && at <= size; at++) {
    const read = READ[units[at]!]!
    if (read === SKIPPED || (read === BETWEEN && last === BETWEEN)) continue
    if (read !== firstOf(left)) return false
    left >>= REST_BITS
    last = read
  }
  return check === undefined || check(page, index)
}
