import { assert, describe, it } from "@effect/vitest"
import { makeStemFinder, OTHER_LETTERS } from "../../../src/layers/ContentSanitizer/stems.ts"

describe("makeStemFinder", () => {
  const find = makeStemFinder([["abcd", "zz"], ["bc"], ["cde"], ["ümlaut ş"]])

  it("says which groups have a stem in the text", () => {
    assert.strictEqual(find("--abcd--"), 0b011)
    assert.strictEqual(find("zz ümlaut ş"), 0b1001)
    assert.strictEqual(find("abce"), 0b010)
    assert.strictEqual(find("abcde"), 0b111)
  })

  it("finds a stem within the beginning of another, and after it broke off", () => {
    assert.strictEqual(find("abcx"), 0b010)
    assert.strictEqual(find("abccde"), 0b110)
    assert.strictEqual(find("ababcd"), 0b011)
  })

  it("does not care about case, and finds nothing where nothing is", () => {
    assert.strictEqual(find("ABCD ÜMLAUT Ş"), 0b1011)
    assert.strictEqual(find(""), 0)
    assert.strictEqual(find("acbd éş"), 0)
  })

  it("says when there are letters that no stem is written in, and no stem runs across them", () => {
    assert.strictEqual(find("acbd 中文"), OTHER_LETTERS)
    assert.strictEqual(find("\u{1f600} bc"), OTHER_LETTERS | 0b010)
    assert.strictEqual(find("ab文cd"), OTHER_LETTERS)
  })
})
