/**
 * Ranks tools by the words of a query: BM25 over the words of their names, labels and descriptions, where those of a name
 * count more. Equal ranks keep the order of the list. The index is computed once per list.
 */
import { TOOL_QUERY_MAX_WORDS } from "../../../schemas/defaults/Catalogue.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"

/** The weight of a word by its place. */
const IN_NAME = 4
const IN_LABEL = 2
/** The usual constants of BM25: how quickly repetition stops to matter, and how much length matters. */
const K1 = 1.2
const B = 0.75
/** The weight of a query word that is only the beginning of a word of the tool. */
const PREFIX_SHARE = 0.5
const PREFIX_MIN_CHARS = 3

interface Indexed {
  readonly tool: AgentTool
  readonly weights: ReadonlyMap<string, number>
  readonly length: number
}

interface Index {
  readonly entries: ReadonlyArray<Indexed>
  readonly averageLength: number
  /** The number of tools in which a word occurs. */
  readonly spread: ReadonlyMap<string, number>
}

/** `readTextFile` and `read_text-file` are the same three words. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const indexOne = (tool: AgentTool): Indexed => {
  const weights = new Map<string, number>()
  const count = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  count(tool.name, IN_NAME)
  count(tool.label, IN_LABEL)
  count(tool.description, 1)
  let length = 0
  for (const weight of weights.values()) length += weight
  return { tool, weights, length }
}

const makeIndex = (tools: ReadonlyArray<AgentTool>): Index => {
  const entries = tools.map(indexOne)
  const spread = new Map<string, number>()
  let total = 0
  for (const { length, weights } of entries) {
    total += length
    for (const word of weights.keys()) spread.set(word, (spread.get(word) ?? 0) + 1)
  }
  return { entries, averageLength: total / Math.max(1, entries.length), spread }
}

/** The words of the index that match a word of the query, with their weights. */
const expand = ({ spread }: Index, word: string): ReadonlyArray<readonly [string, number]> => {
  const exact: ReadonlyArray<readonly [string, number]> = spread.has(word) ? [[word, 1]] : []
  if (word.length < PREFIX_MIN_CHARS) return exact
  const longer = [...spread.keys()].filter((known) => known !== word && known.startsWith(word))
  return [...exact, ...longer.map((known) => [known, PREFIX_SHARE] as const)]
}

const scoreOf = (index: Index, { length, weights }: Indexed, terms: ReadonlyArray<readonly [string, number]>) => {
  let score = 0
  for (const [word, share] of terms) {
    const weight = weights.get(word)
    if (weight === undefined) continue
    const holders = index.spread.get(word)!
    const rarity = Math.log(1 + (index.entries.length - holders + 0.5) / (holders + 0.5))
    const norm = K1 * (1 - B + (B * length) / index.averageLength)
    score += share * rarity * ((weight * (K1 + 1)) / (weight + norm))
  }
  return score
}

/** Returns a search that caches the index of a list as long as the list lives. */
export const makeToolSearch = () => {
  const known = new WeakMap<ReadonlyArray<AgentTool>, Index>()

  return (tools: ReadonlyArray<AgentTool>, query: string): ReadonlyArray<AgentTool> => {
    let index = known.get(tools)
    if (index === undefined) known.set(tools, (index = makeIndex(tools)))
    const present = index
    const words = [...new Set(wordsOf(query))].slice(0, TOOL_QUERY_MAX_WORDS)
    const terms = words.flatMap((word) => expand(present, word))
    return present.entries
      .map((entry) => ({ tool: entry.tool, score: scoreOf(present, entry, terms) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ tool }) => tool)
  }
}
