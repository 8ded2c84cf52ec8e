/**
 * Parses the arguments of a tool or prompt as a person types them: one JSON object, or `key=value` words. An error says what
 * was expected and shows the offending part.
 */
import { ARGUMENTS_MAX_CHARS, WORDS_MAX } from "../defaults/CallLimits.ts"
import { LISTENER_CALL_MAX_DEPTH, LISTENER_CALL_MAX_PARTS, LISTENER_CALL_MAX_VALUES } from "../defaults/Listener.ts"
import * as Result from "effect/Result"
import { textWithinBounds, type TextBounds } from "../connection/JsonBounds.ts"
import { isObject } from "../data/Json.ts"

/** The error for arguments for which `exceeds(…, ARGUMENTS_MAX_CHARS)` is true. */
export const TOO_LONG = `they have more than ${ARGUMENTS_MAX_CHARS} characters, the limit of one call`

export type ToolArguments = Readonly<Record<string, unknown>>

/** Of what clients may type into a program that others use, too: as in their calls, parsing takes at most some 10 ms. */
const TYPED: TextBounds = {
  depth: LISTENER_CALL_MAX_DEPTH,
  nodes: LISTENER_CALL_MAX_VALUES,
  parts: LISTENER_CALL_MAX_PARTS
}

/** Of a text that is not JSON, so much is quoted from where it stops to be. */
const QUOTED_CHARS = 20

/** The message of the parser, with what stands there in place of a number. */
const jsonFault = (text: string, error: unknown): string => {
  if (!(error instanceof Error)) return "cannot be parsed"
  const [place, at = ""] = / (?:in JSON )?at position (\d+).*/s.exec(error.message) ?? []
  if (place === undefined) return error.message
  const found = text.slice(Number(at), Number(at) + QUOTED_CHARS).replace(/\s+/g, " ")
  return `${error.message.slice(0, -place.length)}, found ${found === "" ? "the end" : found}`
}

/** One JSON object. */
export const parseObject = (text: string, bounds?: TextBounds): Result.Result<ToolArguments, string> => {
  if (!textWithinBounds(text, bounds)) return Result.fail("the arguments are nested too deeply or too large")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return Result.fail(`the arguments are not JSON: ${jsonFault(text, error)}`)
  }
  if (!isObject(value)) return Result.fail('the arguments must be a JSON object, such as {"path":"."}')
  return Result.succeed(value)
}

/** A value that parses as JSON (`3`, `true`, `["a"]`) is JSON, otherwise text; `key="3"` is the text 3. */
const parseValue = (text: string, bounds?: TextBounds): unknown => {
  if (!textWithinBounds(text, bounds)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Words of the form `key=value`, divided at the first `=`. */
const readPairs = <A>(
  words: ReadonlyArray<string>,
  read: (text: string, key: string) => A
): Result.Result<Readonly<Record<string, A>>, string> => {
  const pairs = new Map<string, A>()
  for (const word of words) {
    const divider = word.indexOf("=")
    if (divider < 1) return Result.fail(`expected key=value, not '${word}'`)
    const key = word.slice(0, divider)
    if (pairs.has(key)) return Result.fail(`'${key}' is given twice`)
    pairs.set(key, read(word.slice(divider + 1), key))
  }
  // Unlike assignment, this makes an own property even of `__proto__`.
  return Result.succeed(Object.fromEntries(pairs))
}

/** Converts a typed value for the argument with this name; `read` is the value without knowledge of the argument. */
export type Typing = (name: string, text: string, read: unknown) => unknown

const asRead: Typing = (_, __, read) => read

export const parsePairs = (
  words: ReadonlyArray<string>,
  typed: Typing = asRead,
  bounds?: TextBounds
): Result.Result<ToolArguments, string> => readPairs(words, (text, name) => typed(name, text, parseValue(text, bounds)))

/** The arguments of a prompt are texts: `count=3` is the text 3. */
export type TextArguments = Readonly<Record<string, string>>

export const parseTextPairs = (words: ReadonlyArray<string>): Result.Result<TextArguments, string> =>
  readPairs(words, (text) => text)

/** One JSON object of texts; numbers and booleans become text as they are written. */
export const parseTextObject = (text: string, bounds?: TextBounds): Result.Result<TextArguments, string> =>
  Result.flatMap(parseObject(text, bounds), (args) => {
    const wrong = Object.keys(args).find((key) => typeof args[key] === "object")
    return wrong === undefined
      ? Result.succeed(Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)])))
      : Result.fail(`'${wrong}' must be a text`)
  })

/** A word, including quoted parts whose quotes are closed. */
const WORD = /\s*((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+)/sy
/** The beginning of a word whose value is a JSON list or object. */
const JSON_WORD = /\s*([^\s"'=]+=)(?=[[{])/y
const JSON_PIECE = /"(?:\\.|[^"\\])*"|[[{]|[\]}]|[^"[\]{}]+/sy

/** Runs a sticky pattern at `index`. */
const matchAt = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/** The position of the bracket that closes the one at `start`. */
const closingBracket = (line: string, start: number): number | undefined => {
  let depth = 0
  let index = start
  for (let piece = matchAt(JSON_PIECE, line, index); piece !== null; piece = matchAt(JSON_PIECE, line, index)) {
    index = JSON_PIECE.lastIndex
    if (piece[0] === "[" || piece[0] === "{") depth++
    if (piece[0] === "]" || piece[0] === "}") depth--
    if (depth === 0) return index
  }
  return undefined
}

const unquote = (word: string) =>
  word.replace(
    /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
    (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
      double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? ""
  )

/**
 * Splits a line like a shell without expansions: blanks separate, quotes group, a backslash escapes the next character. In
 * addition, `key=[…]` and `key={…}` may contain JSON with blanks and quotes.
 */
export const splitWords = (line: string): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  for (let index = 0; line.slice(index).trim() !== "";) {
    if (words.length === WORDS_MAX) return Result.fail(`there are more than ${WORDS_MAX} words`)
    const json = matchAt(JSON_WORD, line, index)
    if (json !== null) {
      const start = JSON_WORD.lastIndex
      const end = closingBracket(line, start)
      if (end === undefined) return Result.fail(`a bracket is not closed: ${line.slice(start)}`)
      words.push(json[1]! + line.slice(start, end))
      index = end
    } else {
      const word = matchAt(WORD, line, index)
      if (word === null) return Result.fail(`a quote is not closed: ${line.slice(index).trim()}`)
      words.push(unquote(word[1]!))
      index = WORD.lastIndex
    }
  }
  return Result.succeed(words)
}

/** The text after a name: nothing, one JSON object, or `key=value` words. */
const readLine =
  <A>(
    object: (text: string) => Result.Result<A, string>,
    pairs: (words: ReadonlyArray<string>) => Result.Result<A, string>
  ) =>
  (line: string): Result.Result<A, string> => {
    const text = line.trim()
    return text.startsWith("{") ? object(text) : Result.flatMap(splitWords(text), pairs)
  }

export const parseLine = (line: string, typed?: Typing): Result.Result<ToolArguments, string> =>
  readLine(
    (text) => parseObject(text, TYPED),
    (words) => parsePairs(words, typed, TYPED)
  )(line)

/** The same for a line that a shell has split into words. */
export const parseWords = (words: ReadonlyArray<string>, typed?: Typing): Result.Result<ToolArguments, string> => {
  const [first = ""] = words
  return words.length === 1 && first.trim().startsWith("{") ? parseObject(first) : parsePairs(words, typed)
}

export const parseTextLine = readLine((text) => parseTextObject(text, TYPED), parseTextPairs)
