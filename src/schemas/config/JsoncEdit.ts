/**
 * Puts one entry into a file of JSON with comments, or JSON5, or takes one out, as a person would: at its place in the text, and without changing
 * anything else. Comments, trailing commas, indentation and the order stay as they are. It is our own because `jsonc-parser` formats the entries
 * beside the new one anew and moves their comments, and because a file that is not understood is refused here instead of repaired.
 */
import JSON5 from "json5"
import * as Result from "effect/Result"
import { isDeepStrictEqual } from "node:util"
import { brokenBound } from "./ConfigBounds.ts"
import { memberAt, type Path, withMember, withoutMember } from "../data/Members.ts"

interface Span {
  readonly from: number
  readonly to: number
}

interface Member extends Span {
  readonly key: string
  readonly value: Span
}

class Odd extends Error {}

/** The position after white space and comments. */
const skipBlank = (text: string, from: number): number => {
  let at = from
  for (;;) {
    const rest = text.slice(at, at + 2)
    if (/^\s/.test(rest)) at++
    else if (rest === "//") {
      const end = text.indexOf("\n", at)
      // JSON5 ends a comment there, and other readers do not.
      if (/[\u2028\u2029]|\r(?!\n)/.test(text.slice(at, end === -1 ? undefined : end + 1)))
        throw new Odd("programs do not agree on where one of its comments ends")
      at = end === -1 ? text.length : end + 1
    } else if (rest === "/*") {
      const end = text.indexOf("*/", at + 2)
      if (end === -1) throw new Odd("a comment does not end")
      at = end + 2
    } else return at
  }
}

const isQuote = (char: string | undefined): boolean => char === '"' || char === "'"

const skipString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at += text.startsWith("\r\n", at + 1) ? 2 : 1
    else if (text[at] === text[from]) return at + 1
    else if (text[at] === "\n") break
  }
  throw new Odd("a string does not end")
}

/** The position after a value. Reads only as much of it as needed to find its end. */
const skipValue = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; ;) {
    const char = text[at]
    if (char === undefined) throw new Odd("it ends in the middle")
    if (isQuote(char)) at = skipString(text, at)
    else if (char === "{" || char === "[") {
      depth++
      at++
    } else if (char === "}" || char === "]") {
      depth--
      at++
    } else {
      const scalar = /^[\w.+-]+/.exec(text.slice(at, at + 64))?.[0]
      if (scalar === undefined && depth === 0) throw new Odd("there is no value where one should be")
      at += scalar?.length ?? 1
    }
    if (depth === 0) return at
    at = skipBlank(text, at)
  }
}

/** The end of a key without quotation marks. */
const skipWord = (text: string, from: number): number => {
  let at = from
  while (at < text.length && !/[\s:{}[\],"'/]/.test(text[at]!)) at++
  if (at === from) throw new Odd("there is no key where one should be")
  return at
}

/** A key as the parser reads it. */
const keyAt = (text: string, { from, to }: Span): string =>
  Object.keys(JSON5.parse<Record<string, unknown>>(`{${text.slice(from, to)}:0}`))[0]!

/** The places of the items of the list that begins at `from`. */
const itemsOf = (text: string, from: number): ReadonlyArray<Span> => {
  if (text[from] !== "[") throw new Odd("there is no list where one should be")
  const items: Array<Span> = []
  let at = skipBlank(text, from + 1)
  while (text[at] !== "]") {
    const end = skipValue(text, at)
    items.push({ from: at, to: end })
    at = skipBlank(text, end)
    if (text[at] === ",") at = skipBlank(text, at + 1)
    else if (text[at] !== "]") throw new Odd("there is no comma between two items")
  }
  return items
}

/** The members of the object that begins at `from`. */
const membersOf = (text: string, from: number): { readonly members: ReadonlyArray<Member>; readonly end: number } => {
  if (text[from] !== "{") throw new Odd("there is no object where one should be")
  const members: Array<Member> = []
  let at = skipBlank(text, from + 1)
  while (text[at] !== "}") {
    const keyEnd = isQuote(text[at]) ? skipString(text, at) : skipWord(text, at)
    const colon = skipBlank(text, keyEnd)
    if (text[colon] !== ":") throw new Odd("there is no colon behind a key")
    const begin = skipBlank(text, colon + 1)
    const end = skipValue(text, begin)
    members.push({ from: at, to: end, key: keyAt(text, { from: at, to: keyEnd }), value: { from: begin, to: end } })
    at = skipBlank(text, end)
    if (text[at] === ",") at = skipBlank(text, at + 1)
    else if (text[at] !== "}") throw new Odd("there is no comma between two members")
  }
  return { members, end: at }
}

const replace = (text: string, { from, to }: Span, by: string) => text.slice(0, from) + by + text.slice(to)

const lineBreakOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n")

/** The white space at the beginning of the line. */
const indentAt = (text: string, at: number): string => {
  const begin = text.lastIndexOf("\n", at - 1) + 1
  return /^[ \t]*/.exec(text.slice(begin, at))?.[0] ?? ""
}

/** One step of indentation, as used in the file. */
const stepOf = (text: string): string => /\n([ \t]+)["'\w$]/.exec(text)?.[1] ?? "  "

const written = (value: unknown, indent: string, text: string): string =>
  JSON.stringify(value, undefined, stepOf(text)).replaceAll("\n", `${lineBreakOf(text)}${indent}`)

/** Inserts as the last member of the object at `from`. A comma behind the last one stays the custom of the object. */
const insert = (text: string, from: number, key: string, value: unknown): string => {
  const { end, members } = membersOf(text, from)
  const outer = indentAt(text, from)
  const first = members[0]
  const last = members.at(-1)
  const isOnLines = first === undefined || text.slice(from, first.from).includes("\n")
  const inner = first !== undefined && isOnLines ? indentAt(text, first.from) : outer + stepOf(text)
  const line = lineBreakOf(text)
  const hasComma = last !== undefined && text[skipBlank(text, last.to)] === ","
  // Behind the comments that follow the last member.
  const at = text.slice(0, end).trimEnd().length
  const closing = text.slice(at, end).includes("\n") ? "" : line + outer
  const member = `${JSON.stringify(key)}: ${written(value, inner, text)}${hasComma ? "," : ""}`
  const before =
    last === undefined || hasComma ? text.slice(0, at) : `${text.slice(0, last.to)},${text.slice(last.to, at)}`
  // A short value stays on the line of an object that has only one.
  if (!isOnLines && typeof value !== "object") return `${before} ${member}${text.slice(at)}`
  return before + line + inner + member + closing + text.slice(at)
}

const parsed = (text: string): unknown => {
  const broken = brokenBound(text)
  if (broken !== undefined) throw new Odd(`it ${broken.message}`)
  try {
    return JSON5.parse(text)
  } catch {
    throw new Odd("it is not JSON")
  }
}

/** The objects by name, each in the one before, that lead to the entries. */
export type Section = ReadonlyArray<string>

/** The value of a path that is not there: objects around the entry. */
const wrapped = (rest: Path, value: unknown): unknown => withMember({}, rest, value)

/** The item of a list; it is not extended. */
const itemAt = (text: string, from: number, index: number): Span => {
  const item = itemsOf(text, from)[index]
  if (item === undefined) throw new Odd(`there is no item ${index} where one should be`)
  return item
}

/** The member of the object that begins at `from`, if it has one of that name. */
const memberNamed = (text: string, from: number, key: string): Member | undefined => {
  const named = membersOf(text, from).members.filter((member) => member.key === key)
  if (named.length > 1) throw new Odd(`it has "${key}" twice`)
  return named[0]
}

/** The text with the value of `path`, below the object that begins at `from`. */
const edited = (text: string, from: number, [key = "", ...rest]: Path, value: unknown): string => {
  if (typeof key === "number") return edited(text, itemAt(text, from, key).from, rest, value)
  const there = memberNamed(text, from, key)
  if (there === undefined) return insert(text, from, key, wrapped(rest, value))
  if (rest.length > 0) return edited(text, there.value.from, rest, value)
  if (isDeepStrictEqual(parsed(text.slice(there.value.from, there.value.to)), value)) return text
  return replace(text, there.value, written(value, indentAt(text, there.from), text))
}

/** The end of the line if nothing but white space and comments of that line follow. */
const lineEnd = (text: string, from: number): number =>
  /^[ \t]*(?:\/\/[^\n]*)?(?:\r?\n|$)/.exec(text.slice(from))?.[0].length ?? 0

/** Without the member at `path`, the comma that belongs to it, and its line where it has one for itself. */
const cut = (text: string, from: number, [key = "", ...rest]: Path): string => {
  if (typeof key === "number") return cut(text, itemAt(text, from, key).from, rest)
  const there = memberNamed(text, from, key)
  if (there === undefined) return text
  if (rest.length > 0) return cut(text, there.value.from, rest)
  const { end, members } = membersOf(text, from)
  const comma = skipBlank(text, there.to)
  const isLast = text[comma] !== ","
  const to = isLast ? there.to : comma + 1
  const begin = text.lastIndexOf("\n", there.from - 1) + 1
  const ownLine = text.slice(begin, there.from).trim() === "" && begin > from
  const tail = lineEnd(text, to)
  const span = ownLine && tail > 0 && to + tail <= end ? { from: begin, to: to + tail } : { from: there.from, to }
  const without = replace(text, span, "")
  const before = members[members.findIndex((member) => member.from === there.from) - 1]
  if (!isLast || before === undefined) return without
  // A comma behind the last member is allowed, but not in JSON.
  const left = skipBlank(without, before.to)
  return without[left] === "," ? replace(without, { from: left, to: left + 1 }, "") : without
}

/** Runs an edit, and checks that its result means what it should and nothing else. */
const checked = (
  given: string,
  empty: () => string,
  change: (text: string, root: number) => string,
  expected: (before: unknown) => unknown
): Result.Result<string, string> => {
  const mark = given.startsWith("\ufeff") ? "\ufeff" : ""
  const text = given.slice(mark.length)
  if (text.trim() === "") return Result.succeed(mark + empty())
  try {
    const before = parsed(text)
    const root = skipBlank(text, 0)
    if (skipBlank(text, membersOf(text, root).end + 1) !== text.length) throw new Odd("there is text after its end")
    const after = change(text, root)
    return isDeepStrictEqual(parsed(after), expected(before))
      ? Result.succeed(mark + after)
      : Result.fail("it cannot be changed without losing something")
  } catch (error) {
    return Result.fail(error instanceof Odd ? error.message : "it is not JSON")
  }
}

/** Returns the text with the value at `path`; the same text if it is there already. Fails with a sentence. */
export const withValue = (given: string, path: Path, value: unknown): Result.Result<string, string> => {
  // Without members that are not set.
  const entry: unknown = JSON.parse(JSON.stringify(value))
  return checked(
    given,
    () => `${JSON.stringify(wrapped(path, entry), undefined, 2)}\n`,
    (text, root) => edited(text, root, path, entry),
    (before) => withMember(before, path, entry)
  )
}

/** Returns the text with the entry `name` in the object `section`. */
export const withEntry = (
  given: string,
  section: Section,
  name: string,
  value: unknown
): Result.Result<string, string> => withValue(given, [...section, name], value)

/** Returns the text without the member at `path`; the same text if there is none. */
export const withoutValue = (given: string, path: Path): Result.Result<string, string> =>
  checked(
    given,
    () => "",
    (text, root) => cut(text, root, path),
    (before) => withoutMember(before, path)
  )

/** The current entry of that name, if it can be read. */
export const entryIn = (given: string, section: Section, name: string): unknown => {
  try {
    return memberAt(parsed(given), [...section, name])
  } catch {
    return undefined
  }
}
