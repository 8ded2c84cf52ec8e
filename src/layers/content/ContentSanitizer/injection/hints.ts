/**
 * Decides from the terms of the first look where a text must be read in full: where some of them are close together. All
 * languages are processed at once but separately; terms that belong to every language count for all of them.
 */
import { FEATURES, featureId } from "./features.ts"
import type { Page } from "./page.ts"
import { HINTS, ROUGH_SLACK } from "./rules.ts"
import { sentenceEnds } from "./sentences.ts"
import type { Lexicon } from "./terms.ts"

/** Called where a language may have something to report. */
export type OnPlace = (language: number, at: number) => void

export interface Hints {
  /** Begins a text of this length. */
  readonly begin: (length: number) => void
  /** Sets the start of the current piece of the text. */
  readonly turn: (page: Page, start: number) => void
  readonly hear: (language: number, feature: number, at: number, onPlace: OnPlace) => void
}

/** Bits for the features of a language. */
const ROOM_BITS = 7
/** Before every text. */
const NEVER = -100_000
/** The maximum distance. */
const REACH_MAX = 1000
/** Positions have 32 bits; this leaves room for the longest string. */
const OFFSET_MAX = 1 << 30
const SUSPECT = featureId("suspect")

/** A hint, checked when one of its features occurs. */
interface Hint {
  readonly one: number
  /** Equals `one` if there are only two features. */
  readonly other: number
  readonly within: number
  readonly across: boolean
  readonly clause: boolean
  readonly yields: number
}

const hintsOf = (heard: number, density: number): ReadonlyArray<Hint> => {
  const name = FEATURES[heard]!
  return HINTS.filter(({ all, inOrder }) => (inOrder === true ? all.at(-1) === name : all.includes(name))).map(
    ({ across, all, clause, within, yields }) => {
      const [one, other] = all.filter((feature) => feature !== name).map(featureId)
      return {
        across: across === true,
        clause: clause === true,
        one: one!,
        other: other ?? one!,
        within: Math.round((within + ROUGH_SLACK) / density),
        yields: featureId(yields)
      }
    }
  )
}

/** The index after the last language stands for all of them. */
export const makeHints = (lexicons: ReadonlyArray<Lexicon>): Hints => {
  const every = lexicons.length
  const shared = every << ROOM_BITS
  /** The last position of each feature, by language. */
  const last = new Int32Array((every + 1) << ROOM_BITS)
  const heard = new Int32Array(every)
  /** By language and feature, built on first use. */
  const hints: Array<ReadonlyArray<Hint> | undefined> = Array.from(last, () => undefined)
  let page: Page = { size: 0, units: new Uint16Array(0) }
  let pageStart = 0
  /** Texts get positions far apart from one another, so that earlier ones need not be cleared each time. */
  let offset = OFFSET_MAX
  let size = 0

  const placeOf = (base: number, feature: number): number => {
    const [own, common] = [last[base | feature]!, last[shared | feature]!]
    return own > common ? own : common
  }

  const think = (language: number, feature: number, at: number): boolean => {
    const base = language << ROOM_BITS
    last[base | feature] = at
    if (feature === SUSPECT) return true
    const known = (hints[base | feature] ??= hintsOf(feature, lexicons[language]!.density ?? 1))
    let found = false
    for (let index = 0; index < known.length; index++) {
      const hint = known[index]!
      const from = at - hint.within
      let first = placeOf(base, hint.one)
      if (first < from) continue
      if (hint.other !== hint.one) first = Math.min(first, placeOf(base, hint.other))
      if (first < from) continue
      const isOnPage = !hint.across && first >= pageStart
      if (isOnPage && sentenceEnds(page, first - pageStart, at - pageStart - 1, hint.clause)) continue
      if (think(language, hint.yields, at)) found = true
    }
    return found
  }

  return {
    begin: (length) => {
      offset += size + REACH_MAX
      size = length
      if (offset + size < OFFSET_MAX) return
      last.fill(NEVER)
      heard.fill(NEVER)
      offset = 0
    },
    hear: (language, feature, index, onPlace) => {
      const at = offset + index
      if (language !== every) {
        heard[language] = at
        if (think(language, feature, at)) onPlace(language, index)
        return
      }
      last[shared | feature] = at
      for (let other = 0; other < every; other++) {
        if (heard[other]! > at - REACH_MAX && think(other, feature, at)) onPlace(other, index)
      }
    },
    turn: (next, start) => {
      page = next
      pageStart = offset + start
    }
  }
}
