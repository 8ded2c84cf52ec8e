/** JSON values from outside: types, and the limits that are checked before recursive code sees them. */
import { encodedChars } from "./Base64.ts"
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../defaults/Wire.ts"

/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
/** A JSON object. An `undefined` member counts as missing. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const FLAT_MAX_KEYS = 64

/** Whether an object is small and flat, as most arguments are. This fast path needs no allocation. */
const isFlat = (value: object): boolean => {
  if (Array.isArray(value)) return false
  let keys = 0
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key]
    if (++keys > FLAT_MAX_KEYS || (typeof child === "object" && child !== null)) return false
  }
  return true
}

/** Bytes stand for a text. */
const isNested = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array)

/**
 * Whether a parsed value is safe for recursive code (`JSON.stringify` overflows the stack near depth 10,000). Iterative,
 * linear, stops at the first violation. Iterates over keys one by one: for an object with a hundred thousand members,
 * `Object.values` takes more than twice the time.
 */
export const withinBounds = (
  root: unknown,
  maxDepth: number = JSON_MAX_DEPTH,
  maxNodes: number = JSON_MAX_NODES
): boolean => {
  if (typeof root !== "object" || root === null) return true
  if (maxDepth > 0 && maxNodes >= FLAT_MAX_KEYS && isFlat(root)) return true
  let nodes = 0
  let level: Array<object> = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return false
    const next: Array<object> = []
    for (const node of level) {
      if (Array.isArray(node)) {
        nodes += node.length
        if (nodes > maxNodes) return false
        for (const child of node) if (isNested(child)) next.push(child)
        continue
      }
      for (const name in node) {
        if (++nodes > maxNodes) return false
        const child = (node as Record<string, unknown>)[name]
        if (isNested(child)) next.push(child)
      }
    }
    level = next
  }
  return true
}

/** Remaining work: finished text, or a value to convert. */
type Piece = { readonly text: string } | { readonly value: unknown }

const COMMA: Piece = { text: "," }

const inBrackets = (open: string, members: ReadonlyArray<ReadonlyArray<Piece>>, close: string): Array<Piece> => [
  { text: open },
  ...members.flatMap((member, i) => (i === 0 ? member : [COMMA, ...member])),
  { text: close }
]

const piecesOf = (value: object): Array<Piece> => {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown): ReadonlyArray<Piece> => [{ value: item }])
    return inBrackets("[", items, "]")
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]): ReadonlyArray<Piece> => [{ text: `${JSON.stringify(key)}:` }, { value: member }])
  return inBrackets("{", members, "}")
}

/**
 * JSON with sorted keys: equal values give equal text. Not recursive: even for very deep values it neither throws nor takes
 * more than linear time, apart from sorting.
 */
export const canonical = (root: unknown): string => {
  const text: Array<string> = []
  const left: Array<Piece> = [{ value: root }]
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if ("text" in piece) text.push(piece.text)
    else if (isObject(piece.value) || Array.isArray(piece.value)) {
      for (const next of piecesOf(piece.value).toReversed()) left.push(next)
    } else text.push(JSON.stringify(piece.value) ?? "null")
  }
  return text.join("")
}

/** The characters of all texts in it; bytes count with their base64 length. */
export const charsIn = (root: object): number => {
  let chars = 0
  const left: Array<unknown> = [root]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === "string") chars += value.length
    else if (value instanceof Uint8Array) chars += encodedChars(value.length)
    else if (Array.isArray(value)) for (const child of value) left.push(child)
    else if (typeof value === "object") for (const name in value) left.push((value as Record<string, unknown>)[name])
  }
  return chars
}

/** Whether the strings and keys of a bounded value have more than `limit` characters; stops there. */
export const exceeds = (value: unknown, limit: number): boolean => charsOf(value, limit) > limit

const charsOf = (value: unknown, limit: number): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  let chars = 0
  if (Array.isArray(value)) {
    for (const child of value) if ((chars += charsOf(child, limit - chars)) > limit) break
    return chars
  }
  for (const key in value) {
    chars += key.length + charsOf((value as Record<string, unknown>)[key], limit - chars)
    if (chars > limit) break
  }
  return chars
}
