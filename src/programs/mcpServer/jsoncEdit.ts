/**
 * Puts one entry into a settings file as a person would: at its place in the text, and without changing anything else. Comments, trailing
 * commas, indentation and the order stay as they are. It is our own because `jsonc-parser` formats the entries beside the new one anew and
 * moves their comments, and because a file that is not understood is refused here instead of repaired.
 */
import JSON5 from "json5"
import * as Result from "effect/Result"
import { brokenBound } from "../../schemas/config/ConfigBounds.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"

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
      at = end === -1 ? text.length : end + 1
    } else if (rest === "/*") {
      const end = text.indexOf("*/", at + 2)
      if (end === -1) throw new Odd("a comment does not end")
      at = end + 2
    } else return at
  }
}

const skipString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at + 1
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
    if (char === '"') at = skipString(text, at)
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

const stringAt = (text: string, { from, to }: Span): string => {
  const read: unknown = JSON.parse(text.slice(from, to))
  if (typeof read !== "string") throw new Odd("a key is no string")
  return read
}

/** The members of the object that begins at `from`. */
const membersOf = (text: string, from: number): { readonly members: ReadonlyArray<Member>; readonly end: number } => {
  if (text[from] !== "{") throw new Odd("there is no object where one should be")
  const members: Array<Member> = []
  let at = skipBlank(text, from + 1)
  while (text[at] !== "}") {
    if (text[at] !== '"') throw new Odd("a key is not in quotation marks")
    const keyEnd = skipString(text, at)
    const colon = skipBlank(text, keyEnd)
    if (text[colon] !== ":") throw new Odd("there is no colon behind a key")
    const begin = skipBlank(text, colon + 1)
    const end = skipValue(text, begin)
    members.push({ from: at, to: end, key: stringAt(text, { from: at, to: keyEnd }), value: { from: begin, to: end } })
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
const stepOf = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? "  "

const written = (value: unknown, indent: string, text: string): string =>
  JSON.stringify(value, undefined, stepOf(text)).replaceAll("\n", `${lineBreakOf(text)}${indent}`)

/** Inserts as the first member of the object at `from`, where no other member needs a comma changed. */
const insert = (text: string, from: number, key: string, value: unknown): string => {
  const { members } = membersOf(text, from)
  const outer = indentAt(text, from)
  const first = members[0]
  const isOnLines = first === undefined || text.slice(from, first.from).includes("\n")
  const inner = first !== undefined && isOnLines ? indentAt(text, first.from) : outer + stepOf(text)
  const line = lineBreakOf(text)
  const entry = `${line}${inner}${JSON.stringify(key)}: ${written(value, inner, text)}`
  if (first !== undefined)
    return replace(text, { from: from + 1, to: from + 1 }, isOnLines ? `${entry},` : `${entry},${line}${inner}`)
  const rest = text.slice(from + 1)
  const isEmpty = /^\s*\}/.test(rest)
  const to = isEmpty ? from + 1 + rest.indexOf("}") : from + 1
  return replace(text, { from: from + 1, to }, isEmpty ? `${entry}${line}${outer}` : entry)
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const parsed = (text: string): unknown => {
  const broken = brokenBound(text)
  if (broken !== undefined) throw new Odd(`it ${broken.message}`)
  try {
    return JSON5.parse(text)
  } catch {
    throw new Odd("it is no JSON")
  }
}

/** Whether only the entry differs, and has the right value. */
const isSafe = (before: unknown, after: unknown, section: string, name: string, entry: JsonObject): boolean => {
  if (!isObject(after) || !isObject(after[section]) || !same(after[section][name], entry)) return false
  const without = (root: unknown) => {
    const { [section]: inside, ...rest } = isObject(root) ? root : {}
    const { [name]: _, ...others } = isObject(inside) ? inside : {}
    return { rest: Object.entries(rest).toSorted(), others: Object.entries(others).toSorted() }
  }
  return same(without(before), without(after))
}

/** Returns the text with the entry `name` in the object `section`; the same text if it is there already. Fails with a sentence. */
export const withEntry = (
  given: string,
  section: string,
  name: string,
  entry: JsonObject
): Result.Result<string, string> => {
  const mark = given.startsWith("\ufeff") ? "\ufeff" : ""
  const text = given.slice(mark.length)
  if (text.trim() === "")
    return Result.succeed(`${mark}${JSON.stringify({ [section]: { [name]: entry } }, undefined, 2)}\n`)
  try {
    const before = parsed(text)
    const root = skipBlank(text, 0)
    const { end, members } = membersOf(text, root)
    if (skipBlank(text, end + 1) !== text.length) throw new Odd("there is text after its end")
    const named = members.filter(({ key }) => key === section)
    if (named.length > 1) throw new Odd(`it has "${section}" twice`)
    const inside = named[0]
    if (inside === undefined) return checked(insert(text, root, section, { [name]: entry }))
    const own = membersOf(text, inside.value.from).members.filter(({ key }) => key === name)
    if (own.length > 1) throw new Odd(`it has "${name}" twice`)
    const old = own[0]
    if (old === undefined) return checked(insert(text, inside.value.from, name, entry))
    if (same(parsed(text.slice(old.value.from, old.value.to)), entry)) return Result.succeed(given)
    return checked(replace(text, old.value, written(entry, indentAt(text, old.from), text)))

    function checked(edited: string): Result.Result<string, string> {
      return isSafe(before, parsed(edited), section, name, entry)
        ? Result.succeed(mark + edited)
        : Result.fail("it cannot be changed without losing something")
    }
  } catch (error) {
    if (error instanceof Odd) return Result.fail(error.message)
    return Result.fail("it is no JSON")
  }
}

/** The current entry of that name, if it can be read. */
export const entryIn = (given: string, section: string, name: string): unknown => {
  try {
    const root = parsed(given)
    const inside = isObject(root) ? root[section] : undefined
    return isObject(inside) && Object.hasOwn(inside, name) ? inside[name] : undefined
  } catch {
    return undefined
  }
}
