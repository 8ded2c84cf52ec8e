import { assert, describe, it } from "@effect/vitest"
import { weightOf } from "../../../src/schemas/connection/Weight.ts"

describe("weightOf", () => {
  it("counts two bytes per character for a text beyond Latin-1", () => {
    const [latin, wide] = ["é".repeat(1_000), `${"e".repeat(999)}Ж`].map(weightOf)
    assert.strictEqual(wide! - latin!, 1_000)
  })

  it("counts small lists, objects and names by the memory that they take", () => {
    for (const text of ["[]", "{}", '{"a":1}', '"a"', "1"]) {
      const list = JSON.parse(`[${Array.from({ length: 1_000 }, () => text).join(",")}]`)
      assert.isAtLeast(weightOf(list), 16_000)
    }
    const names = JSON.parse(`{${Array.from({ length: 1_000 }, (_, index) => `"n${index}":1`).join(",")}}`)
    assert.isAtLeast(weightOf(names), 40_000)
  })
})
