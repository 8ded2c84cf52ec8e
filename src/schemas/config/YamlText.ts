/** Parses a YAML text, as Goose writes it, into its value and the lines of its keys. */
import * as Result from "effect/Result"
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import { withinBounds } from "../data/Json.ts"
import { CONFIG_MAX_VALUES } from "../defaults/Configuration.ts"
import { JSON_MAX_DEPTH } from "../defaults/Wire.ts"
import type { ConfigText, SyntaxProblem } from "./ConfigText.ts"
import type { KeyLines } from "./KeyLines.ts"
import type { KeyPath } from "./KeyPath.ts"

/** The parser needs a stack frame for each level, so brackets are counted before. Those in texts count, too. */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const char of text) {
    if (char === "[" || char === "{") depth++
    else if (char === "]" || char === "}") depth = Math.max(0, depth - 1)
    if (depth > JSON_MAX_DEPTH) return true
  }
  return /^ {400}/m.test(text) || /^(?:- ?){200}/m.test(text)
}

const keyOf = (key: unknown): unknown => (isScalar(key) ? String(key.value) : undefined)

const linesOf = (root: unknown, counter: LineCounter): KeyLines => {
  const lineAt = (node: unknown): number | undefined => {
    const range = (node as Node | null)?.range
    return range == null ? undefined : counter.linePos(range[0]).line
  }
  const lineOf = (path: KeyPath): number => {
    let [node, line] = [root, lineAt(root) ?? 1]
    for (const key of path) {
      const pair = isMap(node) ? node.items.find((item) => keyOf(item.key) === String(key)) : undefined
      const item = isSeq(node) ? node.items[Number(key)] : undefined
      if (pair === undefined && item === undefined) break
      line = lineAt(pair?.key ?? item) ?? line
      node = pair === undefined ? item : pair.value
    }
    return line
  }
  return { lineOf, repeated: [] }
}

/** Words of the parser may quote the text, which may hold a secret; its codes do not. */
const inWords = (code: string): string => `is not valid YAML (${code.toLowerCase().replaceAll("_", " ")})`

export const parseYamlText = (text: string): Result.Result<ConfigText, SyntaxProblem> => {
  if (text.trim() === "") return Result.fail({ line: 0, message: "is empty" })
  if (isTooDeep(text)) return Result.fail({ line: 0, message: `is nested more than ${JSON_MAX_DEPTH} levels deep` })
  const counter = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: "silent" })
    const error = document.errors[0]
    if (error !== undefined) {
      return Result.fail({ line: counter.linePos(error.pos[0]).line, message: inWords(error.code) })
    }
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (!withinBounds(value, JSON_MAX_DEPTH, CONFIG_MAX_VALUES)) {
      return Result.fail({ line: 0, message: `has more than ${CONFIG_MAX_VALUES} values, or is nested too deep` })
    }
    return Result.succeed({ value, lines: linesOf(document.contents, counter) })
  } catch {
    return Result.fail({ line: 0, message: "is not valid YAML, or an alias in it is used too often" })
  }
}
