/**
 * Whether a JSON text keeps the bounds on nesting, on the number of values and on what is costly among them, told from the
 * text alone. A parser builds all of it first: sixteen megabytes of brackets, or of names, take it seconds and half a
 * gigabyte. Linear, and strings are skipped.
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
/** Most strings end within this; to search for the end of a longer one takes a call, but then little for each byte. */
const NEAR_BYTES = 32

export interface TextBounds {
  readonly depth: number
  /** Commas, and so about as many values. */
  readonly nodes: number
  /** Strings, lists and objects. */
  readonly parts: number
  /** Of the parts, those that are names. */
  readonly names?: number
}

const BOUNDS: TextBounds = {
  depth: JSON_MAX_DEPTH,
  nodes: JSON_MAX_NODES,
  parts: JSON_MAX_PARTS,
  names: JSON_MAX_NAMES
}

/** For what a server answers to anything but the request for a list. */
export const ANSWERED: TextBounds = {
  ...BOUNDS,
  nodes: JSON_ANSWER_MAX_NODES,
  parts: JSON_ANSWER_MAX_PARTS,
  names: JSON_ANSWER_MAX_NAMES
}

/** The parser goes to any depth: for answers of which whoever gets them leaves out what lies too deep. */
export const LISTED: TextBounds = { ...BOUNDS, depth: Number.POSITIVE_INFINITY }

export type BoundName = "depth" | "nodes" | "parts"

/** A text that comes in pieces of bytes. */
export interface ByteBounds {
  /** The bound that is broken, once `pass` has said that one is. */
  readonly broken: () => BoundName
  /** Strings, lists and objects that have come. */
  readonly parts: () => number
  /** Whether the text keeps the bounds with these bytes, too. */
  readonly pass: (bytes: Uint8Array, from?: number, to?: number) => boolean
  /** A string ends with its line at the latest: JSON has no line break in one. */
  readonly endLine: () => void
  /** Begins another text. */
  readonly next: () => void
}

/** The bytes that count; all others are nothing to look at. */
const KINDS = new Uint8Array(256)
for (const code of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) KINDS[code] = code

export const makeByteBounds = (bounds: TextBounds = BOUNDS): ByteBounds => {
  const { names: maxNames = Number.POSITIVE_INFINITY } = bounds
  let [depth, nodes, parts, names] = [0, 0, 0, 0]
  let [quoted, escaped] = [false, false]
  let broken: BoundName = "nodes"

  /** Goes on far into a string: gives where it stopped, behind the end of the string or at that of the bytes. */
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
      // In variables of its own: this is the one loop over every byte.
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

/** What is no JSON may pass: the parser tells, and it builds nothing beyond where the text is none. */
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
