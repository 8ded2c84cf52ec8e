/**
 * Finds terms in other scripts, which have too many letters for tables, and in part no spaces. From each letter on it walks
 * through the terms that begin there. Where a term has alternatives all of them are walked at once; sets of places in terms
 * are put together when a text first comes there, and kept. A walk is no longer than the longest term. A bit set of the
 * first three letters of the terms says mostly that no walk is to be made.
 */
import { FOREIGN, IGNORED, isOther, SPACE, START, symbolOf } from "./letters.ts"
import type { Term } from "./terms.ts"

export interface Phrases<A> {
  /** The next place from this one on where a term may begin, or `size`. */
  readonly next: (symbols: Uint16Array, size: number, from: number) => number
  /** What is found from here on, among symbols of which no two spaces follow one another; two more are there behind them. */
  readonly at: (symbols: Uint16Array, size: number, index: number) => ReadonlyArray<Found<A>>
}

export interface Found<A> {
  readonly meaning: A
  /** What stands behind it. */
  readonly end: number
}

/** A letter that is read next, or the end of a term. */
type Place<A> = Step<A> | { readonly id: number; readonly meaning: A }
interface Step<A> {
  readonly id: number
  readonly symbol: number
  readonly next: ReadonlyArray<Place<A>>
}

/** Places at which a walk is at the same time. */
interface State<A> {
  readonly steps: ReadonlyArray<Step<A>>
  readonly ends: ReadonlyArray<A>
  readonly ways: Map<number, State<A> | undefined>
}

// ---- whether a term may begin ------------------------------------------------------------------------------------------

/** By the first letter: no term begins with it, or one is nothing else; otherwise the filter tells. */
const [NO_TERM, FILTERED, ALWAYS] = [0, 1, 2]
interface Beginnings {
  readonly kinds: Uint8Array
  readonly filter: Int32Array
}

/** 13 bits of a hash tell the place, 5 the bit. */
const FILTER_SHIFT = 19
const pairOf = (first: number, second: number) => Math.imul(first, 0x2c1b3c6d) ^ Math.imul(second, 0x1b873593)
const tripleOf = (pair: number, third: number) => Math.imul(pair + third, 0x5bd1e995)
const bitOf = (filter: Int32Array, hash: number) => (filter[hash >>> FILTER_SHIFT]! >>> hash) & 1
const asSpace = (symbol: number) => (symbol === START ? SPACE : symbol)

const nextOf = ({ filter, kinds }: Beginnings, symbols: Uint16Array, size: number, from: number): number => {
  for (let index = from; index < size; index++) {
    const first = asSpace(symbols[index]!)
    const kind = kinds[first]!
    if (kind === NO_TERM) continue
    if (kind === ALWAYS) return index
    const pair = pairOf(first, asSpace(symbols[index + 1]!))
    if ((bitOf(filter, pair) | bitOf(filter, tripleOf(pair, asSpace(symbols[index + 2]!)))) === 1) return index
  }
  return size
}

const beginningsOf = (byFirst: ReadonlyMap<number, ReadonlyArray<Step<unknown>>>): Beginnings => {
  const kinds = new Uint8Array(1 << 16)
  const filter = new Int32Array(1 << (32 - FILTER_SHIFT))
  const put = (hash: number) => {
    filter[hash >>> FILTER_SHIFT]! |= 1 << (hash & 31)
  }
  for (const [symbol, steps] of byFirst) {
    const first = asSpace(symbol)
    for (const second of steps.flatMap(({ next }) => next)) {
      if (!("symbol" in second)) kinds[first] = ALWAYS
      if (kinds[first] === NO_TERM) kinds[first] = FILTERED
      if (!("symbol" in second)) continue
      const pair = pairOf(first, second.symbol)
      for (const third of second.next) put("symbol" in third ? tripleOf(pair, third.symbol) : pair)
    }
  }
  return { filter, kinds }
}

// ---- terms ---------------------------------------------------------------------------------------------------------

export const makePhrases = <A>(terms: ReadonlyArray<readonly [Term, A]>): Phrases<A> => {
  const build = builder<A>()
  const beginnings = new Map<number, Array<Step<A>>>()
  for (const [term, meaning] of terms) {
    for (const place of build(term, meaning)) {
      if (!("symbol" in place)) continue
      const known = beginnings.get(place.symbol)
      if (known === undefined) beginnings.set(place.symbol, [place])
      else known.push(place)
    }
  }

  const states = new Map<string, State<A>>()
  const stateOf = (steps: ReadonlyArray<Step<A>>): State<A> => {
    const places = [...new Map(steps.flatMap(({ next }) => next).map((place) => [place.id, place])).values()]
    const name = places
      .map(({ id }) => id)
      .toSorted((one, other) => one - other)
      .join()
    const known = states.get(name)
    if (known !== undefined) return known
    const state = {
      ends: [...new Set(places.flatMap((place) => ("symbol" in place ? [] : [place.meaning])))],
      steps: places.filter((place) => "symbol" in place),
      ways: new Map<number, State<A> | undefined>()
    }
    states.set(name, state)
    return state
  }

  const first = new Map<number, State<A> | undefined>()
  const begin = (symbol: number): State<A> | undefined => {
    if (first.has(symbol)) return first.get(symbol)
    const steps = [...(beginnings.get(symbol) ?? []), ...(symbol === START ? (beginnings.get(SPACE) ?? []) : [])]
    const state = steps.length === 0 ? undefined : stateOf(steps)
    first.set(symbol, state)
    return state
  }
  const go = (state: State<A>, symbol: number): State<A> | undefined => {
    if (state.ways.has(symbol)) return state.ways.get(symbol)
    const steps = state.steps.filter((step) => step.symbol === symbol)
    const next = steps.length === 0 ? undefined : stateOf(steps)
    state.ways.set(symbol, next)
    return next
  }

  const begins = beginningsOf(beginnings)
  const found: Array<Found<A>> = []
  const at = (symbols: Uint16Array, size: number, index: number): ReadonlyArray<Found<A>> => {
    let state = begin(symbols[index]!)
    if (state === undefined) return NOTHING
    found.length = 0
    for (let next = index + 1; ; next++) {
      for (const meaning of state.ends) found.push({ end: next, meaning })
      if (next >= size || state.steps.length === 0) return found
      const symbol = symbols[next]!
      state = go(state, symbol === START ? SPACE : symbol)
      if (state === undefined) return found
    }
  }
  return { at, next: (symbols, size, from) => nextOf(begins, symbols, size, from) }
}

const NOTHING: ReadonlyArray<never> = []

/** Puts a term together from its end, so that what comes after alternatives is there once. */
const builder = <A>() => {
  let ids = 0
  const step = (symbol: number, next: ReadonlyArray<Place<A>>): ReadonlyArray<Place<A>> => [{ id: ids++, next, symbol }]

  const literal = (text: string, next: ReadonlyArray<Place<A>>): ReadonlyArray<Place<A>> => {
    let places = next
    for (let index = text.length - 1; index >= 0; index--) {
      const symbol = symbolOf(text.charCodeAt(index))
      if (symbol === IGNORED) continue
      const read = isOther(symbol) ? symbol : SPACE
      // White space is one symbol, however it is written.
      if (read === SPACE && places.length === 1 && "symbol" in places[0]! && places[0].symbol === SPACE) continue
      places = step(read === FOREIGN ? SPACE : read, places)
    }
    return places
  }

  const sequence = (body: string, next: ReadonlyArray<Place<A>>): ReadonlyArray<Place<A>> => {
    const close = body.lastIndexOf("}")
    if (close === -1) return literal(body, next)
    const open = opening(body, close)
    const rest = literal(body.slice(close + 1), next)
    const choices = alternatives(body.slice(open + 1, close)).flatMap((choice) => sequence(choice, rest))
    return sequence(body.slice(0, open), [...new Set(choices)])
  }

  return ({ atStart, body, inside, onward }: Term, meaning: A): ReadonlyArray<Place<A>> => {
    const end: ReadonlyArray<Place<A>> = [{ id: ids++, meaning }]
    const places = sequence(body, onward ? end : step(SPACE, end))
    return atStart ? step(START, places) : inside ? places : step(SPACE, places)
  }
}

/** Where the brace was opened that is closed there. */
const opening = (body: string, close: number): number => {
  let depth = 0
  for (let index = close; index >= 0; index--) {
    if (body.charAt(index) === "}") depth++
    else if (body.charAt(index) === "{" && --depth === 0) return index
  }
  return 0
}

const alternatives = (inner: string): ReadonlyArray<string> => {
  const choices = [""]
  let depth = 0
  for (const char of inner) {
    if (char === "{") depth++
    else if (char === "}") depth--
    if (char === "|" && depth === 0) choices.push("")
    else choices[choices.length - 1] += char
  }
  return choices
}
