/**
 * Checks whether a JSON text keeps the bounds on nesting, on the number of values and on expensive ones, from the text alone. A parser builds
 * everything first: sixteen megabytes of brackets or of names take it seconds and half a gigabyte. The check is linear and skips strings.
 */
import {
  JSON_ANSWER_MAX_NAMES,
  JSON_ANSWER_MAX_NODES,
  JSON_ANSWER_MAX_PARTS,
  JSON_MAX_DEPTH,
  JSON_MAX_NAMES,
  JSON_MAX_NODES,
  JSON_MAX_PARTS
} from "../defaults/Wire.ts"

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
/** Most strings end within this. For a longer one, a native search is faster. */
const NEAR_BYTES = 32

export interface TextBounds {
  readonly depth: number
  /** Commas, which are about as many as values. */
  readonly nodes: number
  /** Strings, lists and objects. */
  readonly parts: number
  /** The names among the parts. */
  readonly names?: number
}

const BOUNDS: TextBounds = {
  depth: JSON_MAX_DEPTH,
  nodes: JSON_MAX_NODES,
  parts: JSON_MAX_PARTS,
  names: JSON_MAX_NAMES
}

/** For answers to all requests but those for lists. */
export const ANSWERED: TextBounds = {
  ...BOUNDS,
  nodes: JSON_ANSWER_MAX_NODES,
  parts: JSON_ANSWER_MAX_PARTS,
  names: JSON_ANSWER_MAX_NAMES
}

/** For lists. They may have any depth, because the parts that are too deep are removed after parsing. */
export const LISTED: TextBounds = { ...BOUNDS, depth: Number.POSITIVE_INFINITY }

export type BoundName = "depth" | "nodes" | "parts"

/** Checks a text that arrives in pieces of bytes. */
export interface ByteBounds {
  /** The bound that is broken, after `pass` has returned `false`. */
  readonly broken: () => BoundName
  /** Strings, lists and objects so far. */
  readonly parts: () => number
  /** Whether the text still keeps the bounds with these bytes. */
  readonly pass: (bytes: Uint8Array, from?: number, to?: number) => boolean
  /** Ends a string at the end of its line: JSON has no line breaks in strings. */
  readonly endLine: () => void
  /** Begins another text. */
  readonly next: () => void
}

/** The bytes that count; all others are skipped. */
const KINDS = new Uint8Array(256)
for (const code of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) KINDS[code] = code

export const makeByteBounds = (bounds: TextBounds = BOUNDS): ByteBounds => {
  const { names: maxNames = Number.POSITIVE_INFINITY } = bounds
  let [depth, nodes, parts, names] = [0, 0, 0, 0]
  let [quoted, escaped] = [false, false]
  let broken: BoundName = "nodes"

  /** Skips the rest of a long string. Returns the index behind its end, or the end of the bytes. */
  const farInString = (bytes: Uint8Array, from: number, to: number): number => {
    const found = bytes.indexOf(QUOTE, from)
    const end = found === -1 || found >= to ? to : found
    let before = end - 1
    while (before >= from && bytes[before] === BACKSLASH) before--
    // Backslashes escape each other first.
    const isEscaped = (end - 1 - before) % 2 === 1
    if (end === to) escaped = isEscaped
    else quoted = isEscaped
    return end === to ? to : end + 1
  }

  const breaks = (name: BoundName): false => {
    broken = name
    return false
  }

  return {
    broken: () => broken,
    parts: () => parts,
    next: () => {
      depth = nodes = parts = names = 0
      quoted = escaped = false
    },
    endLine: () => {
      quoted = escaped = false
    },
    pass: (bytes, from = 0, to = bytes.length) => {
      // Local variables, because this loop runs for every byte.
      let [at, deep, values, costly, named] = [from, depth, nodes, parts, names]
      while (at < to) {
        if (quoted) {
          if (escaped) at++
          const near = Math.min(to, at + NEAR_BYTES)
          let code = 0
          while (at < near && (code = bytes[at++]!) !== QUOTE) if (code === BACKSLASH) at++
          escaped = at > to
          if (code === QUOTE) quoted = false
          else if (at < to) at = farInString(bytes, at, to)
          continue
        }
        const kind = KINDS[bytes[at++]!]
        if (kind === 0) continue
        if (kind === QUOTE) {
          if (++costly > bounds.parts) return breaks("parts")
          quoted = true
        } else if (kind === COMMA) {
          if (++values > bounds.nodes) return breaks("nodes")
        } else if (kind === COLON) {
          if (++named > maxNames) return breaks("parts")
        } else if (kind === OPEN_LIST || kind === OPEN_OBJECT) {
          if (++costly > bounds.parts) return breaks("parts")
          if (++deep > bounds.depth) return breaks("depth")
        } else deep--
      }
      depth = deep
      nodes = values
      parts = costly
      names = named
      return true
    }
  }
}

/** Index of the quote that ends a string; -1 when there is none. */
const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    // Backslashes escape each other first.
    if ((end - before) % 2 === 1) return end
  }
  return -1
}

/** A text that is not JSON may pass: the parser finds that, and builds nothing beyond the error. */
export const textWithinBounds = (text: string, bounds: TextBounds = BOUNDS): boolean => {
  const { names: maxNames = Number.POSITIVE_INFINITY } = bounds
  let [depth, nodes, parts, names] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      if (++parts > bounds.parts) return false
      at = endOfString(text, at + 1)
      if (at === -1) return true
    } else if (code === COMMA) {
      if (++nodes > bounds.nodes) return false
    } else if (code === COLON) {
      if (++names > maxNames) return false
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++parts > bounds.parts || ++depth > bounds.depth) return false
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
  }
  return true
}
