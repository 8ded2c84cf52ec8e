import { assert, describe, it } from "@effect/vitest"
import { inOneLine, mapWords } from "../../../src/schemas/data/Whitespace.ts"

const LENGTH = 16 * 1024 * 1024

describe("a text on one line", () => {
  it("has one space for each run of white space", () => {
    assert.strictEqual(inOneLine("a  b\n\tc\u00a0d e"), "a b c d e")
    assert.strictEqual(inOneLine("\n a \n"), " a ")
    assert.strictEqual(inOneLine(""), "")
  })

  it("has one space also for runs of 16 MiB", () => {
    for (const length of [1024, 1025, 2048, 1024 * 1024 + 1, LENGTH]) {
      assert.strictEqual(inOneLine(`a${" ".repeat(length)}b${"\n".repeat(length)}c`), "a b c")
    }
  })
})

describe("mapping the words of a text", () => {
  it("changes each word and keeps white space", () => {
    assert.strictEqual(
      mapWords(" ab \n\n😀\tc", (word) => `<${word}>`),
      " <ab> \n\n<😀>\t<c>"
    )
    assert.strictEqual(
      mapWords("", () => "x"),
      ""
    )
    assert.strictEqual(
      mapWords(" \n", () => "x"),
      " \n"
    )
  })

  it("gives a word of 16 MiB as one", () => {
    const lengths: Array<number> = []
    mapWords("a".repeat(LENGTH), (word) => {
      lengths.push(word.length)
      return word
    })
    assert.deepStrictEqual(lengths, [LENGTH])
  })
})
