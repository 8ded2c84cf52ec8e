/**
 * Ranks tools by the words of a query: BM25 over the words of their names, labels and descriptions, where those of a name
 * count more. Equal ranks keep the order of the list. The index is computed once per list. All of it is done in turns of the
 * event loop: servers choose the list, and clients the query.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { TOOL_QUERY_MAX_CHARS, TOOL_QUERY_MAX_WORDS } from "../../../schemas/defaults/Catalogue.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { inTurns, nextTurn } from "../../../system/inTurns.ts"

/** The weight of a word by its place. */
const IN_NAME = 4
const IN_LABEL = 2
/** The usual constants of BM25: how quickly repetition stops to matter, and how much length matters. */
const K1 = 1.2
const B = 0.75
/** The weight of a query word that is only the beginning of a word of the tool. */
const PREFIX_SHARE = 0.5
const PREFIX_MIN_CHARS = 3

/** A word in a tool: the place of the tool in the list, and the weight of the word there. */
interface Holder {
  readonly at: number
  readonly weight: number
}

interface Index {
  /** Of each tool in the list: the weights of its words together. */
  readonly lengths: ReadonlyArray<number>
  readonly averageLength: number
  readonly holders: ReadonlyMap<string, ReadonlyArray<Holder>>
}

/** `readTextFile` and `read_text-file` are the same three words. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

const weightsOf = ({ description, label, name }: AgentTool): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  const count = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  count(name, IN_NAME)
  count(label, IN_LABEL)
  count(description, 1)
  return weights
}

function* makeIndex(tools: ReadonlyArray<AgentTool>): InTurns<Index> {
  const holders = new Map<string, Array<Holder>>()
  const lengths: Array<number> = []
  let total = 0
  for (const [at, tool] of tools.entries()) {
    let length = 0
    for (const [word, weight] of weightsOf(tool)) {
      length += weight
      const known = holders.get(word)
      if (known === undefined) holders.set(word, [{ at, weight }])
      else known.push({ at, weight })
    }
    lengths.push(length)
    total += length
    yield
  }
  return { lengths, averageLength: total / Math.max(1, tools.length), holders }
}

/** The words of the index that match a word of the query, with their weights. */
const expand = ({ holders }: Index, word: string): ReadonlyArray<readonly [string, number]> => {
  const exact: ReadonlyArray<readonly [string, number]> = holders.has(word) ? [[word, 1]] : []
  if (word.length < PREFIX_MIN_CHARS) return exact
  const longer = [...holders.keys()].filter((known) => known !== word && known.startsWith(word))
  return [...exact, ...longer.map((known) => [known, PREFIX_SHARE] as const)]
}

/** Of each tool. */
function* scoresOf(index: Index, words: Iterable<string>): InTurns<Float64Array> {
  const { averageLength, holders, lengths } = index
  const scores = new Float64Array(lengths.length)
  for (const word of words) {
    for (const [term, share] of expand(index, word)) {
      const having = holders.get(term)!
      const rarity = Math.log(1 + (lengths.length - having.length + 0.5) / (having.length + 0.5))
      for (const { at, weight } of having) {
        const norm = K1 * (1 - B + (B * lengths[at]!) / averageLength)
        scores[at]! += share * rarity * ((weight * (K1 + 1)) / (weight + norm))
      }
      yield
    }
    yield
  }
  return scores
}

/** Returns a search that caches the index of a list as long as the list lives. */
export const makeToolSearch = () => {
  const known = new WeakMap<ReadonlyArray<AgentTool>, Index>()
  const making = Semaphore.makeUnsafe(1)

  const indexOf = (tools: ReadonlyArray<AgentTool>): Effect.Effect<Index> =>
    Effect.suspend(() => {
      const index = known.get(tools)
      if (index !== undefined) return Effect.succeed(index)
      return Effect.tap(inTurns(makeIndex(tools)), (made) => Effect.sync(() => known.set(tools, made)))
    })

  return (tools: ReadonlyArray<AgentTool>, query: string): Effect.Effect<ReadonlyArray<AgentTool>> =>
    Effect.gen(function* () {
      const index = known.get(tools) ?? (yield* making.withPermit(indexOf(tools)))
      const words = [...new Set(wordsOf(query.slice(0, TOOL_QUERY_MAX_CHARS)))].slice(0, TOOL_QUERY_MAX_WORDS)
      yield* nextTurn
      const scores = yield* inTurns(scoresOf(index, words))
      return tools
        .map((tool, at) => ({ tool, score: scores[at]! }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .map(({ tool }) => tool)
    })
}
