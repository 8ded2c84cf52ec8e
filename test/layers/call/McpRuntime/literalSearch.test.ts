import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { literalSearch } from "../../../../src/layers/call/McpRuntime/literalSearch.ts"

const all = (text: string, wanted: string, from = 0, to = text.length) => [...literalSearch(wanted, from, to)(text)]
const starts = (...given: Parameters<typeof all>) => all(...given).map(({ start }) => start)

describe("literalSearch", () => {
  it("finds every occurrence, with its line", () => {
    assert.deepStrictEqual(all("one\ntwo one\n\none", "one"), [
      { start: 0, end: 3, line: 1 },
      { start: 8, end: 11, line: 2 },
      { start: 13, end: 16, line: 4 }
    ])
  })

  it("ignores case in any alphabet, with correct positions", () => {
    assert.deepStrictEqual(starts("Error ERROR error", "eRRor"), [0, 6, 12])
    assert.deepStrictEqual(starts("İİ ÄPFEL äpfel ΩΜΕΓΑ", "Äpfel"), [3, 9])
    assert.deepStrictEqual(starts("İİ ωμεγα", "ΩΜΕΓΑ"), [3])
  })

  it("treats characters of regular expressions as plain text", () => {
    assert.deepStrictEqual(starts("a.c abc (a|b)* [", "a.c"), [0])
    assert.deepStrictEqual(starts("a.c abc (a|b)* [", "(A|B)*"), [8])
  })

  it("finds occurrences that do not overlap, without missing one", () => {
    assert.deepStrictEqual(starts("aaaa", "aa"), [0, 2])
    assert.deepStrictEqual(starts("aabaabaac", "aabaac"), [3])
    assert.deepStrictEqual(starts("ababababca", "abababca"), [2])
  })

  it("finds a text of several lines, on the line where it begins", () => {
    assert.deepStrictEqual(all("x\na\nb\nc\n", "a\nb\n"), [{ start: 2, end: 6, line: 2 }])
    assert.deepStrictEqual(all("a\n\n\nb", "\n"), [
      { start: 1, end: 2, line: 1 },
      { start: 2, end: 3, line: 2 },
      { start: 3, end: 4, line: 3 }
    ])
  })

  it("searches only within the bounds, and counts lines from the beginning of the text", () => {
    const text = "one\none\none"
    assert.deepStrictEqual(all(text, "one", 1, 10), [{ start: 4, end: 7, line: 2 }])
    assert.deepStrictEqual(starts(text, "one", 8, 999), [8])
    assert.deepStrictEqual(starts(text, "one", 9, 11), [])
  })

  it("finds the same in chunks of any length", () => {
    const text = "one\ntwo ONE\n\none\ntwo"
    for (const wanted of ["one", "e\nt", "\n\n", "one\ntwo"]) {
      for (let length = 1; length <= text.length; length++) {
        const search = literalSearch(wanted, 1, text.length)
        const parts = text.match(new RegExp(`[^]{1,${length}}`, "g"))!
        assert.deepStrictEqual(
          parts.flatMap((part) => [...search(part)]),
          all(text, wanted, 1),
          `${wanted} ${length}`
        )
      }
    }
  })

  const words = Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "A", "\n"])), { maxLength: 40 })
  const few = Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "B"])), { minLength: 1, maxLength: 4 })
  it.prop("finds what a regular expression with the flags gi finds", [words, few], ([many, some]) => {
    const [text, wanted] = [many.join(""), some.join("")]
    const expected = [...text.matchAll(new RegExp(wanted, "gi"))].map(({ index }) => index)
    assert.deepStrictEqual(starts(text, wanted), expected)
  })
})
