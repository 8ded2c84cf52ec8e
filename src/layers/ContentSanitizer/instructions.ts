/**
 * Reports wording that tries to give orders to a model, by language. Every pattern is compiled once, has only bounded gaps
 * and no nested repetition. What is cheap is tried first: most texts are done when no stem of an order was found in them.
 */
import { LATIN } from "./latinWording.ts"
import { OTHER } from "./otherWording.ts"
import { readable } from "./readable.ts"
import { makeStemFinder, OTHER_LETTERS } from "./stems.ts"
import type { Tally } from "./tally.ts"
import type { Language, Wording } from "./wording.ts"

interface Pattern {
  readonly detail: string
  readonly expression: RegExp
}

/** A pattern that is worth trying where one of the stems stands. */
interface Group {
  readonly stems: ReadonlyArray<string>
  readonly pattern: Pattern
}

export const reportInstructions = (text: string, tally: Tally) => {
  let plain = text
  let found = findStems(text)
  if ((found & OTHER_LETTERS) !== 0) {
    plain = readable(text)
    if (plain !== text) found |= findStems(plain)
  }
  if (found === 0) return
  const report = ({ detail, expression }: Pattern) => {
    const count = countOf(expression, plain)
    if (count > 0) tally.add("pattern", detail, count)
  }
  GROUPS.forEach(({ pattern }, group) => ((found >> group) & 1) === 1 && report(pattern))
  if ((found & OTHER_LETTERS) !== 0 && OTHER_SCRIPTS.test(plain)) {
    for (const { patterns, script } of OTHER_ORDERS) if (script.test(plain)) patterns.forEach(report)
  }
}

const countOf = (expression: RegExp, text: string) => {
  let count = 0
  expression.lastIndex = 0
  while (expression.test(text)) count++
  return count
}

/** The three kinds of orders of a language, each with its name in a finding. */
const ordersOf = ({ name, override, prompt, role }: Language): ReadonlyArray<Group> => [
  order(`instruction override (${name})`, override),
  order(`new role for the reader (${name})`, role),
  order(`system prompt (${name})`, prompt)
]

const order = (detail: string, { patterns, stems }: Wording): Group => ({
  stems,
  pattern: { detail, expression: new RegExp(patterns.join("|"), "giu") }
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
