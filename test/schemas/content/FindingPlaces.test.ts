import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "../../../src/schemas/content/Finding.ts"
import { placesOf } from "../../../src/schemas/content/FindingPlaces.ts"

/** Finds the word "order" anywhere, and "both" only together with "words". */
const examine = (text: string): ReadonlyArray<Finding> => [
  ...(text.includes("order") ? [{ kind: "pattern" as const, detail: "order", count: 1 }] : []),
  ...(/both.*words/s.test(text) ? [{ kind: "exfilLink" as const, detail: "both", count: 1 }] : [])
]
const shown = (text: string) => placesOf(text, examine).map(({ detail, from, to }) => [detail, text.slice(from, to)])

describe("the place of a finding", () => {
  it.each<[string, string, ReadonlyArray<ReadonlyArray<string>>]>([
    ["is its sentence", "Fine.\nIt rains. An order! See a.b/c for more.", [["order", "An order!"]]],
    ["is its line, if sentences make it together", "x\nNow both. Then words.", [["both", "Now both. Then words."]]],
    [
      "is everywhere where it stands",
      "order a\nb\norder c",
      [
        ["order", "order a"],
        ["order", "order c"]
      ]
    ],
    ["is nowhere, if only several lines make it", "both\nwords", []],
    ["is nowhere in an ordinary text", "Fine. So fine.\n", []]
  ])("%s", (_, text, expected) => {
    assert.deepStrictEqual(shown(text), expected)
  })

  it("is told for some hundred places at most", () => {
    assert.strictEqual(placesOf("order\n".repeat(1_000), examine).length, 500)
  })
})
