/**
 * Reports what carries hidden bits in characters that some writing needs, and that therefore stay: a joiner behind every
 * letter or every second one, and one ideograph in ever other variants. Nobody writes so; nothing is altered.
 */
import type { Tally } from "./tally.ts"

/** A letter with a joiner, and perhaps one without: so many in a row that no writing has. */
/** No writing has so many on a letter. */
const MARKS_MAX = 64
const LETTER = String.raw`\p{L}\p{M}{0,${MARKS_MAX}}`
const JOINED = String.raw`${LETTER}[\u200b-\u200d]\s?`
const UNJOINED = String.raw`${LETTER}(?![\u200b-\u200d\p{M}])\s?`
const JOINED_MIN = 12
/** As many are looked at at once; the next belong to the same row. */
const JOINED_MAX = 512
/** Between two of the joiners: two letters with marks, and spaces. */
const APART_MAX = 8
const JOINED_ROW = new RegExp(`(?:${JOINED}(?:${UNJOINED})?){${JOINED_MIN},${JOINED_MAX}}`, "gu")

/** An ideograph with the selector of a variant. Lists of variants show a few of each. */
const VARIANT = /([\p{Unified_Ideograph}\uf900-\ufad9\u{2f800}-\u{2fa1d}])([\ufe00-\ufe02\u{e0100}-\u{e011f}])/gu
const VARIANTS_MIN = 8

/** Of a text with nothing else in it that is invisible. */
export const reportChannels = (text: string, tally: Tally) => {
  if (DENSE.test(text)) {
    let end = -1
    for (const { 0: row, index } of text.matchAll(JOINED_ROW)) {
      if (index !== end) tally.add("hiddenUnicode", "joiners behind most letters")
      end = index + row.length
    }
  }
  if (SELECTORS.test(text)) reportVariants(text, tally)
}
/** That many joiners close together: quick to look for, and there are none in nearly every text. */
const DENSE = new RegExp(
  String.raw`[\u200b-\u200d](?:[^\u200b-\u200d]{1,${APART_MAX}}[\u200b-\u200d]){${JOINED_MIN - 1}}`
)
/** The second unit of a selector in another plane is no help: the first one tells. */
const SELECTORS = /[\ufe00-\ufe02\udb40]/

const reportVariants = (text: string, tally: Tally) => {
  const variants = new Map<string, Set<string>>()
  for (const [, ideograph = "", selector = ""] of text.matchAll(VARIANT)) {
    const known = variants.get(ideograph) ?? new Set()
    if (known.size === VARIANTS_MIN) continue
    variants.set(ideograph, known.add(selector))
    if (known.size === VARIANTS_MIN) tally.add("hiddenUnicode", "many variants of one ideograph")
  }
}
