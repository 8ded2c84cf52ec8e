import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as ArgumentShape from "../../../src/schemas/call/ArgumentShape.ts"

const asIs = (text: string) => text
const shapeOf = (args: unknown) => ArgumentShape.shapeOf(args, asIs)

describe("shapeOf", () => {
  it("shows names, types and sizes", () => {
    assert.strictEqual(
      shapeOf({ path: "/etc/passwd", recursive: true, depth: 3, mode: null, list: [1, 2], none: [], empty: {} }),
      "{path: string(11), recursive: boolean, depth: number, mode: null, list: array(2), none: array(0), empty: {}}"
    )
    assert.strictEqual(shapeOf({ edit: { from: "a", to: "bc" } }), "{edit: {from: string(1), to: string(2)}}")
  })

  it("shows three levels", () => {
    assert.strictEqual(shapeOf({ a: { b: { c: { d: 1, e: 2 } } } }), "{a: {b: {c: object(2)}}}")
  })

  it("shows twenty keys in all, and counts the rest", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]))
    assert.isTrue(shapeOf(many).endsWith("k19: number, … 30 more}"))
    assert.strictEqual(shapeOf({ a: many, b: many }).match(/number/g)?.length, 19)
  })

  it("cuts long keys", () => {
    const shape = shapeOf({ [`sk-${"x".repeat(100)}`]: 1 })
    assert.strictEqual(shape, `{sk-${"x".repeat(37)}…: number}`)
  })

  it("cleans keys before it cuts them", () => {
    const label = (text: string) => text.replaceAll("sk-secret", "[MASKED]")
    const shape = ArgumentShape.shapeOf({ [`${"x".repeat(36)}sk-secret`]: { "sk-secret": 1 } }, label)
    assert.strictEqual(shape, `{"${"x".repeat(36)}[MAS…": {"[MASKED]": number}}`)
  })

  it("leaves short plain keys as they are in a rough shape, and cleans the others", () => {
    const label = (text: string) => text.replaceAll("sk-secret", "[MASKED]")
    const rough = (args: unknown) => ArgumentShape.roughShapeOf(args, label)
    assert.strictEqual(rough({ path: "x", "sk-secret": [1] }), "{path: string(1), sk-secret: array(1)}")
    assert.strictEqual(rough({ "sk-secret\n": 1 }), '{"[MASKED]\\n": number}')
    assert.strictEqual(rough({ [`${"x".repeat(36)}sk-secret`]: 1 }), `{"${"x".repeat(36)}[MAS…": number}`)
  })

  it("stays on one line without invisible characters", () => {
    assert.strictEqual(shapeOf({ "a\nb: string(1)}\u202e": "x" }), '{"a\\nb: string(1)}?": string(1)}')
  })

  it("a key named __proto__ is an ordinary key", () => {
    assert.strictEqual(shapeOf(JSON.parse('{"__proto__":{"a":"b"}}')), "{__proto__: {a: string(1)}}")
  })

  it("shows the type of a value that is not an object", () => {
    assert.deepStrictEqual([undefined, null, "abc", [1]].map(shapeOf), ["undefined", "null", "string(3)", "array(1)"])
  })

  it.prop("never shows a value, and is short", [Arbitrary.schema(Schema.Json)], ([json]) => {
    const canary = "c4n4ry"
    const shape = shapeOf({ json, canary: { nested: [canary], text: canary } })
    assert.notInclude(shape.replace("canary", ""), canary)
    assert.isBelow(shape.length, 3000)
    assert.match(shape, /^[\x20-\x7e…]*$/)
  })
})
