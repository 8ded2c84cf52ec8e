import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeByteBounds, textWithinBounds } from "../../../src/schemas/connection/JsonBounds.ts"
import { MESSAGE_MAX_BYTES } from "../../../src/schemas/defaults/Wire.ts"
import { withinBounds } from "../../../src/schemas/data/Json.ts"

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

const MANY = Number.POSITIVE_INFINITY
const within = (text: string, depth = MANY, nodes = MANY, parts = MANY) =>
  textWithinBounds(text, { depth, nodes, parts })

/** The same of bytes, in pieces of this size. */
const bytesWithin = (text: string, size: number, depth = MANY, nodes = MANY, parts = MANY) => {
  const bytes = new TextEncoder().encode(text)
  const { pass } = makeByteBounds({ depth, nodes, parts })
  for (let at = 0; at < bytes.length; at += size) if (!pass(bytes, at, Math.min(at + size, bytes.length))) return false
  return true
}

describe("textBounds: bounds of JSON text", () => {
  it.prop("a value within the bounds is also within them as text", [Schema.Json], ([value]) => {
    for (const [depth, nodes] of [
      [2, 3],
      [4, 10]
    ] as const) {
      if (withinBounds(value, depth, nodes)) assert.isTrue(within(JSON.stringify(value), depth, nodes))
    }
  })

  it("nesting of lists and objects is counted", () => {
    assert.isTrue(within(nested(5), 5))
    assert.isFalse(within(nested(6), 5))
    assert.isFalse(within(`${'{"a":'.repeat(6)}1${"}".repeat(6)}`, 5))
    assert.isTrue(within(`[${Array.from({ length: 50 }, () => nested(4)).join(",")}]`, 5))
  })

  it("values are counted", () => {
    assert.isTrue(within("[1,2,3,4]", 5, 4))
    assert.isFalse(within("[1,2,3,4,5,6]", 5, 4))
  })

  it("lists, objects, names and strings are counted as parts", () => {
    for (const [text, parts] of [
      ["[[],[],[[]]]", 5],
      ["[{},{},{}]", 4],
      ['{"a":1,"b":2}', 3],
      ['["a","b",""]', 4],
      ["[1,2,3,true,null]", 1]
    ] as const) {
      assert.isTrue(within(text, MANY, MANY, parts), text)
      assert.isFalse(within(text, MANY, MANY, parts - 1), text)
      assert.isTrue(bytesWithin(text, 1, MANY, MANY, parts), text)
      assert.isFalse(bytesWithin(text, 1, MANY, MANY, parts - 1), text)
    }
  })

  it("names are counted, where they have a bound of their own", () => {
    const text = '{"a":":","b":[{"c":1}]}'
    for (const [names, holds] of [
      [3, true],
      [2, false]
    ] as const) {
      const bounds = { depth: MANY, nodes: MANY, parts: MANY, names }
      assert.strictEqual(textWithinBounds(text, bounds), holds)
      assert.strictEqual(makeByteBounds(bounds).pass(new TextEncoder().encode(text)), holds)
    }
  })

  it("texts that would take much memory are refused below a quarter of the message limit", () => {
    const bombs = {
      brackets: Array.from({ length: 3_000 }, () => nested(120)).join(),
      names: Array.from({ length: 300_000 }, (_, i) => `"${i.toString(36)}":1`).join(),
      strings: Array.from({ length: 300_000 }, (_, i) => `"${i.toString(36)}"`).join(),
      objects: "{},".repeat(300_000)
    }
    for (const [name, text] of Object.entries(bombs)) {
      assert.isBelow(text.length, MESSAGE_MAX_BYTES / 4)
      assert.isFalse(textWithinBounds(text), name)
      assert.isFalse(makeByteBounds().pass(new TextEncoder().encode(text)), name)
    }
    assert.isTrue(textWithinBounds(`[${"1,".repeat(900_000)}1]`), "numbers cost little")
  })

  it("the content of strings is not counted, whatever escapes it has", () => {
    for (const text of ["[".repeat(100), '\\"[['.repeat(100), "\\", "\\\\", '"'.repeat(50), ",".repeat(100), "\n[[["]) {
      assert.isTrue(within(JSON.stringify([text, { [text]: text }]), 2, 4, 5), text)
      for (const size of [1, 2, 31, 32, 33, 1_000]) {
        assert.isTrue(bytesWithin(JSON.stringify([text, { [text]: text }]), size, 2, 4, 5), text)
      }
    }
    assert.isFalse(within(`["\\\\",${nested(9)}]`, 5), "a backslash that is escaped escapes nothing")
  })

  it("a text that is not JSON is left to the parser", () => {
    for (const text of ['["never closed', "]]]]", "", '"', '"\\']) assert.isTrue(within(text, 2, 2))
  })

  it.prop("bytes in pieces have the same result as the whole text", [Schema.Json, Schema.Int], ([value, seed]) => {
    const text = JSON.stringify(value)
    for (const [depth, nodes, parts] of [
      [2, 3, 5],
      [4, 10, 20]
    ] as const) {
      const told = bytesWithin(text, 1 + (Math.abs(seed) % 7), depth, nodes, parts)
      assert.strictEqual(told, within(text, depth, nodes, parts))
    }
  })

  it("long strings in pieces have the same result, wherever a piece ends", () => {
    let seed = 7
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let round = 0; round < 2_000; round++) {
      const letters = Array.from({ length: random(120) }, () => ["x", "x", "x", '"', "\\", "["][random(6)])
      const text = JSON.stringify([letters.join(""), [letters.join("")]])
      const size = 1 + random(80)
      assert.isTrue(bytesWithin(text, size, 2, 2, 4), `${size}: ${text}`)
      assert.isFalse(bytesWithin(text, size, 1), `${size}: ${text}`)
      assert.isFalse(bytesWithin(text, size, 2, 2, 3), `${size}: ${text}`)
    }
  })
})
