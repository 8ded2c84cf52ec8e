/**
 * Reads the escapes of URLs, JSON, programming languages, shells, HTML and mail, and line breaks within long words. No
 * expression here repeats without a limit, because a text may consist of one kind of character only.
 */
import { invisibleAt, isAfterLongWord, isHex, isUnusual, mayBegin, UNUSUAL } from "./characters.ts"
import { ALWAYS, type Columns } from "./decodedView.ts"

/** How an escape begins; a line break within a word; `ALWAYS` for what never belongs to a value. */
export const [BACKSLASH, PERCENT, ENTITY, LINE_BREAK] = [1, 2, 4, 8]

/** For an escape that stands for nothing. */
export const NO_CHARACTER = -1

// ---- escapes -------------------------------------------------------------------------------------------------------

const codesOf = (chars: Readonly<Record<string, string>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(chars).map(([name, char]) => [name, char.charCodeAt(0)]))

const CONTROLS = codesOf({
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
})

const NAMES = codesOf({
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  Tab: "\t",
  NewLine: "\n",
  excl: "!",
  num: "#",
  dollar: "$",
  percnt: "%",
  lpar: "(",
  rpar: ")",
  ast: "*",
  plus: "+",
  comma: ",",
  period: ".",
  sol: "/",
  colon: ":",
  semi: ";",
  equals: "=",
  quest: "?",
  commat: "@",
  lsqb: "[",
  lbrack: "[",
  bsol: "\\",
  rsqb: "]",
  rbrack: "]",
  Hat: "^",
  lowbar: "_",
  grave: "`",
  lcub: "{",
  lbrace: "{",
  verbar: "|",
  vert: "|",
  rcub: "}",
  rbrace: "}"
})

/** White space after a line break within a word. */
const INDENT_MAX = 256
/** Backslashes before such a line break: escaped, and escaped again. */
const BACKSLASHES_MAX = 3
const ENTITY_NAME = /&(\w{2,7});/y
const SIGN = /[^\w\s&%]|_/

/** The escape that was read last. */
export class Escape {
  start = 0
  end = 0
  kind = ALWAYS
  /** The character that it stands for. */
  code = NO_CHARACTER

  /** Whether an escape begins here; if so, stores it in this object. */
  readAt(text: string, at: number): boolean {
    switch (text.charCodeAt(at)) {
      case 0x5c:
        return this.#backslashAt(text, at)
      case 0x25:
        return this.#percentAt(text, at)
      case 0x26:
        return this.#entityAt(text, at)
      case 0x0a:
        return this.lineBreakAt(text, at)
      default:
        return this.#invisibleAt(text, at)
    }
  }

  lineBreakAt(text: string, at: number): boolean {
    const start = text[at - 1] === "\r" ? at - 1 : at
    // A soft line break of mail.
    if (text[start - 1] === "=") return this.#is(start - 1, at + 1, NO_CHARACTER, ALWAYS)
    if (!isAfterLongWord(text, start)) return false
    let end = at + 1
    while (end <= at + INDENT_MAX && (text[end] === " " || text[end] === "\t")) end++
    return this.#is(start, end, NO_CHARACTER, LINE_BREAK)
  }

  #is(start: number, end: number, code: number, kind: number): boolean {
    if (code > 0x10ffff) return false
    this.start = start
    this.end = end
    this.code = code
    this.kind = kind
    return true
  }

  #invisibleAt(text: string, at: number): boolean {
    let end = at
    for (let size = invisibleAt(text, at); size > 0; size = invisibleAt(text, end)) end += size
    return end > at && this.#is(at, end, NO_CHARACTER, ALWAYS)
  }

  #backslashAt(text: string, at: number): boolean {
    if (isAfterLongWord(text, at)) {
      const end = escapedLineBreakEnd(text, at)
      if (end > 0) return this.#is(at, end, NO_CHARACTER, LINE_BREAK)
    }
    const next = text[at + 1]
    if (next === undefined) return false
    const control = CONTROLS.get(next)
    if (control !== undefined) return this.#is(at, at + 2, control, BACKSLASH)
    switch (next) {
      case "\n":
        return this.#is(at, at + 2, NO_CHARACTER, ALWAYS)
      case "\r":
        return text[at + 2] === "\n" && this.#is(at, at + 3, NO_CHARACTER, ALWAYS)
      case "u":
        return text[at + 2] === "{" ? this.#bracedAt(text, at) : this.#hexAt(text, at, at + 2, 4, BACKSLASH)
      case "U":
        return this.#hexAt(text, at, at + 2, 8, BACKSLASH)
      case "x":
        return this.#hexAt(text, at, at + 2, 2, BACKSLASH)
    }
    if (next >= "0" && next <= "7") {
      const digits = text.slice(at + 1, at + 4)
      return /^[0-7]{3}$/.test(digits) && this.#is(at, at + 4, Number.parseInt(digits, 8), BACKSLASH)
    }
    // Not before another complete escape: it cannot be known which of the two is meant, and the other says more.
    return SIGN.test(next) && this.#is(at, at + 2, next.charCodeAt(0), BACKSLASH)
  }

  #bracedAt(text: string, at: number): boolean {
    const digits = hexDigits(text, at + 3, 6)
    const end = at + 3 + digits
    return digits > 0 && text[end] === "}" && this.#is(at, end + 1, hexOf(text, at + 3, end), BACKSLASH)
  }

  #hexAt(text: string, at: number, from: number, count: number, kind: number): boolean {
    if (hexDigits(text, from, count) < count) return false
    return this.#is(at, from + count, hexOf(text, from, from + count), kind)
  }

  #percentAt(text: string, at: number): boolean {
    return text[at + 1] === "u" ? this.#hexAt(text, at, at + 2, 4, PERCENT) : this.#hexAt(text, at, at + 1, 2, PERCENT)
  }

  #entityAt(text: string, at: number): boolean {
    if (text[at + 1] !== "#") {
      ENTITY_NAME.lastIndex = at
      const code = NAMES.get(ENTITY_NAME.exec(text)?.[1] ?? "")
      return code !== undefined && this.#is(at, ENTITY_NAME.lastIndex, code, ENTITY)
    }
    const isOfHex = text[at + 2] === "x" || text[at + 2] === "X"
    const from = isOfHex ? at + 3 : at + 2
    const end = from + (isOfHex ? hexDigits(text, from, 6) : decimalDigits(text, from, 7))
    if (end === from || text[end] !== ";") return false
    return this.#is(at, end + 1, isOfHex ? hexOf(text, from, end) : Number(text.slice(from, end)), ENTITY)
  }
}

/** The end of `\n` or `\r\n`, each with up to three backslashes, plus the indentation of the next line; 0 for none. */
const escapedLineBreakEnd = (text: string, at: number): number => {
  let sign = afterBackslashes(text, at)
  if (text[sign] === "r") sign = afterBackslashes(text, sign + 1)
  if (text[sign] !== "n" || text[sign - 1] !== "\\") return 0
  let end = sign + 1
  while (end <= sign + INDENT_MAX && text[end] === " ") end++
  return end
}

const afterBackslashes = (text: string, at: number): number => {
  let end = at
  while (end < at + BACKSLASHES_MAX && text[end] === "\\") end++
  return end
}

const hexDigits = (text: string, from: number, max: number): number => {
  let count = 0
  while (count < max && isHex(text.charCodeAt(from + count))) count++
  return count
}

const decimalDigits = (text: string, from: number, max: number): number => {
  let count = 0
  while (count < max && text.charCodeAt(from + count) >= 0x30 && text.charCodeAt(from + count) <= 0x39) count++
  return count
}

const hexOf = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    value = value * 16 + (unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57)
  }
  return value
}

// ---- searching -----------------------------------------------------------------------------------------------------

/** Every escape of a text, in order. */
export const readEscapes = (text: string, escape: Escape, found: Columns): void => {
  found.clear()
  for (let at = 0; at < text.length;) {
    if (!mayBegin(text, at) || !escape.readAt(text, at)) {
      at++
      continue
    }
    found.push(escape.start, escape.end, escape.code, escape.kind)
    at = escape.end
  }
}

/** Finds the next unusual escape from a position on, ignoring line breaks. */
export const readUnusual = (text: string, from: number, escape: Escape): boolean => {
  for (let at = from; ;) {
    // Others are usually near; starting an expression costs as much as testing many characters.
    const near = Math.min(text.length, at + NEAR)
    while (at < near && !isUnusual(text, at)) at++
    if (at === near) {
      UNUSUAL.lastIndex = at
      if (!UNUSUAL.test(text)) return false
      at = UNUSUAL.lastIndex - 1
    }
    if (escape.readAt(text, at)) return true
    at++
  }
}
const NEAR = 4

/** Finds the next line break within a word from a position on. */
export const readLineBreak = (text: string, from: number, escape: Escape): boolean => {
  for (let at = text.indexOf("\n", from); at !== -1; at = text.indexOf("\n", at + 1)) {
    // Hardly any line ends in the middle of a word.
    if (mayEndWord(text.charCodeAt(at - 1)) && escape.lineBreakAt(text, at)) return true
  }
  return false
}

const CARRIAGE_RETURN = 13

/** A letter, a digit, one of `+/=-_`, or a carriage return. */
const mayEndWord = (unit: number) =>
  (unit >= 0x2b && unit <= 0x7a && unit !== 0x2c && unit !== 0x2e && unit !== 0x3b) || unit === CARRIAGE_RETURN
