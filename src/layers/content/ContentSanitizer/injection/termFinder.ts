/**
 * Finds terms in Latin letters: the hash of the letters since the beginning of a word is carried from one to the next, and
 * a bit set of the terms' hashes says nearly always that there is nothing more to do. A term of several words is found by
 * the last two, by a hash of both; the words before are compared then. How many terms there are hardly matters for the time.
 */
import { FOREIGN, IGNORED, KINDS, SPACE, START } from "./letters.ts"
import { isBetween, isLetter, kindAt, type Page, wordStart } from "./page.ts"
import { type Check, expanded, type Term } from "./terms.ts"

export type OnWord<A> = (meaning: A, index: number) => void

export interface Words<A> {
  /** Before another page. */
  readonly begin: () => void
  /** Tells what ends in a part of a page; one part after the other. */
  readonly read: (page: Page, from: number, to: number, onWord: OnWord<A>) => void
}

/** What else must be so in front of the hashed words. */
interface Around {
  readonly isPair: boolean
  /** The last of them first. */
  readonly before: ReadonlyArray<Uint8Array>
  readonly atStart: boolean
  readonly check: Check
}

export const makeWords = <A>(terms: Iterable<readonly [Term, A]>): Words<A> => {
  const meanings: Array<A | undefined> = [undefined]
  const arounds: Array<Around | undefined> = [undefined]
  const nexts: Array<number> = [0]
  const firsts = new Map<number, number>()
  const filter = new Int32Array(FILTER_SIZE)
  const put = (hash: number, meaning: A, around: Around | undefined) => {
    const next = firsts.get(hash) ?? 0
    if (around === undefined && next !== 0 && arounds[next] === undefined && meanings[next] === meaning) return
    filter[hash >>> FILTER_SHIFT]! |= 1 << (hash & 31)
    firsts.set(hash, meanings.length)
    nexts.push(next)
    meanings.push(meaning)
    arounds.push(around)
  }
  for (const [term, meaning] of terms) {
    for (const body of expanded(term.body)) {
      const { around, hash, rest } = keyOf(term, body)
      put((hash + BEFORE_END) | 0, meaning, around)
      // Of a term that may go on the last word may also be the beginning of one; behind nothing it would be anything.
      if (term.onward && rest > 0) put(hash, meaning, around)
    }
  }

  const table: Table<A> = { ...hashed(firsts), arounds, filter, meanings, nexts }
  const carried = new Int32Array(2)
  const begin = () => {
    carried[0] = 0
    carried[1] = NO_WORD
  }
  return { begin, read: (page, from, to, onWord) => scan(table, carried, page, from, to, onWord) }
}

/** The terms by number, in columns. No term is 0. */
interface Table<A> extends Hashed {
  readonly filter: Int32Array
  readonly meanings: ReadonlyArray<A | undefined>
  readonly arounds: ReadonlyArray<Around | undefined>
  /** Of each, the next one that is found by the same hash. */
  readonly nexts: ReadonlyArray<number>
}

/**
 * Carried from one part of a page to the next are the hash of the letters, and of the word before. This stands outside of
 * any other function so that what all languages read from is known to be always the same.
 */
const scan = <A>(
  table: Table<A>,
  carried: Int32Array,
  page: Page,
  from: number,
  to: number,
  onWord: OnWord<A>
): void => {
  const { filter } = table
  const { units } = page
  let [hash, before] = [carried[0]!, carried[1]!]
  for (let index = from; index < to; index++) {
    const unit = units[index]!
    hash = (Math.imul(hash, FACTOR[unit]!) + ADDEND[unit]!) | 0
    const ending = ENDING[units[index + 1]!]!
    const word = (hash + ending) | 0
    const pair = (before + word) | 0
    // Both in one question: what is asked less often is guessed better.
    if ((bitOf(filter, word) | bitOf(filter, pair)) !== 0) {
      if (bitOf(filter, word) === 1) tell(table, word, page, index, onWord)
      if (bitOf(filter, pair) === 1 && isNear(page, index)) tell(table, pair, page, index, onWord)
    }
    if (ending !== 0 && hash !== 0) before = Math.imul(word, PAIR)
  }
  carried[0] = hash
  carried[1] = before
}

const tell = <A>(table: Table<A>, hash: number, page: Page, index: number, onWord: OnWord<A>): void => {
  const { arounds, meanings, nexts } = table
  for (let entry = find(table, hash); entry !== 0; entry = nexts[entry]!) {
    const around = arounds[entry]
    if (around === undefined || stands(around, page, index)) onWord(meanings[entry]!, index)
  }
}

// ---- hashes ------------------------------------------------------------------------------------------------------------

const MULTIPLIER = 0x2c1b3c6d
const BEFORE_END = 0x5bd1e995
const PAIR = 0x1b873593
/** In front of the first word. */
const NO_WORD = 1

/** No letter is 0, which stands for no word. */
const letterOf = (kind: number) => (isBetween(kind) || kind === IGNORED ? 0 : kind === FOREIGN ? SPACE : kind)

/** By unit: what the hash is multiplied with and what is added; and by the next one, what is added where a word ends. */
const WIDE_KINDS = new Int32Array(KINDS)
const FACTOR = WIDE_KINDS.map((kind) => (isBetween(kind) ? 0 : kind === IGNORED ? 1 : MULTIPLIER))
const ADDEND = WIDE_KINDS.map(letterOf)
const ENDING = WIDE_KINDS.map((kind) => (isBetween(kind) ? BEFORE_END : 0))

/** 13 bits of a hash tell the place, 5 the bit. */
const FILTER_SHIFT = 19
const FILTER_SIZE = 1 << (32 - FILTER_SHIFT)
const bitOf = (filter: Int32Array, hash: number): number => (filter[hash >>> FILTER_SHIFT]! >>> hash) & 1

const hashOf = (kinds: Uint8Array): number => {
  let hash = 0
  for (let index = 0; index < kinds.length; index++) hash = (Math.imul(hash, MULTIPLIER) + letterOf(kinds[index]!)) | 0
  return hash
}

/** A table of numbers is several times as fast as a `Map`; it is at most half full. What is not there is 0. */
interface Hashed {
  readonly keys: Int32Array
  readonly values: Uint16Array
}
const hashed = (byHash: ReadonlyMap<number, number>): Hashed => {
  const last = (1 << (33 - Math.clz32(byHash.size))) - 1
  const [keys, values] = [new Int32Array(last + 1), new Uint16Array(last + 1)]
  for (const [hash, value] of byHash) {
    let slot = hash & last
    while (values[slot] !== 0) slot = (slot + 1) & last
    keys[slot] = hash
    values[slot] = value
  }
  return { keys, values }
}
const find = ({ keys, values }: Hashed, hash: number): number => {
  const last = keys.length - 1
  let slot = hash & last
  while (keys[slot] !== hash && values[slot] !== 0) slot = (slot + 1) & last
  return values[slot]!
}

/** What a term is found by. */
const keyOf = ({ atStart, check }: Term, body: string) => {
  const words = wordsOf(body)
  const word = words.at(-1) ?? NO_LETTERS
  const isPair = words.length > 1
  const before = isPair ? Math.imul((hashOf(words.at(-2)!) + BEFORE_END) | 0, PAIR) : 0
  const isAlone = words.length < 3 && !atStart && check === undefined
  return {
    around: isAlone ? undefined : { atStart, before: words.slice(0, -2).toReversed(), check, isPair },
    hash: (before + hashOf(word)) | 0,
    rest: word.length
  }
}
const NO_LETTERS = new Uint8Array(0)

const wordsOf = (body: string): ReadonlyArray<Uint8Array> => {
  const words: Array<Uint8Array> = []
  const letters: Array<number> = []
  for (let index = 0; index <= body.length; index++) {
    const kind = index < body.length ? KINDS[body.charCodeAt(index)]! : SPACE
    if (kind === IGNORED) continue
    if (!isBetween(kind)) letters.push(kind)
    else if (letters.length > 0) words.push(Uint8Array.from(letters.splice(0)))
  }
  return words
}

// ---- in front of the words ---------------------------------------------------------------------------------------------

const stands = ({ atStart, before, check, isPair }: Around, page: Page, index: number): boolean => {
  let from = wordStart(page, index)
  if (isPair) from = wordStart(page, skipBack(page, from - 1))
  for (const word of before) {
    const end = skipBack(page, from - 1)
    if (!endsWith(page, end, word)) return false
    from = wordStart(page, end)
  }
  if (atStart && !begins(page, from)) return false
  return check === undefined || CHECKS[check](page, from)
}

const CHECKS = {
  capitals: ({ units }: Page, from: number) => isCapital(units[from]!) && isCapital(units[from + 1]!),
  dotted: (page: Page, from: number) => page.units[from - 1] === DOT && !NAMED.test(unitAt(page, from - 2))
}
const isCapital = (code: number) => code >= 0x41 && code <= 0x5a
const DOT = 0x2e
/** What a member is of. */
const NAMED = /[\w)\]]/
const unitAt = ({ units }: Page, index: number) => (index < 0 ? "" : String.fromCharCode(units[index]!))

/** Words of a term stand no further apart than this. */
const GAP_MAX = 24

/** The end of the word before, if there is one near. */
const skipBack = (page: Page, index: number): number => {
  let end = index
  while (end > index - GAP_MAX && end >= 0 && !isLetter(page, end)) end--
  return end
}

/** Whether the word before stands near enough. */
const isNear = (page: Page, index: number): boolean => isLetter(page, skipBack(page, wordStart(page, index) - 1))

const endsWith = (page: Page, end: number, word: Uint8Array): boolean => {
  let index = end
  for (let place = word.length - 1; place >= 0; place--, index--) {
    while (kindAt(page, index) === IGNORED) index--
    if (kindAt(page, index) !== word[place]) return false
  }
  return !isLetter(page, index)
}

/** Whether there are only spaces between the place and a sign that something begins after. */
const begins = (page: Page, from: number): boolean => {
  let index = from - 1
  while (index > from - GAP_MAX && kindAt(page, index) === SPACE) index--
  return kindAt(page, index) === START
}
