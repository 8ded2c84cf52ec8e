/**
 * Which kinds of characters must be removed, and a quick test whether a text has any: a removal step runs only then, and only
 * there. The result for a unit may be too inclusive, but never too narrow.
 */

/** Tab and line feed are excluded. A carriage return counts unless it is part of a CRLF. */
export const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/

/** Excludes visible format characters such as the Arabic number signs and the joiners of hieroglyphs. */
export const INVISIBLE =
  /[[\p{DI}\p{Cf}\p{Co}\p{NChar}]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u{13430}-\u{1343f}]]/v

/** At most this many of one kind per match, and then the next: an unlimited expression runs out of memory on long texts. */
export const SOME = "{1,512}"

/** Where the run ends that begins at `start`. `some` is sticky and matches `SOME` at once. */
export const endOfRun = (some: RegExp, text: string, start: number): number => {
  let end = start
  do some.lastIndex = end
  while (some.test(text) && (end = some.lastIndex) < text.length)
  return end
}

// ---- plain ASCII -------------------------------------------------------------------------------------------------------

/**
 * Whether the text is tab, line feed and printable ASCII only: then just markers need attention. (A carriage return is excluded.)
 */
export const isPlain = (text: string): boolean =>
  text.length <= SHORT ? isPlainShort(text) : isAscii(text) && !CONTROL_1.test(text) && !CONTROL_2.test(text)

/** Up to this length, looking at each character takes less time than preparing a faster search. */
const SHORT = 128
const [TAB, LINE_FEED, SPACE, TILDE] = [0x09, 0x0a, 0x20, 0x7e]

const isPlainShort = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > TILDE || (unit < SPACE && unit !== TAB && unit !== LINE_FEED)) return false
  }
  return true
}

/** Together all control characters of ASCII. Sets of at most 16 characters are searched many times faster than larger ones. */
const CONTROL_1 = /[\x00-\x08\x0b-\x0f\x7f]/
const CONTROL_2 = /[\x10-\x1f]/

const CHUNK = 16_384
const units = new Uint16Array(CHUNK)
// Module state: scratch space, written and read within one call; every text goes through it.
const bytes = Buffer.from(units.buffer)

/** Only ASCII has as many bytes in UTF-8 as characters. The buffer is larger than that, so that nothing is cut off unnoticed. */
const isAscii = (text: string): boolean => {
  for (let start = 0; start < text.length; start += CHUNK) {
    const chunk = text.slice(start, start + CHUNK)
    if (bytes.write(chunk, "utf8") !== chunk.length) return false
  }
  return true
}

// ---- other texts -------------------------------------------------------------------------------------------------------

/** Bits that describe a unit or a text. */
export const CONTROLS = 2
export const INVISIBLES = 4
/** Characters that belong to certain scripts only (strays.ts). */
export const STRAYS = 8
/** Set for every unit that has been classified. */
const KNOWN = 1
/** A combining mark. */
const MARKS = 16

/** More marks in a row occur on no letter: the largest stacks, in Tibetan, have eight. */
export const PILE_MAX = 10

/** The kinds of all characters in a text. */
export const kindsOf = (text: string): number => {
  let kinds = 0
  let marks = 0
  for (let start = 0; start < text.length; start += CHUNK) {
    const length = bytes.write(text.slice(start, start + CHUNK), "utf16le") / 2
    for (let index = 0; index < length; index++) {
      const kind = kindOf(units[index]!)
      kinds |= kind
      // Invisible characters do not end a pile, whether they stay or not.
      if ((kind & MARKS) !== 0) marks++
      else if ((kind & INVISIBLES) === 0) marks = 0
      if (marks > PILE_MAX) kinds |= STRAYS
    }
  }
  return kinds
}

/** The kinds of all characters that begin with this unit. */
export const kindOf = (unit: number): number => KINDS[unit]! || learn(unit)

// Module state: what a pure function returns, kept by unit; 0 until the unit was met.
const KINDS = new Uint8Array(0x1_0000)

const learn = (unit: number): number => {
  const characters = unit >= 0xd800 && unit <= 0xdbff ? charactersOf(unit) : String.fromCharCode(unit)
  const is = (expression: RegExp, kind: number) => (expression.test(characters) ? kind : 0)
  return (KINDS[unit] = KNOWN | is(CONTROL, CONTROLS) | is(INVISIBLE, INVISIBLES) | is(STRAY, STRAYS) | is(MARK, MARKS))
}

const STRAY = /[\u2028\u2029\u2800\u{13430}-\u{1343f}\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u
/** Marks of other planes do not occur on letters that piles are made of. */
export const MARK = /[[\p{Mn}\p{Me}]&&[\0-\uffff]]/v

const charactersOf = (lead: number) =>
  Array.from({ length: 0x400 }, (_, trail) => String.fromCharCode(lead, 0xdc00 + trail)).join("")
