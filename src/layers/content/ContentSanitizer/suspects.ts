/**
 * Tells quickly that no marker and no special token can be in a text, which is so in nearly every one: only the others are
 * looked at as a reader sees them. May be wrong in one direction alone.
 *
 * In plain ASCII an expression tells. Escapes and other characters may stand for any letter: around these the text is
 * folded as the view folds it, and followed letter by letter.
 */
import { decodeAt, ESCAPED, mayEscape } from "./decode.ts"
import { CERTAIN_TOKEN, PLAIN_TOKEN, TOKEN_MAX } from "./tokens.ts"
import { foldCached, foldedUnit, NOT_ONE } from "./foldedView.ts"

/** Of a text that is known to be plain, only the escapes may stand for something else. */
export const mayHoldForgeries = (text: string, isPlain: boolean): boolean =>
  (MARKER.test(text) && (!isPlain || MARKER_END.test(text) || ESCAPES_BEGIN.test(text))) ||
  ((!isPlain || SIGNS.test(text)) &&
    ((text.includes("<<") && BRACKETED.test(text)) ||
      PLAIN_TOKEN.test(text) ||
      BARE_TOKEN.test(text) ||
      isSpelled(text, isPlain ? ESCAPES : SPECIALS)))

/** Without one of these a plain text has no token and no escape. */
const SIGNS = /[<[{&%\\]/

// ---- in plain ASCII ----------------------------------------------------------------------------------------------------

const plain = (letters: ReadonlyArray<string>) => new RegExp(letters.map((same) => `[${same}]`).join("[\\W_]*"), "i")
/** What every marker that is spelled in plain letters has in it: quick to look for, but a word of its own. */
const MARKER = plain(["uv", "n", "t7", "r", "uv", "s5$"])
/** Its two last words. */
const MARKER_END = plain(["uv", "n", "t7", "r", "uv", "s5$", "t7", "e3", "d", "c", "o0", "n", "t7", "e3", "n", "t7"])
const ESCAPES_BEGIN = /[&%\\]/
/** In brackets like a marker's and about as long: with a word spelled wrong it is one, too (see forgeries.ts). */
const BRACKETED = /(?<!<)<<+[^<>\n]{20,240}>>/

/** What is struck out in HTML: printable ASCII without the signs that make tokens and escapes. As long in the view. */
const STRUCK_OUT = String.raw`[\t\x20-$'-;=?-Z\]-z|}~]{1,500}`
/**
 * Not in a capital: that is a type parameter. Not around what is struck out. (A set with one character to find is looked for
 * quicker than the character.)
 */
const BARE_TOKEN = new RegExp(String.raw`[<\x00](?:s>(?!${STRUCK_OUT}</s>)|/s>(?<!<s>${STRUCK_OUT}</s>))`)

// ---- in escapes and other letters --------------------------------------------------------------------------------------

/** One character of each is taken: what follows is only looked at. */
const ESCAPES = new RegExp(ESCAPED, "gi")
const SPECIALS = new RegExp(String.raw`[^\t\n\r\x20-\x7e]|${ESCAPED.source}`, "gi")

/** Letters of what MARKER looks for, each with what else reads as it in the view. */
const SPELLED = ["uv", "n", "t7&", "r", "uv", "s5%"]
const COMPLETE = 1 << (SPELLED.length - 1)
const byCode = (valueOf: (char: string) => number) =>
  Uint8Array.from({ length: 0x80 }, (_, code) => valueOf(String.fromCharCode(code)))
/** By character of the view, at which places of the word it may stand. Other letters stand at none. */
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

/** Where a marker may begin that goes through `index`. */
const beforeMarker = (text: string, index: number, from: number) => {
  let start = index
  while (start > from && BREAKS[text.charCodeAt(start - 1)] !== 1) start--
  return start
}
/** ASCII letters and digits that are in no marker's middle. */
const BREAKS = byCode((char) => (/[a-z0-9]/i.test(char) && !/[uvntrs57]/i.test(char) ? 1 : 0))

/** What a character of the view does in a token: other signs, letters and spaces may stand within one. */
const [OPENS, CLOSES, ENDS] = [1, 2, 3]
const ROLES = byCode((char) =>
  /[<[]/.test(char) ? OPENS : /[>\]]/.test(char) ? CLOSES : /[",=\n]/.test(char) ? ENDS : 0
)
/** What a token may have behind the first of two closing brackets. */
const BETWEEN_BRACKETS = 2

const FOLDED = byCode((char) => foldCached(char.charCodeAt(0)).charCodeAt(0) || 0)

/** Where a token may begin that goes through `index`. From `from` on all is plain, so one character folds to one. */
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
 * Goes through the view of a text from `start` on until no marker and no token can go through `special` any more, and says
 * where that is; -1 when there was something like one.
 */
const follow = (text: string, start: number, special: number): number => {
  let spelled = 0
  /** How much of the tail is there, and up to which size of it a token may be open. */
  let [size, openTo] = [0, 0]
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    let view = ""
    let folded = 0
    if (code < 0x80) {
      // Past other characters than ASCII it goes on, and past one between two: they often stand in a row.
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
