/**
 * Reports wording that tries to give orders to a model, by language. Every pattern is compiled once, has only bounded gaps
 * and no nested repetition. What is cheap is tried first: most texts are done when no stem of an order was found in them.
 *
 * An override of instructions is reported by itself. A new role, and talk of a system prompt, stand in many honest texts,
 * games and manuals: each is reported only beside another of the three kinds in the same language.
 */
import { LATIN } from "./latinWording.ts"
import { OTHER } from "./otherWording.ts"
import { readable } from "./readable.ts"
import { makeStemFinder } from "./stems.ts"
import type { Tally } from "./tally.ts"
import type { Language, Wording } from "./wording.ts"

interface Pattern {
  readonly language: string
  readonly isOverride: boolean
  readonly detail: string
  readonly expression: RegExp
}

/** A pattern that is worth trying where one of the stems stands. */
interface Group {
  readonly stems: ReadonlyArray<string>
  readonly pattern: Pattern
}

export const reportInstructions = (text: string, tally: Tally) => {
  const hasOthers = OTHER_LETTERS.test(text)
  const plain = hasOthers ? readable(text) : text
  /** Per group, where a stem of it stands, with what is around it. */
  let stretches: Map<number, Array<Stretch>> | undefined
  findStems(plain, (group, start) => {
    stretches ??= new Map()
    const known = stretches.get(group)
    if (known === undefined) stretches.set(group, [around(start)])
    else if (start - REACH <= known.at(-1)!.end) known.at(-1)!.end = start + REACH
    else known.push(around(start))
  })
  const found: Array<Found> = []
  const report = (pattern: Pattern, within: ReadonlyArray<Stretch>) => {
    const count = within.reduce((sum, { end, start }) => sum + countOf(pattern.expression, plain.slice(start, end)), 0)
    if (count > 0) found.push({ pattern, count })
  }
  if (stretches !== undefined) {
    GROUPS.forEach(({ pattern }, group) => stretches?.has(group) && report(pattern, stretches.get(group)!))
  }
  if (hasOthers && OTHER_SCRIPTS.test(plain)) {
    const whole = [{ start: 0, end: plain.length }]
    for (const { patterns, script } of OTHER_ORDERS) {
      if (script.test(plain)) patterns.forEach((pattern) => report(pattern, whole))
    }
  }
  for (const { count, pattern } of found) {
    const isEnough =
      pattern.isOverride ||
      found.some((other) => other.pattern !== pattern && other.pattern.language === pattern.language)
    if (isEnough) tally.add("pattern", pattern.detail, count)
  }
}

interface Found {
  readonly pattern: Pattern
  readonly count: number
}

interface Stretch {
  readonly start: number
  end: number
}

/** No order is longer, before its stem or behind it. */
const REACH = 400
const around = (start: number): Stretch => ({ start: Math.max(0, start - REACH), end: start + REACH })
/** Beyond Latin Extended-A, and signs that texts in Latin letters have. */
const OTHER_LETTERS = /[^\x00-\u017f\u2010-\u2044]/

const countOf = (expression: RegExp, text: string) => {
  let count = 0
  expression.lastIndex = 0
  while (expression.test(text)) count++
  return count
}

/** The three kinds of orders of a language, each with its name in a finding. */
const ordersOf = ({ name, override, prompt, role }: Language): ReadonlyArray<Group> => [
  order(name, "instruction override", override),
  order(name, "new role for the reader", role),
  order(name, "system prompt", prompt)
]

const order = (language: string, kind: string, { patterns, stems }: Wording): Group => ({
  stems,
  pattern: {
    language,
    isOverride: kind === "instruction override",
    detail: `${kind} (${language})`,
    expression: new RegExp(patterns.join("|"), "giu")
  }
})

const GROUPS = LATIN.flatMap(ordersOf)
const findStems = makeStemFinder(GROUPS.map(({ stems }) => stems))

const OTHER_SCRIPTS = /[\p{sc=Cyrl}\p{sc=Arab}\p{sc=Deva}\p{sc=Kana}\p{sc=Hira}\p{sc=Hani}\p{sc=Hang}]/u
const OTHER_ORDERS: ReadonlyArray<{ readonly script: RegExp; readonly patterns: ReadonlyArray<Pattern> }> = OTHER.map(
  (language) => ({
    script: language.script ?? OTHER_SCRIPTS,
    patterns: ordersOf(language).map(({ pattern }) => pattern)
  })
)
