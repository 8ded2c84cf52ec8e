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
  it("counts nested lists and objects", () => {
    assert.isTrue(withinBounds(nested(5), 5))
    assert.isFalse(withinBounds(nested(6), 5))
    assert.isTrue(withinBounds({ a: { b: 1 } }, 2))
    assert.isFalse(withinBounds({ a: { b: [] } }, 2))
  })

  it("is true for scalars", () => {
    for (const value of [null, true, 1, "x", undefined]) assert.isTrue(withinBounds(value, 0, 0))
  })

  it("counts members of lists and objects", () => {
    assert.isTrue(withinBounds([1, [2, 3]], 9, 4))
    assert.isFalse(withinBounds([1, [2, 3]], 9, 3))
    assert.isFalse(withinBounds({ a: 1, b: 2 }, 9, 1))
  })

  it("refuses a hundred thousand levels without recursion", () => {
    assert.isFalse(withinBounds(nested(100_000)))
  })

  it("refuses a value that contains itself", () => {
    const loop: Array<unknown> = []
    loop.push(loop, loop)
    assert.isFalse(withinBounds(loop))
  })
})

describe("canonical", () => {
  it.prop("does not depend on the order of keys", [Arbitrary.schema(Schema.Json)], ([value]) => {
    assert.strictEqual(canonical(reversed(value)), canonical(value))
  })

  it.prop("is read back as the same value", [Arbitrary.schema(Schema.Json)], ([value]) => {
    assert.deepStrictEqual(JSON.parse(canonical(value)), JSON.parse(JSON.stringify(value)))
  })

  it("depends on the order of lists", () => {
    assert.notStrictEqual(canonical([1, 2]), canonical([2, 1]))
  })

  it("keeps a key named __proto__, and sets no prototype with it", () => {
    assert.strictEqual(canonical(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}')
  })

  it("sorts numeric keys in the same way in any order", () => {
    assert.strictEqual(canonical({ b: 1, 10: 2, 9: 3 }), canonical({ 9: 3, 10: 2, b: 1 }))
  })

  it("writes undefined as null", () => {
    assert.strictEqual(canonical(undefined), "null")
  })
})

describe("isObject", () => {
  it("is false for lists and null", () => {
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

  it("count as one value, with the length of their base64", () => {
    assert.isTrue(withinBounds(value))
    assert.strictEqual(charsIn(value), 4_000_004)
  })
})
