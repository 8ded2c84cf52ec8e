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
  it("takes what stands between commas and on lines", () => {
    assert.deepStrictEqual(bodies("one, two three,\n  four,,"), ["one", "two three", "four"])
  })

  it("reads every combination of alternatives, also of none", () => {
    assert.deepStrictEqual(bodies("{do not|never} {tell|say}"), [
      "do not tell",
      "do not say",
      "never tell",
      "never say"
    ])
    assert.deepStrictEqual(expanded("a{|n}"), ["a", "an"])
  })

  it("reads the marks around a term", () => {
    const [start, capitals, dotted, open] = termsOf(plain, "^to, !AI, .env, instruct*")
    assert.deepInclude(start, { atStart: true, body: "to" })
    assert.deepInclude(capitals, { body: "AI", check: "capitals" })
    assert.deepInclude(dotted, { body: "env", check: "dotted" })
    assert.deepInclude(open, { body: "instruct", onward: true })
  })

  it("puts the endings of the language before another word, and other spellings beside", () => {
    assert.deepStrictEqual(bodies("rul* of", { ...plain, endings: "e es" }), ["rul{|e|es} of"])
    assert.deepStrictEqual(bodies("präg", { ...plain, spellings: ["ä ae"] }), ["präg", "praeg"])
  })
})

describe("the lexicons", () => {
  const known = new Set<string>(FEATURES)

  it("name only features that there are, and the rules only such that something yields", () => {
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

  it("are in Latin letters, or name the script that they are for", () => {
    for (const { name, script, terms } of LATIN) {
      assert.isUndefined(script, name)
      for (const list of Object.values(terms)) {
        for (const term of termsOf(plain, list)) assert.isTrue(isLatin(term), `${name}: ${term.body}`)
      }
    }
    for (const { name, script } of OTHERS) assert.isDefined(script, name)
  })

  it("have for every language what takes instructions back, and what it is honest to say instead", () => {
    for (const { name, terms } of [...LATIN, ...OTHERS]) {
      for (const feature of ["drop", "heed", "prior", "all", "rules"] as const) {
        assert.isDefined(terms[feature], `${name}: ${feature}`)
      }
    }
  })
})
