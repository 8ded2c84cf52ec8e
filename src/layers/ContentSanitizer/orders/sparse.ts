/**
 * The automaton for terms in other scripts, which have too many letters for rows: a hash table of the ways on, and the way
 * to the longest proper suffix where there is none.
 */
import { SPACE } from "./letters.ts"
import { BEGINNING, BETWEEN, type Found, joined, ROOT, type Trie } from "./trie.ts"

export interface Sparse {
  /** The way on from a state with a letter. `fresh`: something begins here. */
  readonly letter: (state: number, symbol: number, fresh: boolean) => number
  readonly space: (state: number) => number
  readonly found: ReadonlyArray<ReadonlyArray<Found>>
}

/** Symbols are units of 16 bits. */
const UNITS = 0x10000
const NONE = -1

export const makeSparse = (trie: Trie): Sparse => {
  const { slotOf, states, keys } = makeTable(trie)
  const suffixes = new Int32Array(trie.size)
  const spaced = new Uint8Array(trie.size)
  const found: Array<ReadonlyArray<Found>> = Array.from({ length: trie.size }, () => [])

  const way = (state: number, symbol: number): number => {
    const key = state * UNITS + symbol
    for (let slot = slotOf(key); ; slot = (slot + 1) & (keys.length - 1)) {
      if (keys[slot] === key) return states[slot]!
      if (keys[slot] === NONE) return NONE
    }
  }

  const letter = (state: number, symbol: number, fresh: boolean): number => {
    // Every step back leads to a shorter suffix, and no letter makes it longer by more than itself.
    for (let from = state; ; from = suffixes[from]!) {
      if (from === BETWEEN && fresh) {
        const begun = way(BEGINNING, symbol)
        if (begun !== NONE) return begun
      }
      const to = way(from, symbol)
      if (to !== NONE) return to
      if (from === ROOT) return ROOT
    }
  }

  const space = (state: number): number => {
    for (let from = state; ; from = suffixes[from]!) {
      if (spaced[from] === 1) return from
      const to = way(from, SPACE)
      if (to !== NONE) return to
    }
  }

  const queue: Array<readonly [node: number, parent: number, symbol: number]> = [
    ...trie.childrenOf(ROOT).map(([symbol, node]) => [node, ROOT, symbol] as const)
  ]
  for (const [node, parent, symbol] of queue) {
    const isStart = node === BEGINNING
    suffixes[node] = isStart
      ? BETWEEN
      : parent === ROOT
        ? ROOT
        : symbol === SPACE
          ? space(suffixes[parent]!)
          : letter(suffixes[parent]!, symbol, false)
    spaced[node] = symbol === SPACE ? 1 : 0
    found[node] = joined(trie.found[node]!, found[suffixes[node]!]!)
    for (const [next, child] of trie.childrenOf(node)) queue.push([child, node, next])
    if (node === BETWEEN) queue.push([BEGINNING, ROOT, SPACE])
  }
  return { letter, space, found }
}

/** At most half full, so that a search ends soon. */
const makeTable = (trie: Trie) => {
  const bits = 32 - Math.clz32(trie.size * 2)
  const keys = new Float64Array(1 << bits).fill(NONE)
  const states = new Int32Array(1 << bits)
  const slotOf = (key: number) => Math.imul(key ^ (key / UNITS), 0x9e3779b1) >>> (32 - bits)
  for (let node = 0; node < trie.size; node++) {
    for (const [symbol, child] of trie.childrenOf(node)) {
      const key = node * UNITS + symbol
      let slot = slotOf(key)
      while (keys[slot] !== NONE) slot = (slot + 1) & (keys.length - 1)
      keys[slot] = key
      states[slot] = child
    }
  }
  return { keys, slotOf, states }
}
