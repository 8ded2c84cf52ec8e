/**
 * Reads one escaped character: an HTML entity, a percent-encoded byte or UTF-8 sequence, or a backslash escape of JSON,
 * JavaScript or Python; also if the escape itself was escaped a few times. For comparisons only.
 */

export interface Decoded {
  readonly codePoint: number
  /** The index after the escape. */
  readonly end: number
}

/** Whether an escape may begin with this character: `&`, `%` or a backslash. */
export const mayEscape = (code: number): boolean => code === 0x26 || code === 0x25 || code === 0x5c

/**
 * JSON's short escapes, if a word of a marker follows: elsewhere the letter may belong to a path (`C:\temp`). (No word of a
 * marker continues like this after one of these letters.)
 */
const SHORT = String.raw`[tnr](?=(?:\\{1,4}[tnr]|[^a-zA-Z0-9]){0,8}(?:[eE][xX][tT]|[uU][nN][tT]|[cC][oO][nN]))`

/** The first character of everything that `decodeAt` reads, except short escapes: these stand for no letter or sign. */
export const ESCAPED = /&(?=[#a-z])|%(?=u[\da-f]{2}|[\da-f]{2})|\\(?=u[\da-f{]|x[\da-f]|[01][0-7]{2})/i

const ENTITY = /&(?:amp;|#38;|#x26;){0,4}(?:#0*(\d{1,8})|#x0*([\da-f]{1,7})|([a-z]{2,32}(?:\d{1,2}(?=;))?))(;?)/iy
const PERCENT = /%(?:25){0,4}([\da-f]{2})/iy
/** As written by old servers. */
const PERCENT_UNIT = /%(?:25){0,4}u([\da-f]{4})/iy
const BACKSLASH = new RegExp(
  String.raw`\\{1,4}(?:u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|U([\da-fA-F]{8})|(${SHORT})|([01][0-7]{2}))`,
  "y"
)

/** The character of the escape at `index`; `undefined` when there is none. Examines a limited number of characters. */
export const decodeAt = (text: string, index: number): Decoded | undefined => {
  switch (text[index]) {
    case "&":
      return entityAt(text, index)
    case "%":
      return percentAt(text, index)
    case "\\":
      return backslashAt(text, index)
    default:
      return undefined
  }
}

const matchAt = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

const decoded = (codePoint: number, end: number): Decoded | undefined =>
  codePoint <= 0x10ffff ? { codePoint, end } : undefined

const entityAt = (text: string, index: number): Decoded | undefined => {
  const match = matchAt(ENTITY, text, index)
  if (match === null) return undefined
  const [whole, decimal, hex, name = "", semicolon = ""] = match
  const end = index + whole.length
  if (decimal !== undefined) return decoded(Number.parseInt(decimal, 10), end)
  if (hex !== undefined) return decoded(Number.parseInt(hex, 16), end)
  const char = namedEntity(name)
  if (char !== undefined) return decoded(char.codePointAt(0) ?? 0, end)
  const legacy = COMPARISON.test(name) ? undefined : LEGACY.exec(name)?.[0]
  if (legacy !== undefined) {
    const behind = end - semicolon.length - name.length + legacy.length
    return decoded(namedEntity(legacy)?.codePointAt(0) ?? 0, behind)
  }
  // Any other name: a reader sees one sign.
  return semicolon === "" ? undefined : decoded(ANY_SIGN, end)
}

/** Names that need no semicolon. */
const LEGACY = /^(?:nbsp|shy|lt|gt|amp|quot)/i
/** Other names with the same beginning. */
const COMPARISON =
  /^(?:lt(?:cc|cir|dot|hree|imes|larr|quest|ri[ef]?|rPar)|gt(?:cc|cir|dot|lPar|quest|rapprox|rarr|rdot|reqq?less|rless|rsim))$/
const ANY_SIGN = 0x2e

/** `&Escr;`, `&eacute;`, `&Tcaron;`, `&Ocy;`: a letter with a style or an accent. */
const STYLED_LETTER =
  /^([a-z])(?:scr|fr|opf|acute|grave|circ|uml|caron|cedil|breve|macr|ogon|dot|tilde|ring|slash|strok|cy)$/i

const namedEntity = (name: string): string | undefined =>
  STYLED_LETTER.exec(name)?.[1] ?? ENTITIES.get(name) ?? ENTITIES.get(name.toLowerCase())

/** Signs, spaces, characters without width, and Greek and Cyrillic letters that look Latin. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "<": "lt LT",
    "≪": "Lt ll NestedLessLess",
    "⋘": "Ll",
    ">": "gt GT",
    "≫": "Gt gg NestedGreaterGreater",
    "⋙": "Gg",
    "&": "amp AMP",
    '"': "quot QUOT ldquo rdquo bdquo",
    "'": "apos lsquo rsquo",
    _: "lowbar UnderBar",
    "-": "hyphen dash ndash mdash minus horbar",
    ".": "period middot bull hellip",
    ":": "colon",
    ";": "semi",
    ",": "comma",
    "/": "sol",
    "\\": "bsol",
    "=": "equals",
    "*": "ast midast",
    "#": "num",
    "|": "vert verbar VerticalLine mid",
    "[": "lsqb lbrack lcub lbrace",
    "]": "rsqb rbrack rcub rbrace",
    "‹": "laquo lsaquo lang langle",
    "›": "raquo rsaquo rang rangle",
    " ": "nbsp ensp emsp thinsp hairsp numsp puncsp Tab MediumSpace ThickSpace",
    "\n": "NewLine",
    "\u200b": "shy zwj zwnj lrm rlm NoBreak ZeroWidthSpace InvisibleTimes InvisibleComma ApplyFunction ic it af",
    α: "alpha",
    ε: "epsilon epsi epsiv varepsilon iecy",
    ν: "nu",
    ο: "omicron",
    τ: "tau",
    υ: "upsilon upsi",
    χ: "chi khcy",
    ѕ: "dscy sigmaf sigmav",
    d: "DD dd",
    ℓ: "ell",
    і: "iukcy imath"
  }).flatMap(([char, names]) => names.split(" ").map((name): [string, string] => [name, char]))
)

const percentAt = (text: string, index: number): Decoded | undefined => {
  const unit = matchAt(PERCENT_UNIT, text, index)
  if (unit !== null) return decoded(Number.parseInt(unit[1] ?? "", 16), index + unit[0].length)
  const first = byteAt(text, index)
  if (first === undefined) return undefined
  const extra = first.byte >= 0xf0 ? 3 : first.byte >= 0xe0 ? 2 : first.byte >= 0xc2 ? 1 : 0
  let [codePoint, end] = [extra === 0 ? first.byte : first.byte & (0x3f >> extra), first.end]
  for (let count = 0; count < extra; count++) {
    const next = byteAt(text, end)
    if (next === undefined || (next.byte & 0xc0) !== 0x80) return { codePoint: first.byte, end: first.end }
    codePoint = (codePoint << 6) | (next.byte & 0x3f)
    end = next.end
  }
  return decoded(codePoint, end)
}

const byteAt = (text: string, index: number) => {
  const match = matchAt(PERCENT, text, index)
  return match === null ? undefined : { byte: Number.parseInt(match[1] ?? "", 16), end: index + match[0].length }
}

const backslashAt = (text: string, index: number): Decoded | undefined => {
  const high = unitAt(text, index)
  if (high === undefined || high.codePoint < 0xd800 || high.codePoint > 0xdbff) return high
  const low = unitAt(text, high.end)
  if (low === undefined || low.codePoint < 0xdc00 || low.codePoint > 0xdfff) return high
  return { codePoint: 0x10000 + ((high.codePoint - 0xd800) << 10) + (low.codePoint - 0xdc00), end: low.end }
}

const unitAt = (text: string, index: number): Decoded | undefined => {
  const match = matchAt(BACKSLASH, text, index)
  if (match === null) return undefined
  const [whole, ...digits] = match
  const [octal, short] = [digits.pop(), digits.pop()]
  const end = index + whole.length
  if (short !== undefined) return decoded(short === "t" ? TAB : LINE_FEED, end)
  const codePoint = octal === undefined ? Number.parseInt(digits.find(Boolean) ?? "", 16) : Number.parseInt(octal, 8)
  return decoded(codePoint, end)
}

const TAB = 0x09
const LINE_FEED = 0x0a
