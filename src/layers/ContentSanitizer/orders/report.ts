/**
 * Reports wording that gives orders to a model, in the languages that a lexicon knows. Telemetry, no defence: what is found
 * stays as it is, and much will not be found. One pass over the text; the tables are built when the first text comes.
 */
import type { Tally } from "../tally.ts"
import { featureId, type Feature } from "./features.ts"
import { makeJudge } from "./judge.ts"
import { LEXICONS } from "./lexicons.ts"
import { makeScan } from "./scan.ts"
import { makeSparse } from "./sparse.ts"
import { isLatin, type Lexicon, type Term, termsOf } from "./terms.ts"
import { type Found, makeTrie } from "./trie.ts"

export const reportOrders = (text: string, tally: Tally): void => {
  reader ??= makeReader(LEXICONS)
  reader(text, tally)
}

type Reader = (text: string, tally: Tally) => void
let reader: Reader | undefined

const makeReader = (lexicons: ReadonlyArray<Lexicon>): Reader => {
  const named = lexicons.filter(({ name }) => name !== undefined)
  const everyLanguage = 2 ** named.length - 1
  const terms = lexicons.flatMap((lexicon) => meaningsOf(lexicon, languagesOf(named, lexicon, everyLanguage)))
  const judge = makeJudge(named)
  const scan = makeScan(
    terms.filter(([term]) => isLatin(term)),
    () => makeSparse(makeTrie(terms.filter(([term]) => !isLatin(term)))),
    judge
  )
  return (text, tally) => {
    scan(text)
    judge.end(tally)
  }
}

const languagesOf = (named: ReadonlyArray<Lexicon>, lexicon: Lexicon, every: number) => {
  const index = named.indexOf(lexicon)
  return index === -1 ? every : 2 ** index
}

const meaningsOf = (lexicon: Lexicon, languages: number): ReadonlyArray<readonly [Term, Found]> =>
  Object.entries(lexicon.terms).flatMap(([feature, list]) =>
    termsOf(lexicon, list).map((term): readonly [Term, Found] => [
      term,
      {
        feature: featureId(feature as Feature),
        languages
      }
    ])
  )
