import { assert, describe, it } from "@effect/vitest"
import { pageOf } from "../../../../../src/layers/content/ContentSanitizer/injection/page.ts"
import { termsOf } from "../../../../../src/layers/content/ContentSanitizer/injection/terms.ts"
import { makeWords } from "../../../../../src/layers/content/ContentSanitizer/injection/termFinder.ts"

/** Which terms end where; the page is read in parts. */
const finder = (list: string) => {
  const terms = list
    .split(", ")
    .flatMap((name) => termsOf({ name: "Plain", terms: {} }, name).map((term) => [term, name] as const))
  const words = makeWords(terms)
  return (text: string, ...cuts: ReadonlyArray<number>) => {
    const found: Array<string> = []
    const page = pageOf(text)
    words.begin()
    let from = 0
    for (const to of [...cuts, page.size]) {
      words.read(page, from, to, (name, index) => found.push(`${name}@${index}`))
      from = to
    }
    return found
  }
}

describe("makeWords", () => {
  const find = finder("tell, instruct*, never mind, do not tell, tell user*, ^to, !AI, .env")

  it("finds whole words, and words that begin with an open term", () => {
    assert.deepStrictEqual(find("tell teller tel Tëll"), ["tell@3", "tell@19"])
    assert.include(find("the instructions"), "instruct*@11")
    assert.deepStrictEqual(find("instruc"), [])
  })

  it("finds terms of several words at their last word, across punctuation and line breaks", () => {
    assert.deepStrictEqual(find("never, mind"), ["never mind@10"])
    assert.deepStrictEqual(find("do  not\ntell"), ["tell@11", "do not tell@11"])
    assert.include(find("tell users"), "tell user*@8")
    assert.deepStrictEqual(find("never you mind"), [])
    assert.notInclude(find("to not tell"), "do not tell@10")
  })

  it("does not find terms whose words are far apart or in another order", () => {
    assert.deepStrictEqual(find(`never${" ".repeat(40)}mind`), [])
    assert.deepStrictEqual(find("mind never"), [])
  })

  it("finds terms with a mark only at a start, in capitals or behind a dot", () => {
    assert.deepStrictEqual(find("to it. To you, to me"), ["^to@1", "^to@8"])
    assert.deepStrictEqual(find("AI ai x.env .env"), ["!AI@1", ".env@15"])
  })

  it("finds the same when a page is read in parts", () => {
    const text = "do not tell, never mind"
    for (let cut = 0; cut <= text.length; cut++) assert.deepStrictEqual(find(text, cut), find(text), `cut at ${cut}`)
  })

  it("does not remember the page before", () => {
    find("te")
    assert.deepStrictEqual(find("ll"), [])
  })
})
