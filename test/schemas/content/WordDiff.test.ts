import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { wordDiff, type Piece } from "../../../src/schemas/content/WordDiff.ts"

const shown = (pieces: ReadonlyArray<Piece>) =>
  pieces.map(({ kind, text }) => (kind === "same" ? text : kind === "removed" ? `[-${text}-]` : `{+${text}+}`)).join("")

const without = (kind: Piece["kind"], pieces: ReadonlyArray<Piece>) =>
  pieces.flatMap((piece) => (piece.kind === kind ? [] : [piece.text])).join("")

const WORDS = ["read", " ", "a", "file", ".", "\u200b", "\n", "é", "👍", "  "]
const text = Schema.Array(Schema.Literals(WORDS))

describe("wordDiff", () => {
  it.each([
    ["Reads a file", "Reads a file", "Reads a file"],
    ["Reads a file", "Reads any file", "Reads [-a-]{+any+} file"],
    ["Reads a file", "Reads a file, sends it", "Reads a file{+, sends it+}"],
    ["", "all of it", "{+all of it+}"],
    ["all of it", "", "[-all of it-]"],
    ["send mail", "send\u200b mail", "send{+\u200b+} mail"],
    ["a b c", "c b a", "[-a-]{+c+} b [-c-]{+a+}"]
  ])("%j to %j", (before, after, expected) => {
    assert.strictEqual(shown(wordDiff(before, after)), expected)
  })

  it.prop("loses nothing of either text", [text, text], ([a, b]) => {
    const [before, after] = [a.join(""), b.join("")]
    const pieces = wordDiff(before, after)
    assert.strictEqual(without("added", pieces), before)
    assert.strictEqual(without("removed", pieces), after)
  })

  it("of what is too much, everything counts as replaced", () => {
    const [before, after] = [
      Array.from({ length: 5_000 }, (_, i) => `a${i}`).join(" "),
      Array.from({ length: 5_000 }, (_, i) => `b${i}`).join(" ")
    ]
    assert.deepStrictEqual(wordDiff(`same ${before}`, `same ${after}`), [
      { kind: "same", text: "same " },
      { kind: "removed", text: before },
      { kind: "added", text: after }
    ])
  })
})
