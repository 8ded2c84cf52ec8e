import { assert, describe, it } from "@effect/vitest"
import { matchesGlob, mayBegin, restsAfter } from "../../../src/schemas/data/Glob.ts"

describe("mayBegin", () => {
  for (const [pattern, beginning] of [
    ["files/read", "files/"],
    ["files/*", "files/"],
    ["*", "files/"],
    ["f*s/r*", "files/"],
    ["*/read", "files/"],
    ["**read", "files/"],
    ["?iles/x", "files/"],
    ["?/x", "\u{1F4C1}/"],
    ["*delete*", "a/b/"],
    ["a", ""],
    ["", ""]
  ] as const) {
    it(`is true for ${pattern} and ${beginning}`, () => assert.isTrue(mayBegin(pattern, beginning)))
  }

  for (const [pattern, beginning] of [
    ["fils/read", "files/"],
    ["files", "files/"],
    ["file?", "files/"],
    ["f?s/*", "files/"],
    ["", "files/"]
  ] as const) {
    it(`is false for ${pattern} and ${beginning}`, () => assert.isFalse(mayBegin(pattern, beginning)))
  }

  it("does not try every way through a pattern", () => {
    assert.isTrue(mayBegin(`${"*a".repeat(250)}b`, "a".repeat(64)))
    assert.isFalse(mayBegin(`${"?".repeat(60)}b`, "a".repeat(64)))
  })
})

describe("restsAfter", () => {
  it("is what of a pattern is left for the rest of a text", () => {
    assert.deepStrictEqual(restsAfter("x_get", "x_"), ["get"])
    assert.deepStrictEqual(restsAfter("x_*", "x_"), ["*"])
    assert.deepStrictEqual(restsAfter("*", "x_"), ["*"])
    assert.deepStrictEqual(restsAfter("y_*", "x_"), [])
    assert.deepStrictEqual(restsAfter("x2_y", "x_"), [])
    assert.deepStrictEqual(restsAfter("?_a?", "x_"), ["a?"])
  })

  it("has every way through the pattern", () => {
    for (const pattern of ["*_get", "x*_get", "?*get", "*x*_*"]) {
      for (const rest of ["", "get", "my_get", "x", "x_y"]) {
        const isMatch = restsAfter(pattern, "x_").some((glob) => matchesGlob(glob, rest))
        assert.strictEqual(isMatch, matchesGlob(pattern, `x_${rest}`), `${pattern} ${rest}`)
      }
    }
  })
})
