/**
 * Tells quickly that no marker and no special token can be in a text, which is so in nearly every one: only the others are
 * looked at as a reader sees them. May be wrong in one direction alone.
 *
 * In plain ASCII an expression tells. Escapes and other characters may stand for any letter: around these the text is
 * folded as the view folds it, and followed letter by letter.
 */
import { decodeAt, ESCAPE } from "./decode.ts"
import { CERTAIN_TOKEN, PLAIN_TOKEN, TOKEN_MAX } from "./tokens.ts"
import { foldCached } from "./view.ts"

/** Of a text that is known to be plain, only the escapes may stand for something else. */
export const mayHoldForgeries = (text: string, isPlain: boolean): boolean =>
  MARKER.test(text) ||
  ((!isPlain || SIGNS.test(text)) &&
    (PLAIN_TOKEN.test(text) || BARE_TOKEN.test(text) || isSpelled(text, isPlain ? ESCAPES : SPECIALS)))

/** Without one of these a plain text has no token and no escape. */
const SIGNS = /[<[{&%\\]/

// ---- in plain ASCII ----------------------------------------------------------------------------------------------------

/** What every marker that is spelled in plain letters has in it. */
const MARKER = /[uv][\W_]*n[\W_]*[t7][\W_]*r[\W_]*[uv][\W_]*[s5$]/i

/** Not in a capital: that is a type parameter. (A set with one character to find is looked for quicker than the character.) */
const BARE_TOKEN = /[<\x00]\/?s>/

// ---- in escapes and other letters --------------------------------------------------------------------------------------

const ESCAPES = new RegExp(ESCAPE, "gi")
const SPECIALS = new RegExp(String.raw`[^\t\n\r\x20-\x7e]|${ESCAPE.source}`, "gi")

/** Letters of what MARKER looks for, each with what else reads as it in the view. */
const SPELLED = ["uv", "n", "t7&", "r", "uv", "s5%"]
const COMPLETE = 1 << (SPELLED.length - 1)
/** By character of the view, at which places of the word it may stand. Other letters stand at none. */
const PLACES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  SPELLED.reduce((places, letters, place) => places | (letters.includes(String.fromCharCode(code)) ? 1 << place : 0), 0)
)
const IS_LETTER = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9~&%]/.test(String.fromCharCode(code)) ? 1 : 0
)

const isSpelled = (text: string, specials: RegExp): boolean => {
  let from = 0
  for (;;) {
    specials.lastIndex = from
    const match = specials.exec(text)
    if (match === null) return false
    const start = Math.min(beforeMarker(text, match.index, from), beforeToken(text, match.index, from))
    from = follow(text, start, match.index)
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
const BREAKS = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) && !/[uvntrs57]/i.test(String.fromCharCode(code)) ? 1 : 0
)

const beforeToken = (text: string, index: number, from: number) => {
  const least = Math.max(from, index - TOKEN_MAX)
  let start = index
  while (start > least && text.charCodeAt(start - 1) !== LINE_FEED) start--
  return start
}

const [LINE_FEED, CLOSER, SQUARE_CLOSER, OPENER, SQUARE_OPENER] = [0x0a, 0x3e, 0x5d, 0x3c, 0x5b]
/** The view of what was followed last. No more than a quarter of it is looked at. */
const tail = Buffer.alloc(4 * TOKEN_MAX)
const FOLDED = Uint8Array.from({ length: 0x80 }, (_, code) => foldCached(code).charCodeAt(0) || 0)

/**
 * Goes through the view of a text from `start` on until nothing special is near any more, and says where that is; -1 when
 * there was something like a marker or a token.
 */
const follow = (text: string, start: number, special: number): number => {
  let spelled = 0
  /** How much of the tail is there, where its line begins, and where something was last opened in it. */
  let [size, line, opened] = [0, 0, -TOKEN_MAX]
  let lastSpecial = special
  let index = start

  /** Takes one character of the view; true when it completes something. */
  const take = (folded: number): boolean => {
    if (IS_LETTER[folded] === 1) {
      spelled = ((spelled << 1) | 1) & PLACES[folded]!
      if ((spelled & COMPLETE) !== 0) return true
    }
    if (size === tail.length) {
      tail.copyWithin(0, size - TOKEN_MAX)
      const moved = size - TOKEN_MAX
      ;[size, line, opened] = [TOKEN_MAX, Math.max(0, line - moved), opened - moved]
    }
    tail[size++] = folded
    if (folded === LINE_FEED) line = size
    else if (folded === OPENER || folded === SQUARE_OPENER) opened = size
    else if ((folded === CLOSER || folded === SQUARE_CLOSER) && opened > line && opened > size - TOKEN_MAX) {
      return CERTAIN_TOKEN.test(tail.toString("latin1", Math.max(line, size - TOKEN_MAX), size))
    }
    return false
  }

  while (index < text.length) {
    if (spelled === 0 && index > lastSpecial + TOKEN_MAX) return index
    const code = text.charCodeAt(index)
    if (code < 0x80 && code !== 0x26 && code !== 0x25 && code !== 0x5c) {
      if (take(FOLDED[code]!)) return -1
      index++
      continue
    }
    const decoded = decodeAt(text, index)
    const codePoint = decoded?.codePoint ?? text.codePointAt(index)!
    if (decoded !== undefined || codePoint > 0x7e) lastSpecial = index
    const view = foldCached(codePoint)
    for (let place = 0; place < view.length; place++) if (take(view.charCodeAt(place))) return -1
    index = decoded?.end ?? index + (codePoint > 0xffff ? 2 : 1)
  }
  return index
}
