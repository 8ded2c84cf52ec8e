/**
 * Finds terms in other scripts, which have too many letters for tables and partly no spaces. From each letter it follows the
 * terms that begin there. Alternatives of a term are followed at once; sets of positions in terms are built on first use and
 * cached. The work is limited by the longest term. A bit set of the first three letters of terms usually shows that there is
 * nothing to follow.
 */
import { FOREIGN, IGNORED, isOther, SPACE, START, symbolOf } from "./letters.ts"
import type { Term } from "./terms.ts"

export interface Phrases<A> {
  /** The next position from here on where a term may begin, or `size`. */
  readonly next: (symbols: Uint16Array, size: number, from: number) => number
  /** Finds the terms that begin here. The symbols contain no two spaces in a row; two more follow the end. */
  readonly at: (symbols: Uint16Array, size: number, index: number) => ReadonlyArray<Found<A>>
}

export interface Found<A> {
  readonly meaning: A
  /** The position after it. */
  readonly end: number
}

/** The next letter, or the end of a term. */
type Place<A> = Step<A> | { readonly id: number; readonly meaning: A }
interface Step<A> {
  readonly id: number
  readonly symbol: number
  readonly next: ReadonlyArray<Place<A>>
}

/** Positions in terms that are followed at the same time. */
interface State<A> {
  readonly steps: ReadonlyArray<Step<A>>
  readonly ends: ReadonlyArray<A>
  readonly ways: Map<number, State<A> | undefined>
}

// ---- whether a term may begin ------------------------------------------------------------------------------------------

/** By first letter: no term begins with it, or it is a whole term; otherwise the filter decides. */
const [NO_TERM, FILTERED, ALWAYS] = [0, 1, 2]
interface Beginnings {
  readonly kinds: Uint8Array
  readonly filter: Int32Array
}

/** 13 bits of a hash select the entry, 5 the bit. */
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

/** Builds a term from its end, so that what follows alternatives is stored once. */
const builder = <A>() => {
  let ids = 0
  const step = (symbol: number, next: ReadonlyArray<Place<A>>): ReadonlyArray<Place<A>> => [{ id: ids++, next, symbol }]

  const literal = (text: string, next: ReadonlyArray<Place<A>>): ReadonlyArray<Place<A>> => {
    let places = next
    for (let index = text.length - 1; index >= 0; index--) {
      const symbol = symbolOf(text.charCodeAt(index))
      if (symbol === IGNORED) continue
      const read = isOther(symbol) ? symbol : SPACE
      // All white space is one symbol.
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

/** The brace that opens what closes there. */
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
