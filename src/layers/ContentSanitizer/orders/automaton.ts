/**
 * Tells in one pass which of many patterns stand in a text, however many there are: an automaton over the letters a to z
 * and the space between words, built once. A step of it costs one look into a table.
 */

/** What a character is to the automaton: 1 to 26 are letters. */
export const [OTHER_SIGN, BETWEEN, SKIPPED] = [0, 27, 28]
/** Room for all of them. */
const WIDTH_BITS = 5
/** Where a text begins. */
export const ROOT = 0

/** What is read, one after the other, and what it means where that was read. */
export type Pattern<A> = readonly [reads: ReadonlyArray<number>, meaning: A]

export interface Automaton<A> {
  /** By state and what is read, the next state. */
  readonly next: Uint16Array
  /** By state, whether a pattern ends there, and which. */
  readonly isEnd: Uint8Array
  readonly ends: ReadonlyArray<ReadonlyArray<A>>
}

export const step = (next: Uint16Array, state: number, read: number): number => next[(state << WIDTH_BITS) | read]!

/** White space between words is read once, and what has no width not at all. */
export const makeAutomaton = <A>(patterns: ReadonlyArray<Pattern<A>>): Automaton<A> => {
  const trie = makeTrie(patterns)
  const { child, letter, meanings, sibling, size } = trie
  const next = new Uint16Array(size << WIDTH_BITS)
  const isEnd = new Uint8Array(size)
  const ends: Array<ReadonlyArray<A>> = []

  // Breadth first: where a state has no way on, it goes on as its longest proper suffix does.
  const suffix = new Uint16Array(size)
  const queue = new Uint16Array(size)
  let last = 1
  for (let first = 0; first < last; first++) {
    const state = queue[first]!
    const [row, shorter] = [state << WIDTH_BITS, suffix[state]!]
    const from = shorter << WIDTH_BITS
    if (state !== ROOT) for (let read = 1; read <= BETWEEN; read++) next[row + read] = next[from + read]!
    const [own, inherited] = [meanings[state], ends[shorter] ?? NOTHING]
    ends[state] = own === undefined ? inherited : inherited.length === 0 ? own : [...own, ...inherited]
    if (ends[state].length > 0) isEnd[state] = 1
    for (let way = child[state]!; way !== 0; way = sibling[way]!) {
      suffix[way] = state === ROOT ? ROOT : next[row | letter[way]!]!
      next[row | letter[way]!] = way
      queue[last++] = way
    }
    // A pattern that ended with a space does not end once more with the next one.
    if (letter[state] === BETWEEN && child[state] !== 0) next[row | BETWEEN] = state
    next[row | SKIPPED] = state
  }
  return { ends, isEnd, next }
}

const NOTHING: ReadonlyArray<never> = []

/** The patterns by their common beginnings: of each state a first child, and of each child the next one. */
const makeTrie = <A>(patterns: ReadonlyArray<Pattern<A>>) => {
  const room = patterns.reduce((sum, [reads]) => sum + reads.length, 1)
  const [child, sibling, letter] = [new Int32Array(room), new Int32Array(room), new Uint8Array(room)]
  const meanings: Array<Array<A> | undefined> = [undefined]
  let size = 1
  for (const [reads, meaning] of patterns) {
    if (size + reads.length > STATES_MAX) break
    let state = ROOT
    for (const read of reads) {
      let way = child[state]!
      while (way !== 0 && letter[way] !== read) way = sibling[way]!
      if (way === 0) {
        way = size++
        letter[way] = read
        sibling[way] = child[state]!
        child[state] = way
        meanings.push(undefined)
      }
      state = way
    }
    const known = meanings[state]
    if (known === undefined) meanings[state] = [meaning]
    else known.push(meaning)
  }
  return { child, letter, meanings, sibling, size }
}
/** A state is kept in 16 bits. */
const STATES_MAX = 1 << 16
