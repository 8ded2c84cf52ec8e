import { assert, describe, it } from "@effect/vitest"
import { decodeBase64, decodedBytes } from "../../../src/schemas/data/Base64.ts"

describe("base64 from outside", () => {
  it("is decoded for every number of bytes, and its length tells the size", () => {
    for (let size = 1; size < 100; size++) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 89 + size) % 256))
      const text = bytes.toString("base64")
      assert.deepStrictEqual(decodeBase64(text), { bytes: new Uint8Array(bytes) })
      assert.strictEqual(decodedBytes(text), size)
    }
  })

  it.each([
    ["nothing", "", "is empty"],
    ["a URL", "data:image/png;base64,AAAA", "without the data: prefix"],
    ["a line break", "AAAA\nAAAA", "white space"],
    ["a space at the end", "AAAA ", "white space"],
    ["the alphabet for URLs", "AA-_", "alphabet for URLs"],
    ["a foreign letter", "AAA*", "foreign character at position 4"],
    ["a letter that is none of ASCII", "AAAÄ", "foreign character at position 4"],
    ["padding in the middle", "AA==AAAA", "foreign character at position 3"],
    ["padding alone", "====", "foreign character at position 1"],
    ["too much padding", "A===", "foreign character at position 2"],
    ["padding that is missing", "AAA", "padding (=) is missing"],
    ["half of the padding", "AA=", "padding (=) is missing"],
    ["one letter too many", "AAAAA", "padding (=) is missing"],
    ["bits behind the last byte, of two", "AAB=", "last bits are not zero"],
    ["bits behind the last byte, of one", "AB==", "last bits are not zero"]
  ])("is not %s", (_, text, why) => {
    const decoded = decodeBase64(text)
    assert.include("problem" in decoded ? decoded.problem : "", why)
  })

  it("never decodes to more bytes than its computed size, also when it is invalid", () => {
    for (const text of ["A", "AA", "AAA", "AAAAA", "AA=", "A===", "AAAA====", "=".repeat(9)]) {
      assert.isAtLeast(decodedBytes(text), Buffer.from(text, "base64").length)
    }
  })
})
