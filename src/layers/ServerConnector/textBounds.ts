/**
 * Whether a JSON text keeps the bounds on nesting and number of values, told from the text alone. A parser builds all of it
 * first: sixteen megabytes of brackets take it seconds, and half a gigabyte. Linear, and strings are skipped at once.
 */
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../../schemas/Defaults.ts"

const LINE_FEED = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

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

/**
 * The same for a text that comes in pieces of bytes: gives whether it still keeps the bounds. `next` begins another text. In
 * `lines` (of server-sent events) no string goes on in the next line, whatever a line holds that is no data.
 */
export const makeByteBounds = (
  lines: boolean,
  maxDepth: number = JSON_MAX_DEPTH,
  maxNodes: number = JSON_MAX_NODES
): { readonly pass: (chunk: Uint8Array) => boolean; readonly next: () => void } => {
  let [depth, nodes, quoted, escaped] = [0, 0, false, false]
  return {
    next: () => {
      ;[depth, nodes, quoted, escaped] = [0, 0, false, false]
    },
    pass: (chunk) => {
      for (let at = 0; at < chunk.length; at++) {
        const code = chunk[at]!
        if (quoted) {
          if (escaped) escaped = false
          else if (code === BACKSLASH) escaped = true
          else if (code === QUOTE || (lines && code === LINE_FEED)) quoted = false
        } else if (code === QUOTE) quoted = true
        else if (code === COMMA) {
          if (++nodes > maxNodes) return false
        } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
          if (++depth > maxDepth) return false
        } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
      }
      return true
    }
  }
}

/** What is no JSON may pass: the parser tells. What passes has no more than this many commas, and so about as many values. */
export const textWithinBounds = (
  text: string,
  maxDepth: number = JSON_MAX_DEPTH,
  maxNodes: number = JSON_MAX_NODES
): boolean => {
  let depth = 0
  let nodes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at + 1)
      if (at === -1) return true
    } else if (code === COMMA) {
      if (++nodes > maxNodes) return false
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > maxDepth) return false
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
  }
  return true
}
