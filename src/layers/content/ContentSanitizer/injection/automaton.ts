/**
 * Finds which of many patterns occur in a text, in one pass: an automaton over the letters a to z and the space between
 * words, built once, in steps. Each character costs one table look-up.
 */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"

/** The classes of characters: 1 to 26 are letters. */
export const [OTHER_SIGN, BETWEEN, SKIPPED] = [0, 27, 28]
/** Bits for all classes. */
const WIDTH_BITS = 5
/** Where a text begins. */
export const ROOT = 0

/** The first `size` classes of a pattern, and what it means. */
export type Add<A> = (reads: ArrayLike<number>, size: number, meaning: A) => void

export interface Automaton<A> {
  /** By state and class, the next state. */
  readonly next: Uint16Array
  /** By state, whether a pattern ends there, and which. */
  readonly isEnd: Uint8Array
  readonly ends: ReadonlyArray<ReadonlyArray<A>>
}

export const step = (next: Uint16Array, state: number, read: number): number => next[(state << WIDTH_BITS) | read]!

/** White space between words is read once; characters without width are skipped. */
export function* makeAutomaton<A>(fill: (add: Add<A>) => InTurns<void>): InTurns<Automaton<A>> {
  const { child, letter, meanings, next, sibling, size } = yield* makeTrie(fill)
  const isEnd = new Uint8Array(size)
  const ends: Array<ReadonlyArray<A>> = meanings.map(() => NOTHING)

  // Breadth first: a state without a transition continues like its longest proper suffix.
  const suffix = new Uint16Array(size)
  const queue = new Uint16Array(size)
  let last = 1
  for (let first = 0; first < last; first++) {
    const state = queue[first]!
    const [row, shorter] = [state << WIDTH_BITS, suffix[state]!]
    const from = shorter << WIDTH_BITS
    next.copyWithin(row, from, from | SKIPPED)
    for (let way = child[state]!; way !== 0; way = sibling[way]!) {
      const place = row | letter[way]!
      suffix[way] = state === ROOT ? ROOT : next[place]!
      next[place] = way
      queue[last++] = way
    }
    const [own, inherited] = [meanings[state], ends[shorter]!]
    ends[state] = own === undefined ? inherited : inherited.length === 0 ? own : [...own, ...inherited]
    if (ends[state].length > 0) isEnd[state] = 1
    // A pattern that ended with a space does not end again with the next space.
    if (letter[state] === BETWEEN && child[state] !== 0) next[row | BETWEEN] = state
    next[row | SKIPPED] = state
    if (first % STATES_AT_ONCE === 0) yield
  }
  return { ends, isEnd, next }
}

const NOTHING: ReadonlyArray<never> = []

/** The patterns by common prefixes: for each state its class, its first child and its next sibling. */
function* makeTrie<A>(fill: (add: Add<A>) => InTurns<void>) {
  let next = new Uint16Array(STATES_MIN << WIDTH_BITS)
  const letter = new Uint8Array(STATES_MAX)
  const [child, sibling] = [new Uint16Array(STATES_MAX), new Uint16Array(STATES_MAX)]
  const meanings: Array<Array<A> | undefined> = [undefined]
  let size = 1
  yield* fill((reads, length, meaning) => {
    if (size + length > STATES_MAX) return
    if ((size + length) << WIDTH_BITS > next.length) next = doubled(next)
    let state = ROOT
    for (let index = 0; index < length; index++) {
      const read = reads[index]!
      const place = (state << WIDTH_BITS) | read
      if (next[place] === 0) {
        letter[size] = read
        sibling[size] = child[state]!
        child[state] = size
        meanings.push(undefined)
        next[place] = size++
      }
      state = next[place]!
    }
    const known = meanings[state]
    if (known === undefined) meanings[state] = [meaning]
    else if (!known.includes(meaning)) known.push(meaning)
  })
  return { child, letter, meanings, next, sibling, size }
}
const STATES_AT_ONCE = 1 << 10
const STATES_MIN = 1 << 15
/** A state number has 16 bits. */
const STATES_MAX = 1 << 16

const doubled = (table: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> => {
  const larger = new Uint16Array(2 * table.length)
  larger.set(table)
  return larger
}
