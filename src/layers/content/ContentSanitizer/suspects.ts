/**
 * A quick test that nearly every text passes: whether it can contain no marker and no special token. Only other texts need
 * the folded view. The test may be wrong in one direction only.
 *
 * Plain ASCII is tested by an expression. Escapes and other characters may stand for any letter: around these the text is
 * folded like in the view, letter by letter.
 */
import { decodeAt, ESCAPED, mayEscape } from "./decode.ts"
import { CERTAIN_TOKEN, PLAIN_TOKEN, TOKEN_MAX } from "./tokens.ts"
import { foldCached, foldedUnit, NOT_ONE } from "./foldedView.ts"

/** If the text is known to be plain ASCII, only its escapes may stand for something else. */
export const mayHoldForgeries = (text: string, isPlain: boolean): boolean =>
  (MARKER.test(text) && (!isPlain || MARKER_END.test(text) || ESCAPES_BEGIN.test(text))) ||
  ((!isPlain || SIGNS.test(text)) &&
    ((text.includes("<<") && BRACKETED.test(text)) ||
      PLAIN_TOKEN.test(text) ||
      BARE_TOKEN.test(text) ||
      isSpelled(text, isPlain ? ESCAPES : SPECIALS)))

/** A plain text without these has no token and no escape. */
const SIGNS = /[<[{&%\\]/

// ---- in plain ASCII ----------------------------------------------------------------------------------------------------

const plain = (letters: ReadonlyArray<string>) => new RegExp(letters.map((same) => `[${same}]`).join("[\\W_]*"), "i")
/** A part of every marker in plain letters, which is not a word: quick to search. */
const MARKER = plain(["uv", "n", "t7", "r", "uv", "s5$"])
/** Its last two words. */
const MARKER_END = plain(["uv", "n", "t7", "r", "uv", "s5$", "t7", "e3", "d", "c", "o0", "n", "t7", "e3", "n", "t7"])
const ESCAPES_BEGIN = /[&%\\]/
/** In brackets like a marker and about as long: it counts even with a misspelt word (forgeries.ts). */
const BRACKETED = /(?<!<)<<+[^<>\n]{20,240}>>/

/** Struck-out text in HTML: printable ASCII without the signs of tokens and escapes. As long in the view. */
const STRUCK_OUT = String.raw`[\t\x20-$'-;=?-Z\]-z|}~]{1,500}`
/**
 * Lower case only, because a capital one is a type parameter. Not around struck-out text. (A set with one character to find
 * is searched faster than the character.)
 */
const BARE_TOKEN = new RegExp(String.raw`[<\x00](?:s>(?!${STRUCK_OUT}</s>)|/s>(?<!<s>${STRUCK_OUT}</s>))`)

// ---- in escapes and other letters --------------------------------------------------------------------------------------

/** Matches one character of each; what follows is only examined. */
const ESCAPES = new RegExp(ESCAPED, "gi")
const SPECIALS = new RegExp(String.raw`[^\t\n\r\x20-\x7e]|${ESCAPED.source}`, "gi")

/** The letters of MARKER, each with what else looks like it in the view. */
const SPELLED = ["uv", "n", "t7&", "r", "uv", "s5%"]
const COMPLETE = 1 << (SPELLED.length - 1)
const byCode = (valueOf: (char: string) => number) =>
  Uint8Array.from({ length: 0x80 }, (_, code) => valueOf(String.fromCharCode(code)))
/** By character of the view: its possible positions in the word. Other letters have none. */
const PLACES = byCode((char) =>
  SPELLED.reduce((places, letters, place) => places | (letters.includes(char) ? 1 << place : 0), 0)
)
const IS_LETTER = byCode((char) => (/[a-z0-9~&%]/.test(char) ? 1 : 0))

const isSpelled = (text: string, specials: RegExp): boolean => {
  let from = 0
  for (;;) {
    specials.lastIndex = from
    if (!specials.test(text)) return false
    const special = specials.lastIndex - 1
    const start = Math.min(beforeMarker(text, special, from), beforeToken(text, special, from))
    from = follow(text, start, special)
    if (from < 0) return true
  }
}

/** The earliest start of a marker that contains `index`. */
const beforeMarker = (text: string, index: number, from: number) => {
  let start = index
  while (start > from && BREAKS[text.charCodeAt(start - 1)] !== 1) start--
  return start
}
/** ASCII letters and digits that cannot be inside a marker. */
const BREAKS = byCode((char) => (/[a-z0-9]/i.test(char) && !/[uvntrs57]/i.test(char) ? 1 : 0))

/** The role of a character of the view in a token: other signs, letters and spaces may be inside one. */
const [OPENS, CLOSES, ENDS] = [1, 2, 3]
const ROLES = byCode((char) =>
  /[<[]/.test(char) ? OPENS : /[>\]]/.test(char) ? CLOSES : /[",=\n]/.test(char) ? ENDS : 0
)
/** What may be between the two closing brackets of a token. */
const BETWEEN_BRACKETS = 2

const FOLDED = byCode((char) => foldCached(char.charCodeAt(0)).charCodeAt(0) || 0)

/** The earliest start of a token that contains `index`. From `from` on, all is plain ASCII, so one character folds to one. */
const beforeToken = (text: string, index: number, from: number) => {
  const least = Math.max(from, index - TOKEN_MAX)
  for (let start = index - 1; start >= least; start--) {
    const role = ROLES[FOLDED[text.charCodeAt(start)]!]!
    if (role === OPENS) return Math.max(from, start - BETWEEN_BRACKETS)
    if (role === ENDS || (role === CLOSES && index - start > BETWEEN_BRACKETS)) return index
  }
  return index
}

/**
 * Module state: scratch space, written and read within one call. It holds the view of what was followed, from an opening bracket on; no
 * more than a quarter of it is looked at.
 */
const tail = Buffer.alloc(4 * TOKEN_MAX)

/**
 * Follows the view of a text from `start` until no marker or token can contain `special`, and returns that position; -1 when
 * there was a candidate.
 */
const follow = (text: string, start: number, special: number): number => {
  let spelled = 0
  /** The size of the tail, and up to which size a token may be open. */
  let [size, openTo] = [0, 0]
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    let view = ""
    let folded = 0
    if (code < 0x80) {
      // Continues over other characters than ASCII, including single ASCII characters between them, because they often occur
      // in a row.
      if (index > special && spelled === 0 && size >= openTo && !(text.charCodeAt(index + 1) >= 0x80)) return index
      const decoded = mayEscape(code) ? decodeAt(text, index) : undefined
      if (decoded === undefined) folded = FOLDED[code]!
      else view = foldCached(decoded.codePoint)
      index = decoded?.end ?? index + 1
    } else if ((folded = foldedUnit(code)) !== NOT_ONE) {
      index++
    } else {
      const codePoint = text.codePointAt(index)!
      view = foldCached(codePoint)
      folded = 0
      index += codePoint > 0xffff ? 2 : 1
    }
    if (view !== "") folded = view.charCodeAt(0)
    for (let place = 1; folded !== 0; folded = view.charCodeAt(place++) || 0) {
      if (IS_LETTER[folded] === 1) {
        spelled = ((spelled << 1) | 1) & PLACES[folded]!
        if ((spelled & COMPLETE) !== 0) return -1
      }
      const role = ROLES[folded]!
      if (size >= openTo) {
        if (role !== OPENS) continue
        size = 0
      } else if (size === tail.length) {
        tail.copyWithin(0, size - TOKEN_MAX)
        openTo -= size - TOKEN_MAX
        size = TOKEN_MAX
      }
      tail[size++] = folded
      if (role === OPENS) openTo = size + TOKEN_MAX
      else if (role === ENDS) openTo = 0
      else if (role === CLOSES) {
        if (CERTAIN_TOKEN.test(tail.toString("latin1", Math.max(0, size - TOKEN_MAX), size))) return -1
        openTo = Math.min(openTo, size + BETWEEN_BRACKETS)
      }
    }
  }
  return index
}
