/** The terms of all lexicons as one tree of symbols, with the way back from each place to its longest proper suffix. */
import { SPACE } from "./letters.ts"
import type { Term } from "./terms.ts"

/** What has been found where a term ends. */
export interface Found {
  readonly feature: number
  /** One bit for each language. */
  readonly languages: number
}

export interface Trie {
  readonly size: number
  readonly child: (node: number, symbol: number) => number
  readonly childrenOf: (node: number) => ReadonlyArray<readonly [symbol: number, node: number]>
  readonly found: ReadonlyArray<ReadonlyArray<Found>>
}

export const ROOT = 0
/** After a space. */
export const BETWEEN = 1
/** After the beginning of a sentence. */
export const BEGINNING = 2

/** Symbols are units at most. */
const UNITS = 0x10000

export const makeTrie = (terms: Iterable<readonly [Term, Found]>): Trie => {
  const edges = new Map<number, number>([[SPACE, BETWEEN]])
  const children: Array<Array<readonly [number, number]>> = [[[SPACE, BETWEEN]], [], []]
  const found: Array<Array<Found>> = [[], [], []]

  const grow = (node: number, symbol: number): number => {
    const known = edges.get(node * UNITS + symbol)
    if (known !== undefined) return known
    const made = children.length
    edges.set(node * UNITS + symbol, made)
    children.push([])
    found.push([])
    children[node]!.push([symbol, made])
    return made
  }

  for (const [{ atStart, symbols }, meaning] of terms) {
    const end = found[symbols.reduce(grow, atStart ? BEGINNING : ROOT)]!
    const same = end.findIndex(({ feature }) => feature === meaning.feature)
    if (same === -1) end.push(meaning)
    else end[same] = { ...end[same]!, languages: end[same]!.languages | meaning.languages }
  }

  return {
    size: children.length,
    child: (node, symbol) => edges.get(node * UNITS + symbol) ?? ROOT,
    childrenOf: (node) => children[node]!,
    found
  }
}

/** Where a term ends, shorter ones end too; each feature is said once. */
export const joined = (own: ReadonlyArray<Found>, shorter: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  if (own.length === 0) return shorter
  const more = shorter.filter((other) => !own.some((one) => covers(one, other)))
  return more.length === 0 ? own : [...own, ...more]
}

const covers = (one: Found, other: Found) =>
  one.feature === other.feature && (other.languages & ~one.languages) === 0
