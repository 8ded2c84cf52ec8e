/** What every start reads is what the lexicons say. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { searchedTerms, tables } from "../../../../../scripts/search-terms.ts"
import { FEATURES } from "../../../../../src/layers/content/ContentSanitizer/injection/features.ts"
import { LATIN } from "../../../../../src/layers/content/ContentSanitizer/injection/lexicons.ts"
import {
  addSearched,
  firstOf,
  type Mark,
  REST_BITS,
  TERM_SIGNS
} from "../../../../../src/layers/content/ContentSanitizer/injection/searched.ts"
import { atOnce } from "../../../../../src/schemas/data/InTurns.ts"

const FOLDER = new URL("../../../../../src/layers/content/ContentSanitizer/injection/tables/", import.meta.url)

describe("the tables of the detector", () => {
  for (const [name, textOf] of Object.entries(tables)) {
    it(`have what the lexicons say now (${name}): if not, npm run terms`, () => {
      assert.isTrue(readFileSync(new URL(name, FOLDER), "utf8") === textOf())
    })
  }

  it("hold each term of each language with its meaning, once", () => {
    const names = LATIN.map((lexicon) => lexicon.name)
    const found: Array<string> = []
    const add = (reads: ArrayLike<number>, size: number, { check, feature, language, rest }: Mark) => {
      const classes = Array.from({ length: size }, (_, place) => reads[place]!)
      for (let left = rest; left !== 0; left >>= REST_BITS) classes.push(firstOf(left))
      const term = classes.map((read) => TERM_SIGNS[read]).join("")
      found.push([names[language] ?? "", FEATURES[feature], check !== undefined, term].join("|"))
    }
    atOnce(addSearched(names, add))
    const expected = [...searchedTerms()].flatMap(([line, terms]) => {
      const [name, feature, condition] = line.split("|")
      return [...terms].map((term) => [name, feature, condition !== "", term].join("|"))
    })
    assert.isAbove(expected.length, 9_000)
    assert.deepStrictEqual(found.toSorted(), expected.toSorted())
  })
})
