/**
 * Reads the escapes of URLs, JSON, programming languages, shells, HTML and mail, and line breaks within long words.
 */
import type { Undone } from "./view.ts"

export interface Escape extends Undone {
  /** `\`, `%` or `&`, with which it begins; a line break for one within a word; nothing for what is never of a value. */
  readonly kind: string
}

// ---- where escapes may begin ---------------------------------------------------------------------------------------

/** Lines of base64, keys and the like are broken where there is no room left, ordinary text where there is a space. */
const LONG_WORD = "[A-Za-z0-9+/_=-]{40}"
/**
 * What is ignored where a text is shown (`\p{DI}\p{Cf}\p{Cc}`, but for white space), by units: tags and variation selectors
 * are pairs of one first half.
 */
const INVISIBLE_CHARS =
  "\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u08e2\\u115f\\u1160\\u17b4\\u17b5" +
  "\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\udb40"

/** Wherever an escape may begin. */
const ANY = new RegExp(`[\\\\%&\\n${INVISIBLE_CHARS}]`, "g")

/**
 * The same without line breaks, and without what texts of JSON are full of: line breaks, quotes and slashes behind a
 * backslash. A value that has no other escape is a text of its own (`variantsOf`). One class comes first, and the rest
 * looks around: what to skip is told by one look at each character.
 */
const UNUSUAL = new RegExp(
  `[\\\\%&${INVISIBLE_CHARS}](?:${[
    "(?<=\\\\)(?![abefnrtv\"'/\\\\])",
    `(?<=${LONG_WORD}\\\\)(?=[nr\\\\])`,
    "(?<=%)(?=[0-9a-fA-Fu])",
    "(?<=&)(?=[#A-Za-z])",
    `(?<=[${INVISIBLE_CHARS}])`
  ].join("|")})`,
  "g"
)

// ---- escapes -------------------------------------------------------------------------------------------------------

const CONTROLS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const NAMES: Readonly<Record<string, string>> = {
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
}

const NUMBERED = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-7]{3}))/y
const CONTINUED = /\\\r?\n/y
const ESCAPED_LINE_BREAK = /(?:\\{1,3}r)?\\{1,3}n */y
const LINE_BREAK = /\r?\n[ \t]*/y
const PERCENT = /%(?:u([0-9a-fA-F]{4})|([0-9a-fA-F]{2}))/y
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,7}));/y
const INVISIBLE = new RegExp(`(?:(?!\\udb40)[${INVISIBLE_CHARS}]|\\udb40[\\udc00-\\udfff])+`, "y")
/** A ruler is no word. */
const AFTER_LONG_WORD = new RegExp(`(?<=${LONG_WORD})(?<![=_-]{8})`, "y")

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const nothingAt = (pattern: RegExp, text: string, at: number, kind = ""): Escape | undefined =>
  matchAt(pattern, text, at) === null ? undefined : { start: at, end: pattern.lastIndex, text: "", kind }

const charAt = (kind: string, at: number, end: number, codePoint: number): Escape | undefined =>
  codePoint > 0x10ffff ? undefined : { start: at, end, text: String.fromCodePoint(codePoint), kind }

const backslashAt = (text: string, at: number): Escape | undefined => {
  if (matchAt(AFTER_LONG_WORD, text, at) !== null) {
    const lineBreak = nothingAt(ESCAPED_LINE_BREAK, text, at, "\n")
    if (lineBreak !== undefined) return lineBreak
  }
  const next = text[at + 1] ?? ""
  const control = CONTROLS[next]
  if (control !== undefined) return { start: at, end: at + 2, text: control, kind: "\\" }
  if (/[\r\n]/.test(next)) return nothingAt(CONTINUED, text, at)
  if (/[uUx0-7]/.test(next)) {
    const match = matchAt(NUMBERED, text, at)
    if (match === null) return undefined
    const [all, unit, codePoint, wide, byte, octal] = match
    const hex = unit ?? codePoint ?? wide ?? byte
    return charAt("\\", at, at + all.length, hex === undefined ? Number.parseInt(octal!, 8) : Number.parseInt(hex, 16))
  }
  // Not before what is an escape by itself: which of the two it was cannot be told, and that one says more.
  return /[^\w\s&%]|_/.test(next) ? { start: at, end: at + 2, text: next, kind: "\\" } : undefined
}

const percentAt = (text: string, at: number): Escape | undefined => {
  const match = matchAt(PERCENT, text, at)
  return match === null ? undefined : charAt("%", at, PERCENT.lastIndex, Number.parseInt(match[1] ?? match[2]!, 16))
}

const entityAt = (text: string, at: number): Escape | undefined => {
  const match = matchAt(ENTITY, text, at)
  if (match === null) return undefined
  const [all, decimal, hex, name = ""] = match
  const end = at + all.length
  if (decimal !== undefined) return charAt("&", at, end, Number(decimal))
  if (hex !== undefined) return charAt("&", at, end, Number.parseInt(hex, 16))
  const char = NAMES[name]
  return char === undefined ? undefined : { start: at, end, text: char, kind: "&" }
}

const lineBreakAt = (text: string, at: number): Escape | undefined => {
  const start = text[at - 1] === "\r" ? at - 1 : at
  // Of mail: the line goes on.
  if (text[start - 1] === "=") return { start: start - 1, end: at + 1, text: "", kind: "" }
  return matchAt(AFTER_LONG_WORD, text, start) === null ? undefined : nothingAt(LINE_BREAK, text, start, "\n")
}

const CARRIAGE_RETURN = 13

/** A letter, a digit, one of `+/=-_`, or half of a line break. */
const mayEndWord = (unit: number) =>
  (unit >= 0x2b && unit <= 0x7a && unit !== 0x2c && unit !== 0x2e && unit !== 0x3b) || unit === CARRIAGE_RETURN

const escapeAt = (text: string, at: number): Escape | undefined => {
  switch (text[at]) {
    case "\\":
      return backslashAt(text, at)
    case "%":
      return percentAt(text, at)
    case "&":
      return entityAt(text, at)
    case "\n":
      return lineBreakAt(text, at)
    default:
      return nothingAt(INVISIBLE, text, at)
  }
}

const escapesAt = (text: string, beginning: RegExp): ReadonlyArray<Escape> => {
  const found: Array<Escape> = []
  for (beginning.lastIndex = 0; beginning.test(text);) {
    const escape = escapeAt(text, beginning.lastIndex - 1)
    if (escape === undefined) continue
    found.push(escape)
    beginning.lastIndex = escape.end
  }
  return found
}

/** Every escape of a text, in order. */
export const escapesIn = (text: string): ReadonlyArray<Escape> => escapesAt(text, ANY)

/** Those that are not in every text, in order; what hides another escape may be told for that one. */
export const unusualEscapesIn = (text: string): ReadonlyArray<Escape> => {
  const breaks: Array<Escape> = []
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    // Hardly any line ends in the middle of a word.
    if (!mayEndWord(text.charCodeAt(at - 1))) continue
    const escape = lineBreakAt(text, at)
    if (escape !== undefined) breaks.push(escape)
  }
  const escapes = escapesAt(text, UNUSUAL)
  if (breaks.length === 0) return escapes
  return escapes.length === 0 ? breaks : [...escapes, ...breaks].toSorted((a, b) => a.start - b.start)
}
