import { assert, describe, it } from "@effect/vitest"
import { partsOf } from "../../../../src/layers/call/ResultStore/runFiles.ts"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../../src/schemas/defaults/Results.ts"

describe("partsOf", () => {
  it("a long text comes in parts of one length, that are the text together", () => {
    const text = "a".repeat(3 * KEPT_TEXT_CHUNK_CHARS + 1)
    const parts = [...partsOf(text)]
    assert.strictEqual(parts.length, 4)
    for (const part of parts) assert.isAtMost(part.length, KEPT_TEXT_CHUNK_CHARS)
    assert.isTrue(parts.join("") === text)
  })

  it("no character is cut in half", () => {
    const text = `x${"😀".repeat(KEPT_TEXT_CHUNK_CHARS)}`
    for (const part of partsOf(text)) assert.isTrue(part.isWellFormed())
    assert.isTrue([...partsOf(text)].join("") === text)
  })

  it("nothing is nothing", () => {
    assert.deepStrictEqual([...partsOf("")], [])
  })
})
