/**
 * Removes characters that a reader cannot see and a model can: zero-width characters, bidirectional controls, tag characters,
 * variation selectors, fillers, private-use characters and non-characters.
 *
 * Some scripts need a few of them. They stay where the character before them requires it: a joiner beside a letter of Arabic,
 * Indic and other joining scripts, and a ZWJ between emoji; the zero-width space after letters of scripts that are written
 * without spaces; one variation selector after an emoji, an ideograph, a mathematical sign or a Mongolian letter; the three
 * flags that are spelled in tag characters. A byte order mark at the very beginning goes unreported. Private-use characters
 * of all planes are removed, including icons: no model can tell what they mean. So are the invisible filler letters of
 * Hangul, the soft hyphen, and the combining grapheme joiner, except for one between two points of a Hebrew word, where it
 * keeps their order.
 */
import { endOfRun, INVISIBLE, INVISIBLES, kindOf, SOME } from "./kinds.ts"
import type { Tally } from "./tally.ts"
import { memoUpTo } from "../../../schemas/data/Memo.ts"

const SOME_INVISIBLE = new RegExp(INVISIBLE.source + SOME, "vy")

export const stripInvisible = (text: string, tally: Tally): string => {
  let stripped = ""
  /** Up to where the text has been copied. */
  let done = 0
  const hyphens = hyphensOf(text, tally)
  for (let index = 0; index < text.length; index++) {
    if ((kindOf(text.charCodeAt(index)) & INVISIBLES) === 0) continue
    const next = endOfRun(SOME_INVISIBLE, text, index)
    if (next === index) continue
    const run = text.slice(index, next)
    const seen = index === 0 && run.startsWith(BYTE_ORDER_MARK) ? run.slice(BYTE_ORDER_MARK.length) : run
    if (run === SOFT_HYPHEN) hyphens(index)
    const kept = keepLegitimate(seen, characterBefore(text, index), characterAt(text, next), tally)
    if (kept !== run) {
      stripped += text.slice(done, index) + kept
      done = next
    }
    index = next - 1
  }
  return done === 0 ? text : stripped + text.slice(done)
}

const BYTE_ORDER_MARK = "\ufeff"

/** Of a run of invisible characters at most two stay: a selector (or the tags of a flag), then a joiner. */
const keepLegitimate = (run: string, before: string, after: string, tally: Tally): string => {
  const flag = before === BLACK_FLAG ? (FLAG_TAGS.find((tags) => run.startsWith(tags)) ?? "") : ""
  let kept = flag
  let isJoined = false
  for (const char of run.slice(flag.length)) {
    const { role, name } = characterOf(char)
    // A selector belongs to the character before it, which also decides whether a joiner may follow.
    if (role === "selector" && kept === "" && selects(before, char, after)) kept = char
    else if (role === "joiner" && !isJoined && joins(before, char, after)) {
      kept += char
      isJoined = true
    } else if (!isTypesetting(run, before, after)) tally.add("hiddenUnicode", name)
  }
  return kept
}

/**
 * A place where a word may be divided or letters must not be joined. One such character is removed without a finding, because
 * typesetting hides nothing.
 */
const isTypesetting = (run: string, before: string, after: string) =>
  /^[\u00ad\u200c]$/.test(run) && LETTER.test(before) && LETTER.test(after)
const LETTER = /^\p{L}$/u

const SOFT_HYPHEN = "\u00ad"
/** This many in one word, with at most so many letters between them. In ordinary compounds the parts are longer. */
const HYPHENS_MIN = 3
const SYLLABLE = /^\p{L}\p{M}{0,4}(?:\p{L}\p{M}{0,4}){0,2}$/u
const SYLLABLE_MAX = 20

/** Called for every soft hyphen in order; reports those of a word that has many. */
const hyphensOf = (text: string, tally: Tally) => {
  let [count, last] = [0, -SYLLABLE_MAX]
  return (index: number) => {
    const isNear = index - last < SYLLABLE_MAX && SYLLABLE.test(text.slice(last + 1, index))
    count = isNear ? count + 1 : 1
    last = index
    if (count >= HYPHENS_MIN) tally.add("hiddenUnicode", "soft hyphens", count === HYPHENS_MIN ? HYPHENS_MIN : 1)
  }
}

const characterAt = (text: string, index: number) => String.fromCodePoint(text.codePointAt(index) ?? 0)

const characterBefore = (text: string, index: number) => {
  const pair = text.codePointAt(index - 2) ?? 0
  return pair > 0xffff ? String.fromCodePoint(pair) : characterAt(text, index - 1)
}

// ---- variation selectors and flags -------------------------------------------------------------------------------------

const BLACK_FLAG = "\u{1f3f4}"
/** England, Scotland and Wales: the only flags of this kind in general use. Others could spell hidden words. */
const FLAG_TAGS = ["gbeng", "gbsct", "gbwls"].map((region) =>
  String.fromCodePoint(...Array.from(region, (letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f)
)

const KEYCAP = "\u20e3"
/** Which selectors may follow which characters. The ideographic ones end at the highest in use, far below hidden ASCII letters. */
const SELECTORS: ReadonlyArray<readonly [selector: RegExp, base: RegExp]> = [
  [/^[\ufe0e\ufe0f]$/, /^[\p{Emoji}--[0-9#*]]$/v],
  [/^[\ufe00-\ufe02\u{e0100}-\u{e011f}]$/u, /^[\p{Unified_Ideograph}\uf900-\ufad9\u{2f800}-\u{2fa1d}]$/v],
  [/^[\ufe00\ufe01]$/, /^[\p{Sm}\p{scx=Mymr}\p{scx=Phag}\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]$/v],
  [/^[\u180b-\u180f]$/, /^\p{sc=Mong}$/v]
]

const selects = (before: string, char: string, after: string) =>
  after === KEYCAP && char === "\ufe0f"
    ? /^[0-9#*]$/.test(before)
    : SELECTORS.some(([selector, base]) => selector.test(char) && base.test(before))

// ---- joiners -----------------------------------------------------------------------------------------------------------

const ZWSP = "\u200b"
const ZWJ = "\u200d"
const CGJ = "\u034f"

const REMEMBERED_MAX = 4096

/** A letter, a mark or a digit of one of these scripts, named by their ISO 15924 codes. */
const charactersOf = (codes: string) => {
  const scripts = codes.replace(/\S+ ?/g, (code) => String.raw`\p{scx=${code.trim()}}`)
  return new RegExp(String.raw`^[[${scripts}]&&[\p{L}\p{M}\p{N}]]$`, "v")
}

/** For `memoUpTo`: whether a character is in the class. */
const isIn = (expression: RegExp) => (char: string) => expression.test(char)

const JOINING =
  "Arab Syrc Nkoo Mand Mani Mong Phag Adlm Rohg Sogd Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr " +
  "Bali Java Sund Newa Sylo Gran Tirh Modi Nand Limb Cakm Mtei"
const UNSPACED = "Khmr Laoo Mymr Thai Tibt Java Bali Lana Talu Tale Tavt"
const isJoining = memoUpTo(REMEMBERED_MAX, isIn(charactersOf(JOINING)))
const isUnspaced = memoUpTo(REMEMBERED_MAX, isIn(charactersOf(UNSPACED)))
const isHebrewPoint = memoUpTo(REMEMBERED_MAX, isIn(/^[\p{scx=Hebr}&&\p{Mn}]$/v))
const isEmojiPart = memoUpTo(REMEMBERED_MAX, isIn(/^[\p{ExtPict}\p{EMod}]$/v))
const isPictograph = memoUpTo(REMEMBERED_MAX, isIn(/^\p{ExtPict}$/v))

/** A joiner shapes the letter before or after it: foreign words and digits take endings, too. */
const joins = (before: string, char: string, after: string) => {
  if (char === ZWSP) return isUnspaced(before)
  if (char === CGJ) return isHebrewPoint(before) && isHebrewPoint(after)
  return isJoining(before) || isJoining(after) || (char === ZWJ && isEmojiPart(before) && isPictograph(after))
}

// ---- the class of each character -------------------------------------------------------------------------------------

interface Invisible {
  readonly role: "selector" | "joiner" | "never"
  /** The name for findings. */
  readonly name: string
}

const KINDS: ReadonlyArray<readonly [characters: RegExp, kind: Invisible]> = [
  [/[\u200b-\u200d]/, { role: "joiner", name: "zero-width characters" }],
  [/\u034f/, { role: "joiner", name: "invisible format characters" }],
  [/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u, { role: "selector", name: "variation selectors" }],
  [/[\u180b-\u180f]/, { role: "selector", name: "Mongolian selectors" }],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, { role: "never", name: "bidirectional controls" }],
  [/[\u{e0000}-\u{e007f}]/u, { role: "never", name: "tag characters" }],
  [/\p{Co}/u, { role: "never", name: "private-use characters" }],
  [/\u115f|\u1160|\u3164|\uffa0|\u17b4|\u17b5/, { role: "never", name: "filler letters" }],
  [/\p{NChar}/v, { role: "never", name: "non-characters" }]
]
const OTHER: Invisible = { role: "never", name: "invisible format characters" }

const characterOf = memoUpTo(
  REMEMBERED_MAX,
  (char: string): Invisible => KINDS.find(([characters]) => characters.test(char))?.[1] ?? OTHER
)
