/**
 * Finds terms in Latin letters: the hash of the letters since the beginning of a word is carried from one to the next, and
 * a bit set of the terms' hashes says nearly always that there is nothing more to do. A term of several words is found by
 * its rarest, and the words around that one are compared then. How many terms there are hardly matters for the time.
 */
import { FOREIGN, IGNORED, isOther, KINDS, SPACE, START, symbolOf } from "./letters.ts"
import { isBetween, isLetter, kindAt, type Page, wordStart } from "./page.ts"
import { type Check, expanded, type Term } from "./terms.ts"

/** What a term means, and what must be so around the word that it is found by. */
interface Candidate<A> {
  readonly meaning: A
  readonly before: ReadonlyArray<Uint8Array>
  readonly after: ReadonlyArray<Uint8Array>
  /** Whether the last word may go on. */
  readonly open: boolean
  readonly atStart: boolean
  readonly check: Check
}

/** The terms that are found by the same word: on its own, by the hash of a word beside it, and after a longer look. */
interface Candidates<A> {
  readonly alone: Array<A>
  readonly behind: Map<number, Array<Candidate<A>>>
  readonly ahead: Map<number, Array<Candidate<A>>>
  readonly other: Array<Candidate<A>>
}

export interface Words<A> {
  /** What ends at this place; asked for one letter of a page after the other. */
  readonly at: (page: Page, index: number) => ReadonlyArray<A>
}

const MULTIPLIER = 0x2c1b3c6d
const BEFORE_END = 0x5bd1e995

const letterOf = (kind: number) => (isBetween(kind) || kind === IGNORED ? 0 : kind === FOREIGN ? SPACE : kind)

/** By unit: what the hash is multiplied with and what is added; and by the next one, what is added where a word ends. */
const FACTOR = Int32Array.from(KINDS, (kind) => (isBetween(kind) ? 0 : kind === IGNORED ? 1 : MULTIPLIER))
const ADDEND = Int32Array.from(KINDS, letterOf)
const ENDING = Int32Array.from(KINDS, (kind) => (isBetween(kind) ? BEFORE_END : 0))

/** 15 bits of a hash tell the place, 5 the bit. */
const FILTER_SIZE = 1 << 15
const mayBe = (filter: Int32Array, hash: number): boolean => ((filter[hash >>> 17]! >>> (hash & 31)) & 1) === 1

const hashOf = (letters: Uint8Array) => letters.reduce((hash, letter) => (Math.imul(hash, MULTIPLIER) + letter) | 0, 0)

export const makeWords = <A>(terms: Iterable<readonly [Term, A]>): Words<A> => {
  const byHash = new Map<number, Candidates<A>>()
  const filter = new Int32Array(FILTER_SIZE)

  const put = (hash: number, candidate: Candidate<A>) => {
    filter[hash >>> 17]! |= 1 << (hash & 31)
    const known = byHash.get(hash)
    const candidates: Candidates<A> = known ?? { ahead: new Map(), alone: [], behind: new Map(), other: [] }
    const { ahead, alone, behind, other } = candidates
    if (known === undefined) byHash.set(hash, candidates)
    const [previous, next] = [candidate.before[0], candidate.after[0]]
    if (isAlone(candidate)) alone.push(candidate.meaning)
    else if (previous !== undefined) join(behind, hashOf(previous), candidate)
    else if (next !== undefined && !(candidate.open && candidate.after.length === 1))
      join(ahead, hashOf(next), candidate)
    else other.push(candidate)
  }

  for (const [term, meaning] of terms) {
    for (const body of expanded(term.body)) {
      const { candidate, key, onward } = candidateOf(term, body, meaning)
      put((hashOf(key) + BEFORE_END) | 0, candidate)
      if (onward) put(hashOf(key), candidate)
    }
  }

  const search = makeSearch(byHash)
  const found: Array<A> = []
  const add = (candidates: ReadonlyArray<Candidate<A>> | undefined, page: Page, index: number) => {
    if (candidates === undefined) return
    for (const candidate of candidates) if (stands(candidate, page, index)) found.push(candidate.meaning)
  }
  let hash = 0
  let previous = 0
  const at = (page: Page, index: number): ReadonlyArray<A> => {
    const unit = page.units[index]!
    if (index !== previous + 1) hash = 0
    previous = index
    hash = (Math.imul(hash, FACTOR[unit]!) + ADDEND[unit]!) | 0
    const looked = (hash + ENDING[page.units[index + 1]!]!) | 0
    const candidates: Candidates<A> | undefined = mayBe(filter, looked) ? search(looked) : undefined
    if (candidates === undefined) return NOTHING
    const { ahead, alone, behind, other } = candidates
    if (behind.size === 0 && ahead.size === 0 && other.length === 0) return alone
    found.length = 0
    for (const meaning of alone) found.push(meaning)
    add(other, page, index)
    if (behind.size > 0) add(behind.get(hashBefore(page, index)), page, index)
    if (ahead.size > 0) add(ahead.get(hashAfter(page, index)), page, index)
    return found
  }

  return { at }
}

const join = <V>(map: Map<number, Array<V>>, key: number, value: V) => {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

/** A table of numbers is several times as fast as a `Map`; it is at most half full. */
const makeSearch = <V>(byHash: ReadonlyMap<number, V>): ((hash: number) => V | undefined) => {
  const bits = 33 - Math.clz32(byHash.size)
  const last = (1 << bits) - 1
  const keys = new Int32Array(last + 1)
  const values: Array<V | undefined> = Array.from(keys, () => undefined)
  for (const [hash, value] of byHash) {
    let slot = hash & last
    while (values[slot] !== undefined) slot = (slot + 1) & last
    keys[slot] = hash
    values[slot] = value
  }
  return (hash) => {
    let slot = hash & last
    while (keys[slot] !== hash && values[slot] !== undefined) slot = (slot + 1) & last
    return values[slot]
  }
}

const NOTHING: ReadonlyArray<never> = []

const isAlone = ({ after, atStart, before, check }: Candidate<unknown>) =>
  before.length === 0 && after.length === 0 && !atStart && check === undefined

const candidateOf = <A>({ atStart, check, onward: open }: Term, body: string, meaning: A) => {
  const words = wordsOf(body)
  const key = words.reduce((best, word, index) => (rarity(word) > rarity(words[best]!) ? index : best), 0)
  const candidate: Candidate<A> = {
    after: words.slice(key + 1),
    atStart,
    before: words.slice(0, key).toReversed(),
    check,
    meaning,
    open
  }
  return { candidate, key: words[key]!, onward: open && key === words.length - 1 }
}

const wordsOf = (body: string): ReadonlyArray<Uint8Array> => {
  const words: Array<Array<number>> = []
  let between = true
  for (let index = 0; index < body.length; index++) {
    const symbol = symbolOf(body.charCodeAt(index))
    if (symbol === IGNORED) continue
    if (isBetween(symbol) || isOther(symbol)) {
      between = true
      continue
    }
    if (between) words.push([])
    words.at(-1)!.push(symbol)
    between = false
  }
  return words.map((word) => Uint8Array.from(word))
}

/** Long words are rare; of these not. */
const rarity = (word: Uint8Array) =>
  EVERYDAY.has(String.fromCharCode(...word.map((letter) => letter + LETTER_A))) ? 0 : word.length
const LETTER_A = 0x60
const EVERYDAY = new Set(
  `the and you are not for is it to of in on at be by as or an a i o no we do if me my so up us now all any was has
  had can may out off who how why his her its our own too yet per via let get see use new one two
  this that these with from have been will your they what when which there their would about other into more were
  call code content context data env file files first function input json key keys list message messages mode model
  name open output prompt request result run say server session set start string system task test text time token tool tools
  type user users value agent ai
  der die das und den dem des ein von zum zur mit ist bei als aus auf nur wie was wir ihr sie es er du so im am an zu
  nicht eine einen einem einer dieser diese dieses sich auch wird werden dass oder
  le la les de des du un une et en ne pas que qui ce il elle on je tu au aux est son sa ses par sur
  dans pour avec vous votre cette sont plus tout tous toute toutes
  el los las y o se su sus con por del al lo es una si para como esta este esto todo todos todas pero
  os as um uma do da dos das e ao na em seu sua nao voce mais isso essa esse
  gli di per tra che non ed sei dei della delle questo questa sono anche
  het een van ik je u hij zij op te om dat bij uit wat deze niet voor wordt naar zijn
  bir ve bu ile sen siz icin`.split(/\s+/)
)

// ---- around the word ---------------------------------------------------------------------------------------------------

const stands = <A>({ after, atStart, before, check, open }: Candidate<A>, page: Page, index: number): boolean => {
  let from = wordStart(page, index)
  for (const word of before) {
    const end = skipBack(page, from - 1)
    if (!endsWith(page, end, word)) return false
    from = wordStart(page, end)
  }
  if (atStart && !begins(page, from)) return false
  if (check !== undefined && !CHECKS[check](page, from)) return false
  let end = index
  for (let place = 0; place < after.length; place++) {
    end = startsWith(page, skip(page, end + 1), after[place]!)
    if (end === -1 || (!(open && place === after.length - 1) && isLetter(page, end + 1))) return false
  }
  return true
}

/** The hash of the word before the one that ends or goes on at `index`. */
const hashBefore = (page: Page, index: number): number => {
  const end = skipBack(page, wordStart(page, index) - 1)
  let hash = 0
  for (let place = wordStart(page, end); place <= end; place++) {
    const unit = page.units[place]!
    hash = (Math.imul(hash, FACTOR[unit]!) + ADDEND[unit]!) | 0
  }
  return hash
}

/** The hash of the word after the one that ends at `index`. */
const hashAfter = (page: Page, index: number): number => {
  let hash = 0
  for (let place = skip(page, index + 1); isLetter(page, place); place++) {
    const unit = page.units[place]!
    hash = (Math.imul(hash, FACTOR[unit]!) + ADDEND[unit]!) | 0
  }
  return hash
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

const skip = (page: Page, index: number): number => {
  let start = index
  while (start < index + GAP_MAX && start < page.size && !isLetter(page, start)) start++
  return start
}

const endsWith = (page: Page, end: number, word: Uint8Array): boolean => {
  let index = end
  for (let place = word.length - 1; place >= 0; place--, index--) {
    while (kindAt(page, index) === IGNORED) index--
    if (kindAt(page, index) !== word[place]) return false
  }
  return !isLetter(page, index)
}

/** Where the word ends, or -1. */
const startsWith = (page: Page, start: number, word: Uint8Array): number => {
  let index = start
  for (let place = 0; place < word.length; place++, index++) {
    while (kindAt(page, index) === IGNORED) index++
    if (kindAt(page, index) !== word[place]) return -1
  }
  return index - 1
}

/** Whether there are only spaces between the place and a sign that something begins after. */
const begins = (page: Page, from: number): boolean => {
  let index = from - 1
  while (index > from - GAP_MAX && kindAt(page, index) === SPACE) index--
  return kindAt(page, index) === START
}
