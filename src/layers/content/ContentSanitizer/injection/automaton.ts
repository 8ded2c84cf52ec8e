/**
 * Finds which of many patterns occur in a text, in one pass: an automaton over the letters a to z and the space between
 * words, built in steps. Each character costs one table look-up.
 */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"

/** The classes of characters: 1 to 26 are letters. */
export const [OTHER_SIGN, BETWEEN, SKIPPED] = [0, 27, 28]
/** Bits for all classes. */
const WIDTH_BITS = 5
/** Where a text begins. */
export const ROOT = 0

/** The first `size` classes of a pattern, and what it means; the first `kept` of them are those of the pattern before. */
export type Add<A> = (reads: ArrayLike<number>, size: number, meaning: A, kept?: number) => void

export interface Automaton<A> {
  /** By state and class, the next state; only of states that are known. */
  readonly next: Uint16Array
  /** By state, whether it is `UNKNOWN`, and whether a pattern ends there (`END`). */
  readonly flags: Uint8Array
  /** Makes a state known: a text that comes to it needs that first. */
  readonly learn: (state: number) => void
  /** The patterns that end at a known state. */
  readonly ends: ReadonlyArray<ReadonlyArray<A>>
}
export const [END, UNKNOWN] = [1, 2]

export const step = (next: Uint16Array, state: number, read: number): number => next[(state << WIDTH_BITS) | read]!

/**
 * White space between words is read once; characters without width are skipped. Of most patterns, texts contain no more than the first
 * letters. So a state is made when the first text may come to it, and not in each start of a program: those that are used are few, and
 * close together in memory.
 */
export function* makeAutomaton<A>(fill: (add: Add<A>) => InTurns<void>): InTurns<Automaton<A>> {
  const { child, letter, meanings, sibling, size } = yield* makeTrie(fill)
  const next = new Uint16Array(size << WIDTH_BITS)
  const flags = new Uint8Array(size)
  const ends: Array<ReadonlyArray<A>> = []
  /** By state: its place in the trie, and the state of its longest proper suffix, like which it continues where it has no way of its own. */
  const [nodes, suffix] = [new Uint16Array(size), new Uint16Array(size)]

  const begin = (node: number, shorter: number): number => {
    const state = ends.push(NOTHING) - 1
    nodes[state] = node
    suffix[state] = shorter
    flags[state] = UNKNOWN
    return state
  }

  const learn = (state: number): void => {
    if ((flags[state]! & UNKNOWN) === 0) return
    const [node, shorter] = [nodes[state]!, suffix[state]!]
    if (state !== ROOT) learn(shorter)
    const [row, from] = [state << WIDTH_BITS, shorter << WIDTH_BITS]
    next.copyWithin(row, from, from | SKIPPED)
    for (let way = child[node]!; way !== 0; way = sibling[way]!) {
      const place = row | letter[way]!
      next[place] = begin(way, state === ROOT ? ROOT : next[place]!)
    }
    // A space that goes on is the same one.
    if (letter[node] === BETWEEN && child[node] !== 0) next[row | BETWEEN] = state
    next[row | SKIPPED] = state
    const [own, inherited] = [meanings[node], ends[shorter]!]
    ends[state] = own === undefined ? inherited : inherited.length === 0 ? own : [...own, ...inherited]
    flags[state] = ends[state].length > 0 ? END : 0
  }
  learn(begin(ROOT, ROOT))
  return { ends, flags, learn, next }
}

const NOTHING: ReadonlyArray<never> = []

/** The patterns by common prefixes: for each node its class, its first child and its next sibling. The first node is the root. */
function* makeTrie<A>(fill: (add: Add<A>) => InTurns<void>) {
  const letter = new Uint8Array(NODES_MAX)
  const [child, sibling] = [new Uint16Array(NODES_MAX), new Uint16Array(NODES_MAX)]
  const meanings: Array<Array<A> | undefined> = [undefined]
  /** The nodes of the last pattern. */
  const path: Array<number> = [0]
  yield* fill((reads, length, meaning, kept = 0) => {
    if (meanings.length + length > NODES_MAX) {
      path.length = 1
      return
    }
    const known = Math.min(kept, length, path.length - 1)
    let node = path[known]!
    for (let index = known; index < length; index++) {
      const read = reads[index]!
      let way = child[node]!
      while (way !== 0 && letter[way] !== read) way = sibling[way]!
      if (way === 0) {
        way = meanings.push(undefined) - 1
        letter[way] = read
        sibling[way] = child[node]!
        child[node] = way
      }
      node = way
      path[index + 1] = node
    }
    const meant = meanings[node]
    if (meant === undefined) meanings[node] = [meaning]
    else if (!meant.includes(meaning)) meant.push(meaning)
  })
  return { child, letter, meanings, sibling, size: meanings.length }
}
/** A state has a number of 16 bits. */
const NODES_MAX = 1 << 16
