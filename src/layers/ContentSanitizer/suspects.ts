/**
 * Tells quickly that no marker and no special token can be in a text, which is so in nearly every one: only the others are
 * looked at as a reader sees them. May be wrong in one direction alone.
 *
 * In plain ASCII an expression tells. Escapes and other characters may stand for any letter: around these the text is
 * folded as the view folds it, and followed letter by letter.
 */
import { decodeAt, ESCAPE } from "./decode.ts"
import { foldCached } from "./view.ts"

export const mayHoldForgeries = (text: string): boolean =>
  MARKER.test(text) || TOKEN.test(text) || BARE_TOKEN.test(text) || isSpelled(text)

// ---- in plain ASCII ----------------------------------------------------------------------------------------------------

/** What every marker that is spelled in plain letters has in it. */
const MARKER = /[uv][\W_]*n[\W_]*[t7][\W_]*r[\W_]*[uv][\W_]*[s5$]/i

const SIGN = String.raw`[^a-z0-9<>[\]{}|/=",\n\r@$]`
const TOKEN = new RegExp(
  [
    String.raw`<${SIGN}{0,3}\|[^<>|\n\r]{1,72}\|${SIGN}{0,3}>`,
    String.raw`<\s?\|[a-z_]{1,24}>|<[a-z_]{1,24}\|\s?>`,
    String.raw`<\s?/?\s?(?:im${SIGN}|(?:[s$]t[a@]rt|begin|end)${SIGN}?(?:of|he[a@]der)|endof|fim|re[s$]erved|unu[s$]ed|extr[a@]|eot|eom|python|bo[s$]|eo[s$]|[s$]op|eo[aph@]|unk|[s$]eed:|[s$]peci[a@]l)`,
    String.raw`<\s?<\s?/?\s?[s$]y[s$]`,
    String.raw`[[{]\s?/?\s?(?:in[s$]t|[gs$]m[a@][s$]k|[s$]y[s$]tem${SIGN}p|[a@]v[a@]il[a@]ble|tool${SIGN}|\||think|[a@]rg[s$]|c[a@]ll${SIGN})`
  ].join("|"),
  "i"
)
/** Not in a capital: that is a type parameter. */
const BARE_TOKEN = /<\/?s>/

// ---- in escapes and other letters --------------------------------------------------------------------------------------

const SPECIALS = new RegExp(String.raw`[^\t\n\r\x20-\x7e]|${ESCAPE.source}`, "gi")

/** Letters of what MARKER looks for, each with what else reads as it in the view. */
const SPELLED = ["uv", "n", "t7", "r", "uv", "s5"]
const COMPLETE = 1 << (SPELLED.length - 1)
/** By character of the view, at which places of the word it may stand. Other letters stand at none. */
const PLACES = Uint8Array.from({ length: 0x80 }, (_, code) =>
  SPELLED.reduce((places, letters, place) => places | (letters.includes(String.fromCharCode(code)) ? 1 << place : 0), 0)
)
const IS_LETTER = Uint8Array.from({ length: 0x80 }, (_, code) => (/[a-z0-9~]/.test(String.fromCharCode(code)) ? 1 : 0))

/** No token is longer than this in the view. */
const TOKEN_MAX = 96
const TOKEN_VIEW =
  /<[ _]{0,3}\|[^<>|]{1,72}\|[ _]{0,3}>|<[ ]?\|[a-z_]{1,24}>|<[a-z_]{1,24}\|[ ]?>|<[ ]?\/?[ ]?(?:im[_ ]|(?:start|begin|end)[_ ]?(?:of|header)|endof|fim|reserved|unused|extra|eot|eom|python|bos|eos|sop|eo[aph]|unk|seed_|special)|<[ ]?<[ ]?\/?[ ]?sys|\[[ ]?\/?[ ]?(?:inst|[gs]mask|system[_ ]p|available|tool[_ ]|\||think|args|call[_ ])/

const isSpelled = (text: string): boolean => {
  SPECIALS.lastIndex = 0
  let from = 0
  for (let match = SPECIALS.exec(text); match !== null; match = SPECIALS.exec(text)) {
    const start = Math.min(beforeMarker(text, match.index, from), beforeToken(text, match.index, from))
    const end = follow(text, start, match.index)
    if (end < 0) return true
    from = end
    SPECIALS.lastIndex = end
  }
  return false
}

/** Where a marker may begin that goes through `index`. */
const beforeMarker = (text: string, index: number, from: number) => {
  let start = index
  while (start > from && !BREAKS[text.charCodeAt(start - 1)]) start--
  return start
}
/** ASCII letters and digits that are in no marker's middle. */
const BREAKS = Uint8Array.from({ length: 0x80 }, (_, code) => (/[a-mo-qw-z0-46-9]/i.test(String.fromCharCode(code)) && code !== 0x37 ? 1 : 0))

const beforeToken = (text: string, index: number, from: number) => {
  const least = Math.max(from, index - TOKEN_MAX)
  let start = index
  while (start > least && text.charCodeAt(start - 1) !== 0x0a) start--
  return start
}

/**
 * Goes through the view of a text from `start` on until nothing special is near any more. Where that is; -1 when there
 * was something like a marker or a token.
 */
const follow = (text: string, start: number, special: number): number => {
  let spelled = 0
  /** The line so far, as a reader sees it: no more of it than a token has. */
  let line = ""
  let lastSpecial = special
  let index = start
  while (index < text.length) {
    if (index > lastSpecial + TOKEN_MAX && spelled === 0) return index
    const code = text.charCodeAt(index)
    const isEscape = code === 0x26 || code === 0x25 || code === 0x5c
    const decoded = isEscape ? decodeAt(text, index) : undefined
    const codePoint = decoded?.codePoint ?? text.codePointAt(index)!
    if (decoded !== undefined || code > 0x7e) lastSpecial = index
    index = decoded?.end ?? index + (codePoint > 0xffff ? 2 : 1)
    for (const char of foldCached(codePoint)) {
      const folded = char.charCodeAt(0)
      if (IS_LETTER[folded] === 1) spelled = ((spelled << 1) | 1) & PLACES[folded]!
      if ((spelled & COMPLETE) !== 0) return -1
      if (folded === 0x0a) line = ""
      else line += char
      if ((folded === 0x3e || folded === 0x5d) && isToken(line)) return -1
    }
  }
  return index
}

const isToken = (line: string) => TOKEN_VIEW.test(line.slice(-TOKEN_MAX))
