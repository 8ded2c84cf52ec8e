/**
 * Finds terms in Latin letters. A rolling hash of the letters of each word is looked up in a bit set of the terms' hashes,
 * which nearly always shows that there is nothing more to do. A term of several words is found by a hash of its last two
 * words; the words before are then compared. The time hardly depends on the number of terms.
 */
import { byUnit, FOREIGN, IGNORED, KINDS, SPACE, START } from "./letters.ts"
import { isBetween, isLetter, kindAt, type Page, wordStart } from "./page.ts"
import { type Check, expanded, type Term } from "./terms.ts"

export type OnWord<A> = (meaning: A, index: number) => void

export interface Words<A> {
  /** Call it before another page. */
  readonly begin: () => void
  /** Finds what ends in a part of a page; call it for one part after the other. */
  readonly read: (page: Page, from: number, to: number, onWord: OnWord<A>) => void
}

/** The condition for the words before the hashed ones. */
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
      // For a term that may continue, the last word may also be the beginning of one; but not without words before it.
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

/** The terms by number, in columns. Number 0 is unused. */
interface Table<A> extends Hashed {
  readonly filter: Int32Array
  readonly meanings: ReadonlyArray<A | undefined>
  readonly arounds: ReadonlyArray<Around | undefined>
  /** The next term with the same hash. */
  readonly nexts: ReadonlyArray<number>
}

/**
 * From one part of a page to the next, the hash of the current letters and of the previous word are kept. At the top level,
 * so that the compiler knows the arrays are always the same.
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
    // One test for both, because rare branches are predicted better.
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
/** Before the first word. */
const NO_WORD = 1

/** No letter is 0, which means that there is no word. */
const letterOf = (kind: number) => (isBetween(kind) || kind === IGNORED ? 0 : kind === FOREIGN ? SPACE : kind)

/** By unit: the factor and the summand for the hash; and by the following unit, the summand at the end of a word. */
const FACTOR = byUnit((kind) => (isBetween(kind) ? 0 : kind === IGNORED ? 1 : MULTIPLIER))
const ADDEND = byUnit(letterOf)
const ENDING = byUnit((kind) => (isBetween(kind) ? BEFORE_END : 0))

/** 13 bits of a hash select the entry, 5 the bit. */
const FILTER_SHIFT = 19
const FILTER_SIZE = 1 << (32 - FILTER_SHIFT)
const bitOf = (filter: Int32Array, hash: number): number => (filter[hash >>> FILTER_SHIFT]! >>> hash) & 1

const hashOf = (kinds: Uint8Array): number => {
  let hash = 0
  for (let index = 0; index < kinds.length; index++) hash = (Math.imul(hash, MULTIPLIER) + letterOf(kinds[index]!)) | 0
  return hash
}

/** A numeric table is several times as fast as a `Map`; it is at most half full. 0 means absent. */
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

/** The key of a term. */
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

// ---- words before --------------------------------------------------------------------------------------------------

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
/** The object before a member access. */
const NAMED = /[\w)\]]/
const unitAt = ({ units }: Page, index: number) => (index < 0 ? "" : String.fromCharCode(units[index]!))

/** The maximum distance between the words of a term. */
const GAP_MAX = 24

/** The end of the previous word, if it is near. */
const skipBack = (page: Page, index: number): number => {
  let end = index
  while (end > index - GAP_MAX && end >= 0 && !isLetter(page, end)) end--
  return end
}

/** Whether the previous word is near enough. */
const isNear = (page: Page, index: number): boolean => isLetter(page, skipBack(page, wordStart(page, index) - 1))

const endsWith = (page: Page, end: number, word: Uint8Array): boolean => {
  let index = end
  for (let place = word.length - 1; place >= 0; place--, index--) {
    while (kindAt(page, index) === IGNORED) index--
    if (kindAt(page, index) !== word[place]) return false
  }
  return !isLetter(page, index)
}

/** Whether there are only spaces between the position and a sign after which something begins. */
const begins = (page: Page, from: number): boolean => {
  let index = from - 1
  while (index > from - GAP_MAX && kindAt(page, index) === SPACE) index--
  return kindAt(page, index) === START
}
