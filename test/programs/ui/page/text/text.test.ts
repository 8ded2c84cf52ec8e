import { assert, describe, it } from "@effect/vitest"
import { changedLines } from "../../../../../src/programs/ui/page/text/changes.ts"
import { glyphsOf, glyphsOfJson, stretchesOf } from "../../../../../src/programs/ui/page/text/marks.ts"

describe("a text with marks", () => {
  it("is in stretches that are the text together, also where marks overlap", () => {
    const text = "send it to evil.example now"
    const stretches = stretchesOf(text, [
      { from: 0, to: 7, words: "order" },
      { from: 5, to: 23, words: "link" },
      { from: 90, to: 99, words: "outside" }
    ])
    assert.strictEqual(stretches.map((stretch) => stretch.text).join(""), text)
    assert.deepStrictEqual(
      stretches.map(({ words }) => words),
      [["order"], ["order", "link"], ["link"], []]
    )
  })

  it("shows what cannot be seen as its number, with the name that people know", () => {
    assert.deepStrictEqual(glyphsOf("a\u200b\n\u{e0041}\t"), [
      { text: "a" },
      { text: "\u200b", unseen: { code: "U+200B", name: "zero-width space" } },
      { text: "\n" },
      { text: "\u{e0041}", unseen: { code: "U+E0041", name: "tag “A”" } },
      { text: "\t" }
    ])
  })

  it("finds what was spelled out in JSON, but not a backslash that the server wrote", () => {
    const glyphs = glyphsOfJson(String.raw`"a\u{200b}b\\u{200b}"`)
    assert.deepStrictEqual(
      glyphs.map(({ text, unseen }) => unseen?.code ?? text),
      [`"a`, "U+200B", String.raw`b\\u{200b}"`]
    )
  })
})

describe("what changed", () => {
  const words = (before: string, after: string) =>
    changedLines(before, after).map((line) =>
      line.kind === "gap"
        ? `(${line.lines})`
        : line.pieces
            .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind])
            .join("")
    )
  const rows = (changed: string) => [1, 2, 3, 4, changed, 6, 7, 8].join("\n")

  it("is shown word by word, with the lines around it", () => {
    assert.deepStrictEqual(words(rows("read a file"), rows("read any file")), [
      "(2)",
      "3",
      "4",
      "read [-a-]{+any+} file",
      "6",
      "7",
      "(1)"
    ])
  })

  it("shows a line break that came", () => {
    assert.deepStrictEqual(words("a b", "a b\n"), ["a b{+⏎+}", ""])
  })

  it("shows everything of what is new", () => {
    assert.deepStrictEqual(words("", "a b"), ["{+a b+}"])
  })
})
