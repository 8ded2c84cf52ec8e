import { assert, describe, it } from "@effect/vitest"
import { textsOf } from "../../../src/schemas/data/PrimitiveLists.ts"

const WORD = "grün-key"
const signed = [...Buffer.from(WORD)].map((byte) => (byte > 127 ? byte - 256 : byte))

describe("textsOf: texts that a list may spell", () => {
  it("include its bytes as UTF-8, also when they are signed", () => {
    assert.include(textsOf([...Buffer.from(WORD)]), WORD)
    assert.include(textsOf(signed), WORD)
    assert.include(textsOf([115, 101, 99, 114, 101, 116]), "secret")
  })

  it("include its code points, and its letters or short texts joined", () => {
    assert.include(textsOf([...`${WORD}😀`].map((char) => char.codePointAt(0)!)), `${WORD}😀`)
    assert.deepStrictEqual(textsOf(WORD.split("")), [WORD])
    assert.deepStrictEqual(textsOf(["grün", "-", "key"]), [WORD])
  })

  it("include its numbers joined, also with letters between them", () => {
    assert.include(textsOf([8, 4, 7, 3, 6, 2, 5, 1]), "84736251")
    assert.include(textsOf([8473, 6251]), "84736251")
    assert.deepStrictEqual(textsOf(["p", 4, "ss", "w", 0, "rd"]), ["p4ssw0rd"])
  })

  it("are none for other lists, and for what is too short to be a secret", () => {
    for (const list of [
      [],
      [1],
      [1, 2],
      ["a", "b"],
      ["secret-word", "x"],
      [1.5, 2.5, 3.5],
      [1, null, 3],
      [[1], [2]],
      [{}],
      [NaN, 1]
    ])
      assert.deepStrictEqual(textsOf(list), [], JSON.stringify(list))
  })

  it("are found in very long lists", () => {
    assert.lengthOf(textsOf(Array.from({ length: 500_000 }, () => 65)), 2)
    assert.lengthOf(textsOf(Array.from({ length: 500_000 }, () => 70_000)), 2)
  })
})
