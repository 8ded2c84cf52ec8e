/**
 * Finds terms in Latin letters: the hash of the letters since the beginning of a word is carried from one to the next, and
 * a bit set of the terms' hashes says nearly always that there is nothing more to do. A term of several words is found by
 * its rarest, and the words around that one are compared then. How many terms there are hardly matters for the time.
 */
import { DIGIT, FOREIGN, IGNORED, KINDS, SPACE, START } from "./letters.ts"
import type { Check, Term } from "./terms.ts"

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

/** The terms that are found by the same word. */
interface Candidates<A> {
  readonly alone: Array<A>
  /** By the hash of the word before. */
  readonly behind: Map<number, Array<Candidate<A>>>
  readonly other: Array<Candidate<A>>
}

export interface Words<A> {
  /** A bit for each hash of a term, see `mayBe`; the second for the terms that are anchors. */
  readonly filter: Int32Array
  readonly anchors: Int32Array
  /** What stands for certain where the letters up to `index`, with what comes after, have this hash. */
  readonly at: (hash: number, text: string, index: number) => ReadonlyArray<A>
}

const MULTIPLIER = 0x2c1b3c6d
const kinds = Array.from({ length: 32 }, (_, kind) => kind)

export const isBetween = (kind: number): boolean => kind === SPACE || kind === START
const letterOf = (kind: number) => (isBetween(kind) || kind === IGNORED ? 0 : kind === FOREIGN ? SPACE : kind)

/** By kind: what the hash is multiplied with and what is added; and what is added once more where a word ends after it. */
export const FACTOR = Int32Array.from(kinds, (kind) => (isBetween(kind) ? 0 : kind === IGNORED ? 1 : MULTIPLIER))
export const ADDEND = Int32Array.from(kinds, letterOf)
export const ENDING = Int32Array.from(kinds, (kind) => (isBetween(kind) ? 0x5bd1e995 : 0))

/** 15 bits of a hash tell the place, 5 the bit. */
export const mayBe = (filter: Int32Array, hash: number): boolean => ((filter[hash >>> 17]! >>> (hash & 31)) & 1) === 1
const FILTER_SIZE = 1 << 15

const hashOf = (letters: Uint8Array) => letters.reduce((hash, letter) => (Math.imul(hash, MULTIPLIER) + letter) | 0, 0)

export const makeWords = <A>(
  terms: Iterable<readonly [Term, A]>,
  isAnchor: (meaning: A) => boolean
): Words<A> => {
  const byHash = new Map<number, Candidates<A>>()
  const filter = new Int32Array(FILTER_SIZE)
  const anchors = new Int32Array(FILTER_SIZE)

  const put = (hash: number, candidate: Candidate<A>) => {
    filter[hash >>> 17]! |= 1 << (hash & 31)
    if (isAnchor(candidate.meaning)) anchors[hash >>> 17]! |= 1 << (hash & 31)
    const known = byHash.get(hash)
    const { alone, behind, other } = known ?? { alone: [], behind: new Map(), other: [] }
    if (known === undefined) byHash.set(hash, { alone, behind, other })
    if (candidate.before.length > 0) {
      const previous = hashOf(candidate.before[0]!)
      behind.set(previous, [...(behind.get(previous) ?? []), candidate])
    } else if (isAlone(candidate)) alone.push(candidate.meaning)
    else other.push(candidate)
  }

  for (const [term, meaning] of terms) {
    const { candidate, key, onward } = candidateOf(term, meaning)
    put((hashOf(key) + ENDING[SPACE]!) | 0, candidate)
    if (onward) put(hashOf(key), candidate)
  }

  const search = makeSearch(byHash)
  const found: Array<A> = []
  const at = (hash: number, text: string, index: number): ReadonlyArray<A> => {
    const candidates = search(hash)
    if (candidates === undefined) return NOTHING
    const { alone, behind, other } = candidates
    if (behind.size === 0 && other.length === 0) return alone
    found.length = 0
    for (const meaning of alone) found.push(meaning)
    for (const candidate of other) if (stands(candidate, text, index)) found.push(candidate.meaning)
    if (behind.size > 0) {
      const near = behind.get(hashBefore(text, index))
      if (near !== undefined) {
        for (const candidate of near) if (stands(candidate, text, index)) found.push(candidate.meaning)
      }
    }
    return found
  }

  return { anchors, at, filter }
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

const candidateOf = <A>({ atStart, check, symbols }: Term, meaning: A) => {
  const words = wordsOf(symbols)
  const open = symbols.at(-1) !== SPACE
  const key = words.reduce((best, word, index) => (rarity(word) >= rarity(words[best]!) ? index : best), 0)
  const candidate: Candidate<A> = {
    after: words.slice(key + 1),
    atStart,
    before: words.slice(0, key).reverse(),
    check,
    meaning,
    open
  }
  return { candidate, key: words[key]!, onward: open && key === words.length - 1 }
}

const wordsOf = (symbols: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const words: Array<Array<number>> = []
  for (const [index, symbol] of symbols.entries()) {
    if (symbol === SPACE) continue
    if (index === 0 || symbols[index - 1] === SPACE) words.push([])
    words.at(-1)!.push(symbol)
  }
  return words.map((word) => Uint8Array.from(word))
}

/** Long words are rare; of these not. */
const rarity = (word: Uint8Array) => (EVERYDAY.has(String.fromCharCode(...word.map((letter) => letter + 0x60))) ? 1 : word.length)
const EVERYDAY = new Set(
  `the and you are not for is it to of in on at be by as or an a i o no we do if me my so up us now all any was has
  had can may out off who how why his her its our own too yet per via let get see use new one two
  der die das und den dem des ein von zum zur mit ist bei als aus auf nur wie was wir ihr sie es er du so im am an zu
  le la les de des du un une et en ne pas que qui ce il elle on je tu au aux est son sa ses par sur
  el los las y o se su sus con por del al lo es un una que no si
  os as um uma do da dos das e ao na em seu sua nao
  il lo gli i di da in con su per tra che non ed sei del al
  het een van en ik je u hij zij op te om dat die bij aan als uit wat
  bir ve bu da de ile ne o sen siz
  this that these with from have been will your they what when which there their would about other into more were
  nicht eine einen einem einer dieser diese dieses sich auch wird werden dass oder
  dans pour avec vous votre cette sont plus tout tous toute toutes
  para como esta este esto todo todos todas pero
  voce mais isso essa esse
  della delle questo questa sono anche
  deze niet voor wordt naar zijn`.split(/\s+/)
)

// ---- around the word ---------------------------------------------------------------------------------------------------

const stands = <A>({ after, atStart, before, check, open }: Candidate<A>, text: string, index: number): boolean => {
  let from = wordStart(text, index)
  for (const word of before) {
    const end = skipBack(text, from - 1)
    if (!endsWith(text, end, word)) return false
    from = wordStart(text, end)
  }
  if (atStart && !begins(text, from)) return false
  if (check !== undefined && !CHECKS[check](text, from)) return false
  let end = index
  for (const [place, word] of after.entries()) {
    const to = startsWith(text, skip(text, end + 1), word)
    if (to === -1 || (!(open && place === after.length - 1) && isLetter(text, to + 1))) return false
    end = to
  }
  return true
}

/** The hash of the word before the one that ends or goes on at `index`. */
const hashBefore = (text: string, index: number): number => {
  const end = skipBack(text, wordStart(text, index) - 1)
  let hash = 0
  for (let place = wordStart(text, end); place <= end; place++) {
    const kind = kindAt(text, place)
    hash = (Math.imul(hash, FACTOR[kind]!) + ADDEND[kind]!) | 0
  }
  return hash
}

const CHECKS = {
  capitals: (text: string, from: number) => isCapital(text.charCodeAt(from)) && isCapital(text.charCodeAt(from + 1)),
  dotted: (text: string, from: number) => text.charCodeAt(from - 1) === DOT && !NAMED.test(text.charAt(from - 2))
}
const isCapital = (code: number) => code >= 0x41 && code <= 0x5a
const DOT = 0x2e
/** What a member is of. */
const NAMED = /[\w)\]]/

/** Words stand no further apart than this, and are no longer. */
const GAP_MAX = 24
const WORD_MAX = 40

const kindAt = (text: string, index: number): number =>
  index < 0 || index >= text.length ? START : KINDS[text.charCodeAt(index)]!

const isLetter = (text: string, index: number) => !isBetween(kindAt(text, index))

export const endsAfter = (text: string, index: number) => !isLetter(text, index + 1)

export const wordStart = (text: string, index: number): number => {
  let start = index
  while (start > index - WORD_MAX && isLetter(text, start - 1)) start--
  return start
}

/** The end of the word before, if there is one near. */
const skipBack = (text: string, index: number): number => {
  let end = index
  while (end > index - GAP_MAX && end >= 0 && !isLetter(text, end)) end--
  return end
}

const skip = (text: string, index: number): number => {
  let start = index
  while (start < index + GAP_MAX && start < text.length && !isLetter(text, start)) start++
  return start
}

const endsWith = (text: string, end: number, word: Uint8Array): boolean => {
  let index = end
  for (let place = word.length - 1; place >= 0; place--, index--) {
    while (kindAt(text, index) === IGNORED) index--
    if (kindAt(text, index) !== word[place]) return false
  }
  return !isLetter(text, index)
}

/** Where the word ends, or -1. */
const startsWith = (text: string, start: number, word: Uint8Array): number => {
  let index = start
  for (let place = 0; place < word.length; place++, index++) {
    while (kindAt(text, index) === IGNORED) index++
    if (kindAt(text, index) !== word[place]) return -1
  }
  return index - 1
}

/** Whether there are only spaces between the place and a sign that something begins after. */
const begins = (text: string, from: number): boolean => {
  let index = from - 1
  while (index > from - GAP_MAX && kindAt(text, index) === SPACE) index--
  return kindAt(text, index) === START
}
