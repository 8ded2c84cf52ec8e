/**
 * Checks a JSON5 text for the limits on nesting and number of values before it is parsed: the parser builds all values first,
 * and four megabytes of brackets take it more than half a gigabyte. Strings and comments are skipped.
 */
import { CONFIG_MAX_VALUES } from "../defaults/Configuration.ts"
import { JSON_MAX_DEPTH } from "../defaults/Wire.ts"

/** From here on the text is not JSON5; the parser stops there as well, and reports it. */
const NOWHERE = -1

/** The position after the string whose quote is at `start`. */
const behindString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (char === text[start]) return at + 1
    if (char === "\n" || char === "\r") return NOWHERE
    if (char === "\\") at += text.startsWith("\r\n", at + 1) ? 2 : 1
  }
  return NOWHERE
}

const LINE_END = /[\n\r\u2028\u2029]/g

/** The position after the comment whose slash is at `start`. */
const behindComment = (text: string, start: number): number => {
  if (text[start + 1] === "*") {
    const end = text.indexOf("*/", start + 2)
    return end === -1 ? NOWHERE : end + 2
  }
  if (text[start + 1] !== "/") return NOWHERE
  LINE_END.lastIndex = start
  return LINE_END.test(text) ? LINE_END.lastIndex : NOWHERE
}

export interface BrokenBound {
  /** The position in the text. */
  readonly index: number
  readonly message: string
}

/** `undefined` for a text within the limits, and for one that stops being JSON5 before it exceeds them. */
export const brokenBound = (text: string): BrokenBound | undefined => {
  let [depth, values] = [0, 0]
  for (let at = 0; at !== NOWHERE && at < text.length;) {
    const char = text[at]
    if (char === '"' || char === "'") at = behindString(text, at)
    else if (char === "/") at = behindComment(text, at)
    else {
      if (char === "[" || char === "{") {
        values++
        depth++
      } else if (char === ",") values++
      else if (char === "]" || char === "}") depth--
      if (depth > JSON_MAX_DEPTH) return { index: at, message: `is nested more than ${JSON_MAX_DEPTH} levels deep` }
      if (values > CONFIG_MAX_VALUES) return { index: at, message: `has more than ${CONFIG_MAX_VALUES} values` }
      at++
    }
  }
  return undefined
}
