/**
 * Finds the line of each key in a JSON5 text. It only gets text that the JSON5 parser accepted, so it never fails; it walks
 * the tokens once, without recursion, and counts lines like that parser.
 */
import JSON5 from "json5"
import type { KeyPath } from "./KeyPath.ts"

export interface KeyLines {
  /** 1-based. A path that is not in the text has the line of its nearest ancestor; 0 without a text. */
  readonly lineOf: (path: KeyPath) => number
  /** Keys that occur more than once in an object, with the line of the overridden occurrence. */
  readonly repeated: ReadonlyArray<{ readonly path: KeyPath; readonly line: number }>
  /** Where a path of the decoded value is in the text, if the text was translated. */
  readonly sourceOf?: (path: KeyPath) => KeyPath
}

/** For a configuration that never was a text. */
export const noLines: KeyLines = { lineOf: () => 0, repeated: [] }

interface Mark {
  line: number
  children: Map<string | number, Mark> | undefined
}

interface Token {
  readonly text: string
  readonly line: number
}

const SPACE = /\s/
const PUNCTUATION = "{}[]:,"
/** Ends a number, a literal or an unquoted key. */
const DELIMITER = /[\s{}[\]:,/"']/

function* tokensOf(text: string): Generator<Token> {
  let position = 0
  let line = 1
  const advance = (end: number) => {
    for (; position < end; position++) if (text[position] === "\n") line++
  }
  const endOf = (found: number, length: number) => (found === -1 ? text.length : found + length)
  while (position < text.length) {
    const character = text[position]!
    if (SPACE.test(character)) advance(position + 1)
    else if (text.startsWith("//", position)) advance(endOfLine(text, position))
    else if (text.startsWith("/*", position)) advance(endOf(text.indexOf("*/", position + 2), 2))
    else {
      const end = PUNCTUATION.includes(character)
        ? position + 1
        : character === '"' || character === "'"
          ? endOfString(text, position)
          : endOfWord(text, position)
      yield { text: text.slice(position, end), line }
      advance(end)
    }
  }
}

const endOfLine = (text: string, start: number): number => {
  let end = start
  while (end < text.length && !/[\n\r\u2028\u2029]/.test(text[end]!)) end++
  return end
}

const endOfString = (text: string, start: number): number => {
  let end = start + 1
  while (end < text.length && text[end] !== text[start]) end += text[end] === "\\" ? 2 : 1
  return end + 1
}

const endOfWord = (text: string, start: number): number => {
  let end = start + 1
  while (end < text.length && !DELIMITER.test(text[end]!)) end++
  return end
}

/** Decodes keys with quotes or escapes with the parser, so that both always agree. */
const decodeKey = (token: string): string => {
  if (token.startsWith('"') || token.startsWith("'")) return JSON5.parse<string>(token)
  return token.includes("\\") ? Object.keys(JSON5.parse<object>(`{${token}:0}`))[0]! : token
}

interface Frame {
  readonly mark: Mark
  readonly isArray: boolean
  /** Key or index of the child that is being read; `undefined` while an object waits for a key. */
  key: string | number | undefined
}

export const scanKeyLines = (text: string): KeyLines => {
  const root: Mark = { line: 1, children: undefined }
  const stack: Array<Frame> = []
  const repeated: Array<{ path: KeyPath; line: number }> = []

  const child = (frame: Frame, key: string | number, line: number): Mark => {
    frame.mark.children ??= new Map()
    const before = frame.mark.children.get(key)
    if (before !== undefined) {
      repeated.push({ path: [...stack.slice(0, -1).map((outer) => outer.key!), key], line: before.line })
    }
    const mark = { line, children: undefined }
    frame.mark.children.set(key, mark)
    return mark
  }

  /** The mark of the value that begins here. A member of an object got its mark with its key. */
  const valueMark = (line: number): Mark => {
    const frame = stack.at(-1)
    if (frame === undefined) {
      root.line = line
      return root
    }
    return frame.isArray ? child(frame, frame.key!, line) : frame.mark.children!.get(frame.key!)!
  }

  for (const token of tokensOf(text)) {
    const frame = stack.at(-1)
    if (token.text === "{") stack.push({ mark: valueMark(token.line), isArray: false, key: undefined })
    else if (token.text === "[") stack.push({ mark: valueMark(token.line), isArray: true, key: 0 })
    else if (token.text === "}" || token.text === "]") stack.pop()
    else if (token.text === ",") frame!.key = typeof frame!.key === "number" ? frame!.key + 1 : undefined
    else if (token.text === ":") continue
    else if (frame !== undefined && frame.key === undefined) {
      const key = decodeKey(token.text)
      child(frame, key, token.line)
      frame.key = key
    } else valueMark(token.line)
  }

  const lineOf = (path: KeyPath): number => {
    let mark = root
    for (const key of path) {
      const next = mark.children?.get(key)
      if (next === undefined) break
      mark = next
    }
    return mark.line
  }
  return { lineOf, repeated }
}
