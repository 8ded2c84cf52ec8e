/** Parses the text of a configuration file (JSON5, in every format) into its value and the lines of its keys. */
import JSON5 from "json5"
import * as Result from "effect/Result"
import { brokenBound } from "./ConfigBounds.ts"
import { type KeyLines, scanKeyLines } from "./KeyLines.ts"

export interface ConfigText {
  readonly value: unknown
  readonly lines: KeyLines
}

export interface SyntaxProblem {
  /** 1-based; 0 for the whole text. */
  readonly line: number
  readonly message: string
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

const hasPlace = (error: unknown): error is SyntaxError & { lineNumber: number; columnNumber: number } =>
  error instanceof SyntaxError && "lineNumber" in error && "columnNumber" in error

/** A word such as `tru` is shown whole; anything longer, or with other characters, may be a credential. */
const TELLABLE = /^[A-Za-z]{2,12}$/

const wordAt = (text: string, line: number, column: number): string => {
  const whole = text.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? ""
  const before = /[^\s{}[\]:,"']*$/.exec(whole.slice(0, column - 1))?.[0] ?? ""
  const behind = /^[^\s{}[\]:,"']*/.exec(whole.slice(column - 1))?.[0] ?? ""
  const word = before + behind
  return TELLABLE.test(word) ? `, in ${word}` : ""
}

const syntaxProblem = (error: unknown, text: string): SyntaxProblem => {
  if (!hasPlace(error)) return { line: 0, message: "is not valid JSON5" }
  const { columnNumber, lineNumber } = error
  // The parser has counted an unexpected line break.
  if (columnNumber === 0) {
    return { line: lineNumber - 1, message: "syntax error: the line ends inside a string, is a quote missing?" }
  }
  if (error.message.includes("invalid end of input")) {
    return { line: lineNumber, message: "syntax error: the file ends too early, is a bracket or a quote missing?" }
  }
  const what = error.message.replace(/^JSON5: invalid /, "").replace(/ at \d+:\d+$/, "")
  return {
    line: lineNumber,
    message: `syntax error: unexpected ${what} at column ${columnNumber}${wordAt(text, lineNumber, columnNumber)}`
  }
}

export const parseConfigText = (text: string): Result.Result<ConfigText, SyntaxProblem> => {
  if (text.trim() === "") return Result.fail({ line: 0, message: "is empty" })
  const nul = text.indexOf("\0")
  if (nul !== -1) {
    return Result.fail({ line: lineAt(text, nul), message: "contains NUL bytes: is it a text file, saved as UTF-8?" })
  }
  const broken = brokenBound(text)
  if (broken !== undefined) return Result.fail({ line: lineAt(text, broken.index), message: broken.message })
  try {
    const value: unknown = JSON5.parse(text)
    return Result.succeed({ value, lines: scanKeyLines(text) })
  } catch (error) {
    return Result.fail(syntaxProblem(error, text))
  }
}
