/**
 * Whether a JSON text keeps the bounds on nesting and number of values, told from the text alone. A parser builds all of it
 * first: sixteen megabytes of brackets take it seconds, and half a gigabyte. Linear, and strings are skipped at once.
 */
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "../../schemas/Defaults.ts"

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
