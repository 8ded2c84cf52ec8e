import { assert, describe, it } from "@effect/vitest"
import { partsOf } from "../../../src/schemas/content/TextParts.ts"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../src/schemas/defaults/Results.ts"

describe("partsOf", () => {
  it("splits a long text into parts of at most the chunk length", () => {
    const text = "a".repeat(3 * KEPT_TEXT_CHUNK_CHARS + 1)
    const parts = [...partsOf(text)]
    assert.strictEqual(parts.length, 4)
    for (const part of parts) assert.isAtMost(part.length, KEPT_TEXT_CHUNK_CHARS)
    assert.isTrue(parts.join("") === text)
  })

  it("does not split surrogate pairs", () => {
    const text = `x${"😀".repeat(KEPT_TEXT_CHUNK_CHARS)}`
    for (const part of partsOf(text)) assert.isTrue(part.isWellFormed())
    assert.isTrue([...partsOf(text)].join("") === text)
  })

  it("gives no parts for an empty text", () => {
    assert.deepStrictEqual([...partsOf("")], [])
  })
})
