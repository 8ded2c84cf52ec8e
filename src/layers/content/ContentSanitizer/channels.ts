/**
 * Reports hidden bits in characters that some scripts need and that therefore stay: a joiner after every letter or every
 * second one, and one ideograph in always different variants. No real text looks like that. Nothing is altered.
 */
import type { Tally } from "./tally.ts"

/** A letter with a joiner, and possibly one without: more in a row than in any real text. */
/** More marks on a letter than in any script. */
const MARKS_MAX = 64
const LETTER = String.raw`\p{L}\p{M}{0,${MARKS_MAX}}`
const JOINED = String.raw`${LETTER}[\u200b-\u200d]\s?`
const UNJOINED = String.raw`${LETTER}(?![\u200b-\u200d\p{M}])\s?`
const JOINED_MIN = 12
/** Examined at once; further ones belong to the same row. */
const JOINED_MAX = 512
/** Between two of the joiners: two letters with marks, and spaces. */
const APART_MAX = 8
const JOINED_ROW = new RegExp(`(?:${JOINED}(?:${UNJOINED})?){${JOINED_MIN},${JOINED_MAX}}`, "gu")

/** An ideograph with a variation selector. Lists of variants show a few of each. */
const VARIANT = /([\p{Unified_Ideograph}\uf900-\ufad9\u{2f800}-\u{2fa1d}])([\ufe00-\ufe02\u{e0100}-\u{e011f}])/gu
const VARIANTS_MIN = 8

/** For a text without other invisible characters. */
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
/** Many joiners close together: quick to test, and absent from nearly every text. */
const DENSE = new RegExp(
  String.raw`[\u200b-\u200d](?:[^\u200b-\u200d]{1,${APART_MAX}}[\u200b-\u200d]){${JOINED_MIN - 1}}`
)
/** The first unit of a selector in another plane is enough to find it. */
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
