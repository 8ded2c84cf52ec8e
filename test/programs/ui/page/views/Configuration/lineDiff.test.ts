import { assert, describe, it } from "@effect/vitest"
import { lineDiff, shortDiff } from "../../../../../../src/programs/ui/page/views/Configuration/lineDiff.ts"

const SIGNS = { same: " ", gone: "-", new: "+" } as const
const shown = (before: string, after: string) => lineDiff(before, after).map(({ kind, text }) => SIGNS[kind] + text)

describe("the lines that two texts have alone", () => {
  it("are found between those that both have", () => {
    assert.deepStrictEqual(shown("a\nb\nc\nd", "a\nx\nc\nd"), [" a", "-b", "+x", " c", " d"])
    assert.deepStrictEqual(shown("a\nb\nc", "a\nc"), [" a", "-b", " c"])
    assert.deepStrictEqual(shown("b\nc\nx", "a\nb\nc\ny"), ["+a", " b", " c", "-x", "+y"])
    assert.deepStrictEqual(shown("a", "a"), [" a"])
  })

  it("are those of either text alone, put together", () => {
    const [before, after] = ["a\nb\nb\nc", "b\nc\nb\na"]
    const diff = lineDiff(before, after)
    const without = (kind: string) => diff.filter((line) => line.kind !== kind).map(({ text }) => text)
    assert.strictEqual(without("new").join("\n"), before)
    assert.strictEqual(without("gone").join("\n"), after)
  })

  it("are found in texts that have nothing in common and are very long", () => {
    const text = (mark: string) => Array.from({ length: 5_000 }, (_, i) => `${mark}${i}`).join("\n")
    assert.lengthOf(lineDiff(text("a"), text("b")), 10_000)
  })

  it("are shown with some lines around them, and a sign for those left out", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7"].join("\n")
    assert.deepStrictEqual(
      shortDiff(lineDiff(before, before.replace("4", "x")), 1).map((line) => line?.text),
      [undefined, "3", "4", "x", "5", undefined]
    )
    assert.deepStrictEqual(shortDiff(lineDiff("a", "a")), [undefined])
  })
})
