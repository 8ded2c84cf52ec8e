import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { canonical, charsIn, isObject, withinBounds } from "../../../src/schemas/data/Json.ts"

const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth))

/** The same value with every object's keys in the opposite order. */
const reversed = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(reversed)
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .map(([key, child]) => [key, reversed(child)] as const)
            .toReversed()
        )
      : value

describe("withinBounds", () => {
  it("counts containers on the way down", () => {
    assert.isTrue(withinBounds(nested(5), 5))
    assert.isFalse(withinBounds(nested(6), 5))
    assert.isTrue(withinBounds({ a: { b: 1 } }, 2))
    assert.isFalse(withinBounds({ a: { b: [] } }, 2))
  })

  it("scalars are always within bounds", () => {
    for (const value of [null, true, 1, "x", undefined]) assert.isTrue(withinBounds(value, 0, 0))
  })

  it("counts members of lists and objects", () => {
    assert.isTrue(withinBounds([1, [2, 3]], 9, 4))
    assert.isFalse(withinBounds([1, [2, 3]], 9, 3))
    assert.isFalse(withinBounds({ a: 1, b: 2 }, 9, 1))
  })

  it("a hundred thousand levels are refused without recursion", () => {
    assert.isFalse(withinBounds(nested(100_000)))
  })

  it("a value that contains itself is refused", () => {
    const loop: Array<unknown> = []
    loop.push(loop, loop)
    assert.isFalse(withinBounds(loop))
  })
})

describe("canonical", () => {
  it.prop("the order of keys does not show", [Arbitrary.schema(Schema.Json)], ([value]) => {
    assert.strictEqual(canonical(reversed(value)), canonical(value))
  })

  it.prop("what is read back is the same value", [Arbitrary.schema(Schema.Json)], ([value]) => {
    assert.deepStrictEqual(JSON.parse(canonical(value)), JSON.parse(JSON.stringify(value)))
  })

  it("the order of a list does show", () => {
    assert.notStrictEqual(canonical([1, 2]), canonical([2, 1]))
  })

  it("keeps a key named __proto__, and sets no prototype with it", () => {
    assert.strictEqual(canonical(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}')
  })

  it("sorts keys that look like numbers the same way whatever the order they came in", () => {
    assert.strictEqual(canonical({ b: 1, 10: 2, 9: 3 }), canonical({ 9: 3, 10: 2, b: 1 }))
  })

  it("has a text for what JSON has none for", () => {
    assert.strictEqual(canonical(undefined), "null")
  })
})

describe("isObject", () => {
  it("lists and null are no objects", () => {
    assert.deepStrictEqual([{}, Object.create(null), [], null, "x", 1, undefined].map(isObject), [
      true,
      true,
      false,
      false,
      false,
      false,
      false
    ])
  })
})

describe("bytes in a value", () => {
  const value = { a: [new Uint8Array(3_000_000)], b: "text" }

  it("are one value, and count as many characters as their base64 has", () => {
    assert.isTrue(withinBounds(value))
    assert.strictEqual(charsIn(value), 4_000_004)
  })
})
