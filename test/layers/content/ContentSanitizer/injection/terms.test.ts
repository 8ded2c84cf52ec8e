import { assert, describe, it } from "@effect/vitest"
import { FEATURES } from "../../../../../src/layers/content/ContentSanitizer/injection/features.ts"
import { EVERY, LATIN, OTHERS } from "../../../../../src/layers/content/ContentSanitizer/injection/lexicons.ts"
import { HINTS, RULES } from "../../../../../src/layers/content/ContentSanitizer/injection/rules.ts"
import {
  expanded,
  isLatin,
  type Lexicon,
  termsOf
} from "../../../../../src/layers/content/ContentSanitizer/injection/terms.ts"

const plain: Lexicon = { name: "Plain", terms: {} }
const bodies = (list: string, lexicon: Lexicon = plain) => termsOf(lexicon, list).map(({ body }) => body)

describe("termsOf", () => {
  it("splits a list at commas and lines", () => {
    assert.deepStrictEqual(bodies("one, two three,\n  four,,"), ["one", "two three", "four"])
  })

  it("expands every combination of alternatives, also empty ones", () => {
    assert.deepStrictEqual(bodies("{do not|never} {tell|say}"), [
      "do not tell",
      "do not say",
      "never tell",
      "never say"
    ])
    assert.deepStrictEqual(expanded("a{|n}"), ["a", "an"])
  })

  it("reads the marks of a term", () => {
    const [start, capitals, dotted, open] = termsOf(plain, "^to, !AI, .env, instruct*")
    assert.deepInclude(start, { atStart: true, body: "to" })
    assert.deepInclude(capitals, { body: "AI", check: "capitals" })
    assert.deepInclude(dotted, { body: "env", check: "dotted" })
    assert.deepInclude(open, { body: "instruct", onward: true })
  })

  it("adds the endings of the language before another word, and other spellings", () => {
    assert.deepStrictEqual(bodies("rul* of", { ...plain, endings: "e es" }), ["rul{|e|es} of"])
    assert.deepStrictEqual(bodies("präg", { ...plain, spellings: ["ä ae"] }), ["präg", "praeg"])
  })
})

describe("the lexicons", () => {
  const known = new Set<string>(FEATURES)

  it("use known features only, and each rule only features that are produced", () => {
    const heard = new Set<string>(["closed", "vocative"])
    for (const { terms } of [...LATIN, ...OTHERS, EVERY]) {
      for (const feature of Object.keys(terms)) {
        assert.isTrue(known.has(feature), feature)
        heard.add(feature)
      }
    }
    for (const rules of [RULES, HINTS]) {
      const yielded = new Set([...heard, ...rules.map((rule) => rule.yields)])
      for (const { all } of rules) for (const feature of all) assert.isTrue(yielded.has(feature), feature)
    }
  })

  it("are in Latin letters, or name their script", () => {
    for (const { name, script, terms } of LATIN) {
      assert.isUndefined(script, name)
      for (const list of Object.values(terms)) {
        for (const term of termsOf(plain, list)) assert.isTrue(isLatin(term), `${name}: ${term.body}`)
      }
    }
    for (const { name, script } of OTHERS) assert.isDefined(script, name)
  })

  it('have the terms for "drop", "heed", "prior", "all" and "rules" in each language', () => {
    for (const { name, terms } of [...LATIN, ...OTHERS]) {
      for (const feature of ["drop", "heed", "prior", "all", "rules"] as const) {
        assert.isDefined(terms[feature], `${name}: ${feature}`)
      }
    }
  })
})
