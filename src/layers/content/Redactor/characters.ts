/** Classifies single characters by tables, which is fast for every text. */

/**
 * Invisible characters (`\p{DI}\p{Cf}\p{Cc}` without white space), as ranges of units. Tags and variation selectors are pairs
 * with the same first half: `TAG_HALF`.
 */
const INVISIBLE_RANGES = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad],
  [0x34f],
  [0x600, 0x605],
  [0x61c],
  [0x6dd],
  [0x70f],
  [0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff],
  [0xffa0],
  [0xfff0, 0xfffb]
] as const
const TAG_HALF = 0xdb40

const [INVISIBLE, WORD, RULER, PLAIN_BEHIND_BACKSLASH] = [1, 2, 4, 8]

const CLASSES = new Uint8Array(0x1_0000)
for (const [first, last = first] of INVISIBLE_RANGES) {
  for (let unit = first; unit <= last; unit++) CLASSES[unit]! |= INVISIBLE
}
for (const [chars, kind] of [
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-", WORD],
  ["=_-", RULER],
  ["abefnrtv\"'/\\", PLAIN_BEHIND_BACKSLASH]
] as const) {
  for (let index = 0; index < chars.length; index++) CLASSES[chars.charCodeAt(index)]! |= kind
}

const is = (unit: number, kind: number) => (CLASSES[unit]! & kind) !== 0

/** The number of invisible units at this position: 0, 1 or a pair. */
export const invisibleAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  if (is(unit, INVISIBLE)) return 1
  return unit === TAG_HALF && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 0
}

/** Base64, keys and the like are wrapped at any character, ordinary text at spaces. */
const LONG_WORD_CHARS = 40
const RULER_CHARS = 8

const areAll = (text: string, from: number, to: number, kind: number) => {
  for (let at = to - 1; at >= from; at--) if (!is(text.charCodeAt(at), kind)) return false
  return true
}

/** Whether a long run of word characters ends at this position. */
const isLongBefore = (text: string, at: number): boolean =>
  at >= LONG_WORD_CHARS && areAll(text, at - LONG_WORD_CHARS, at, WORD)

/** The same; a ruler is not a word. */
export const isAfterLongWord = (text: string, at: number): boolean =>
  isLongBefore(text, at) && !areAll(text, at - RULER_CHARS, at, RULER)

const [PERCENT, AMPERSAND, BACKSLASH] = [0x25, 0x26, 0x5c]

export const isHex = (unit: number) =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
const isAsciiLetter = (unit: number) => (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)

/** Whether an escape may begin here, including a line break within a word. */
export const mayBegin = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return (
    unit === BACKSLASH ||
    unit === PERCENT ||
    unit === AMPERSAND ||
    unit === 0x0a ||
    is(unit, INVISIBLE) ||
    unit === TAG_HALF
  )
}

/**
 * The same without line breaks, and without the escapes that fill JSON texts: line breaks, quotes and slashes after a
 * backslash. A value with no other escapes is searched as a text of its own (`variantsOf`).
 */
export const isUnusual = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  if (is(unit, INVISIBLE) || unit === TAG_HALF) return true
  if (unit !== BACKSLASH && unit !== PERCENT && unit !== AMPERSAND) return false
  const next = text.charCodeAt(at + 1)
  if (unit === PERCENT) return isHex(next) || next === 0x75
  if (unit === AMPERSAND) return next === 0x23 || isAsciiLetter(next)
  if (!(next <= 0x7f) || !is(next, PLAIN_BEHIND_BACKSLASH)) return true
  return (next === 0x6e || next === 0x72 || next === BACKSLASH) && isLongBefore(text, at)
}

const inClass = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`
/** All of them for an expression; of pairs the first half. */
export const INVISIBLE_CLASS =
  INVISIBLE_RANGES.map(([first, last = first]) => `${inClass(first)}-${inClass(last)}`).join("") + inClass(TAG_HALF)

/**
 * The same as an expression that finds the next such place: one class comes first and the rest looks around, so that each
 * other character is tested only once.
 */
export const UNUSUAL = new RegExp(
  `[\\\\%&${INVISIBLE_CLASS}](?:${[
    "(?<=\\\\)(?![abefnrtv\"'/\\\\])",
    `(?<=[A-Za-z0-9+/_=-]{${LONG_WORD_CHARS}}\\\\)(?=[nr\\\\])`,
    "(?<=%)(?=[0-9a-fA-Fu])",
    "(?<=&)(?=[#A-Za-z])",
    `(?<=[${INVISIBLE_CLASS}])`
  ].join("|")})`,
  "g"
)
