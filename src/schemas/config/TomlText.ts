/** Parses a TOML text, as Codex writes it, into its value and the lines of its keys. */
import * as Result from "effect/Result"
import { parse, TomlError } from "smol-toml"
import { withinBounds } from "../data/Json.ts"
import { JSON_MAX_DEPTH } from "../defaults/Wire.ts"
import { CONFIG_MAX_VALUES } from "../defaults/Configuration.ts"
import type { ConfigText, SyntaxProblem } from "./ConfigText.ts"
import type { KeyLines } from "./KeyLines.ts"
import { formatKeyPath, type KeyPath } from "./KeyPath.ts"

const PART = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)`
const DOTTED = String.raw`${PART}(?:\s*\.\s*${PART})*`
const HEADER = new RegExp(String.raw`^\s*\[\[?\s*(${DOTTED})\s*\]\]?`)
const MEMBER = new RegExp(String.raw`^\s*(${DOTTED})\s*=(.*)$`)

const partsOf = (dotted: string): KeyPath =>
  [...dotted.matchAll(new RegExp(PART, "g"))].map(([part]) => {
    if (part.startsWith("'")) return part.slice(1, -1)
    return part.startsWith('"') ? part.slice(1, -1).replace(/\\(["\\])/g, "$1") : part
  })

/** The path of the table whose header is this line. */
export const headerOf = (line: string): KeyPath | undefined => {
  const dotted = HEADER.exec(line)?.[1]
  return dotted === undefined ? undefined : partsOf(dotted)
}

/** The quotation marks of a text over several lines that is still open after this one. */
export const openAfter = (line: string, open: string | undefined): string | undefined => {
  let quote = open
  for (const [mark] of line.matchAll(/"""|'''/g)) {
    if (quote === undefined) quote = mark
    else if (quote === mark) quote = undefined
  }
  return quote
}

const scanLines = (text: string): KeyLines => {
  const lines = new Map<string, number>()
  let table: KeyPath = []
  let open: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const header = open === undefined ? headerOf(line) : undefined
    const member = open === undefined ? MEMBER.exec(line)?.[1] : undefined
    if (header !== undefined) table = header
    const path = header === undefined ? (member === undefined ? undefined : [...table, ...partsOf(member)]) : table
    if (path !== undefined) {
      const key = formatKeyPath(path)
      if (!lines.has(key)) lines.set(key, index + 1)
    }
    open = openAfter(line, open)
  }
  const lineOf = (path: KeyPath): number => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(formatKeyPath(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return 1
  }
  return { lineOf, repeated: [] }
}

const problem = (error: unknown): SyntaxProblem => {
  if (!(error instanceof TomlError)) return { line: 0, message: "is not valid TOML" }
  // The message of the parser also quotes the line, which may hold a secret.
  const [what = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n")
  return { line: error.line, message: `syntax error at column ${error.column}: ${what}` }
}

export const parseTomlText = (text: string): Result.Result<ConfigText, SyntaxProblem> => {
  if (text.trim() === "") return Result.fail({ line: 0, message: "is empty" })
  try {
    const value: unknown = parse(text, { maxDepth: JSON_MAX_DEPTH })
    if (!withinBounds(value, JSON_MAX_DEPTH, CONFIG_MAX_VALUES)) {
      return Result.fail({ line: 0, message: `has more than ${CONFIG_MAX_VALUES} values` })
    }
    return Result.succeed({ value, lines: scanLines(text) })
  } catch (error) {
    return Result.fail(problem(error))
  }
}
