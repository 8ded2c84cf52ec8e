/** Finds the ends of sentences, for terms that belong together only within one. */
import type { Page } from "./page.ts"

/**
 * Whether a sentence, or another independent item, ends between two positions, which are close together. A clause also ends
 * at a comma or colon.
 */
export const sentenceEnds = ({ units }: Page, from: number, to: number, clause: boolean): boolean => {
  for (let index = from; index < to; index++) {
    const code = units[index]!
    if (clause && ENDS_CLAUSE.has(code)) return true
    if (code > 0x7d && code < 0x964) continue
    if (ENDS.has(code)) return true
    const next = units[index + 1]!
    if (ENDS_BEFORE_SPACE.has(code) && next <= 0x20) return true
    if (code === LINE_FEED && !goesOn(units, index + 1)) return true
    if (code === QUOTE && (next === COMMA || next === COLON)) return true
  }
  return false
}

const codes = (chars: string) => new Set(Array.from(chars, (char) => char.charCodeAt(0)))
const ENDS = codes("|{}=。！？।॥")
const ENDS_BEFORE_SPACE = codes(".!?")
const ENDS_CLAUSE = codes(",;:،؛、，；：")
const [LINE_FEED, QUOTE, COMMA, COLON] = [0x0a, 0x22, 0x2c, 0x3a]

/**
 * A line break before a small letter, also in a comment, and between capitals is a wrapped line; before anything else a new
 * item begins.
 */
const goesOn = (units: Uint16Array, line: number) => {
  let index = line
  while (index < line + INDENT_MAX && INDENT.has(units[index]!)) index++
  const begins = String.fromCharCode(units[index]!)
  return SMALL.test(begins) || (CAPITAL.test(begins) && CAPITAL.test(String.fromCharCode(units[line - 2]!)))
}
const INDENT = codes(" \t*#/>")
const INDENT_MAX = 16
const SMALL = /\p{Ll}/u
const CAPITAL = /\p{Lu}/u
