import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeByteBounds, textWithinBounds } from "../../../src/layers/ServerConnector/textBounds.ts"
import { withinBounds } from "../../../src/schemas/Json.ts"

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("textBounds: what is worth parsing", () => {
  it.prop("whatever keeps the bounds once it is parsed keeps them as text", [Schema.Json], ([value]) => {
    for (const [depth, nodes] of [
      [2, 3],
      [4, 10]
    ] as const) {
      if (withinBounds(value, depth, nodes)) assert.isTrue(textWithinBounds(JSON.stringify(value), depth, nodes))
    }
  })

  it("nesting is counted in lists and objects, up to the bound and not beyond it", () => {
    assert.isTrue(textWithinBounds(nested(5), 5))
    assert.isFalse(textWithinBounds(nested(6), 5))
    assert.isFalse(textWithinBounds(`${'{"a":'.repeat(6)}1${"}".repeat(6)}`, 5))
    assert.isTrue(textWithinBounds(`[${Array.from({ length: 50 }, () => nested(4)).join(",")}]`, 5))
  })

  it("so is the number of values", () => {
    assert.isTrue(textWithinBounds("[1,2,3,4]", 5, 4))
    assert.isFalse(textWithinBounds("[1,2,3,4,5,6]", 5, 4))
  })

  it("what stands in a string counts nothing, whatever escapes it holds", () => {
    for (const text of ["[".repeat(100), '\\"[['.repeat(100), "\\", "\\\\", '"'.repeat(50), ",".repeat(100), "\n[[["]) {
      assert.isTrue(textWithinBounds(JSON.stringify([text, { [text]: text }]), 2, 4), text)
    }
    assert.isFalse(textWithinBounds(`["\\\\",${nested(9)}]`, 5), "a backslash that is escaped escapes nothing")
  })

  it("a text that is no JSON is left to the parser", () => {
    for (const text of ['["never closed', "]]]]", "", '"', '"\\']) assert.isTrue(textWithinBounds(text, 2, 2))
  })

  it.prop("pieces of bytes are told the same as the whole text", [Schema.Json, Schema.Int], ([value, seed]) => {
    const text = JSON.stringify(value)
    const bytes = new TextEncoder().encode(text)
    for (const [depth, nodes] of [
      [2, 3],
      [4, 10]
    ] as const) {
      const { pass } = makeByteBounds(false, depth, nodes)
      const size = 1 + (Math.abs(seed) % 7)
      const kept = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        pass(bytes.subarray(i * size, (i + 1) * size))
      )
      assert.strictEqual(kept.every(Boolean), textWithinBounds(text, depth, nodes))
    }
  })
})
