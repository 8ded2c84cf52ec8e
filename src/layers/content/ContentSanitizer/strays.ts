/**
 * Removes characters that belong to certain scripts and hide something elsewhere: the blank cell of Braille, joiners and
 * blanks of hieroglyphs, the filler of Khitan, the empty notehead, and more marks than any letter has. Line and paragraph
 * separators become line feeds, without a finding: a model may not see the break.
 */
import { endOfRun, MARK, PILE_MAX, SOME } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const SEPARATORS = /[\u2028\u2029]/g

/** A kind of characters that is removed, run by run. */
interface Stray {
  readonly detail: string
  /** One character of a run. */
  readonly one: RegExp
  readonly some: RegExp
  /** Next to one of these, a run belongs to a script; includes all characters of a run. */
  readonly beside: readonly [first: number, last: number]
  /** Whether it must follow one of them. */
  readonly onlyBehind?: true
  /** How many characters of such a run stay. */
  readonly keeps: number
  /** The replacement for each unit. */
  readonly instead: string
}

const strayOf = (chars: string, rest: Omit<Stray, "one" | "some">): Stray => ({
  one: new RegExp(chars, "gu"),
  some: new RegExp(chars + SOME, "uy"),
  ...rest
})

const STRAYS: ReadonlyArray<Stray> = [
  // In drawings they are next to other cells. Elsewhere each becomes a space, so that columns stay aligned.
  strayOf(String.raw`\u2800`, {
    detail: "blank cells of Braille",
    beside: [0x2800, 0x28ff],
    keeps: Number.POSITIVE_INFINITY,
    instead: " "
  }),
  // Signs that group hieroglyphs, and the blanks that fill a group: as many as nested groups need.
  strayOf(String.raw`[\u{13430}-\u{1343f}\u{13441}\u{13442}]`, {
    detail: "joiners of hieroglyphs",
    beside: [0x13000, 0x143ff],
    keeps: 8,
    instead: ""
  }),
  strayOf(String.raw`\u{1d159}`, {
    detail: "empty noteheads",
    beside: [0x1d100, 0x1d1ff],
    keeps: Number.POSITIVE_INFINITY,
    instead: ""
  }),
  strayOf(String.raw`\u{16fe4}`, {
    detail: "fillers of Khitan",
    beside: [0x18b00, 0x18cff],
    onlyBehind: true,
    keeps: 1,
    instead: ""
  })
]

const codePointBefore = (text: string, index: number): number => {
  const pair = text.codePointAt(index - 2) ?? 0
  return pair > 0xffff ? pair : text.charCodeAt(index - 1)
}

const strip = (text: string, stray: Stray, tally: Tally): string => {
  const { beside, detail, instead, keeps, one, onlyBehind, some } = stray
  const isBeside = (codePoint: number) => codePoint >= beside[0] && codePoint <= beside[1]
  const parts: Array<string> = []
  let done = 0
  one.lastIndex = 0
  for (let found = one.exec(text); found !== null; found = one.exec(text)) {
    const [start, end] = [found.index, endOfRun(some, text, found.index)]
    const isPart =
      isBeside(codePointBefore(text, start)) || (onlyBehind !== true && isBeside(text.codePointAt(end) ?? 0))
    const from = isPart ? start + keeps * found[0].length : start
    if (from < end) {
      tally.add("hiddenUnicode", detail)
      parts.push(text.slice(done, from), instead.repeat(end - from))
      done = end
    }
    one.lastIndex = end
  }
  return done === 0 ? text : parts.join("") + text.slice(done)
}

/** A joiner between two marks does not end a pile: it belongs to the mark after it. */
const HELD = "[\u200b-\u200d]?"
const HELD_MARK = `(?:${HELD}${MARK.source})`
const PILES = new RegExp(
  `(?<=${MARK.source}${HELD_MARK}{${PILE_MAX - 1}})${HELD_MARK}${SOME}(?:${HELD}(?!${MARK.source}))?`,
  "gv"
)

const stripPiles = (text: string, tally: Tally): string => {
  let end = -1
  return text.replace(PILES, (pile, index: number) => {
    // A continuation of the same pile.
    if (index !== end) tally.add("hiddenUnicode", "piles of combining marks")
    end = index + pile.length
    return ""
  })
}

export const stripStrays = (text: string, tally: Tally): string =>
  stripPiles(
    STRAYS.reduce((stripped, stray) => strip(stripped, stray, tally), text.replace(SEPARATORS, "\n")),
    tally
  )
