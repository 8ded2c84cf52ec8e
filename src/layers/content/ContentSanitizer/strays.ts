/**
 * Takes out what is part of some writing and hides something anywhere else: the blank cell of Braille, joiners and
 * blanks of hieroglyphs, the filler of Khitan, the empty notehead, more marks than any letter carries. The separators of lines and paragraphs become line feeds: a model may
 * not see the break, and who writes one hides nothing.
 */
import { endOfRun, MARK, PILE_MAX, SOME } from "./kinds.ts"
import type { Tally } from "./tally.ts"

const SEPARATORS = /[\u2028\u2029]/g

/** What is taken out, run by run. */
interface Stray {
  readonly detail: string
  /** A character of a run. */
  readonly one: RegExp
  readonly some: RegExp
  /** Beside one of these a run is part of some writing; all that a run is made of is among them. */
  readonly beside: readonly [first: number, last: number]
  /** Whether it has to stand behind one of them. */
  readonly onlyBehind?: true
  /** So many characters of such a run stay. */
  readonly keeps: number
  /** What stands in the place of each unit. */
  readonly instead: string
}

const strayOf = (chars: string, rest: Omit<Stray, "one" | "some">): Stray => ({
  one: new RegExp(chars, "gu"),
  some: new RegExp(chars + SOME, "uy"),
  ...rest
})

const STRAYS: ReadonlyArray<Stray> = [
  // In drawings they stand beside other cells. Elsewhere each becomes a space, so that columns stay where they are.
  strayOf(String.raw`\u2800`, {
    detail: "blank cells of Braille",
    beside: [0x2800, 0x28ff],
    keeps: Number.POSITIVE_INFINITY,
    instead: " "
  }),
  // Signs that group hieroglyphs, and the blanks that fill a group: as many as groups within groups need.
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

/** A joiner between two marks does not end a pile: it goes with the mark behind it. */
const HELD = "[\u200b-\u200d]?"
const HELD_MARK = `(?:${HELD}${MARK.source})`
const PILES = new RegExp(
  `(?<=${MARK.source}${HELD_MARK}{${PILE_MAX - 1}})${HELD_MARK}${SOME}(?:${HELD}(?!${MARK.source}))?`,
  "gv"
)

const stripPiles = (text: string, tally: Tally): string => {
  let end = -1
  return text.replace(PILES, (pile, index: number) => {
    // What goes on is the same pile.
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
