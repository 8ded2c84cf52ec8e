/** Which providers refuse a schema as it is. */
import { assert, describe, it } from "@effect/vitest"
import { refusing } from "../../../src/schemas/call/Refused.ts"
import { normalizeSchema } from "../../../src/schemas/call/NormalizeSchema.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more })
const nested = (levels: number): JsonObject =>
  levels === 0 ? { type: "string" } : object({ inner: nested(levels - 1) })

describe("an input schema", () => {
  it("that is plain is refused by nobody", () => {
    assert.deepStrictEqual(refusing(object({ path: { type: "string" }, n: { type: "array", items: {} } })), [])
  })

  it("is refused by those whose rules it breaks", () => {
    assert.deepStrictEqual(refusing(object({}, { oneOf: [] })), ["openai", "anthropic", "gemini"])
    assert.deepStrictEqual(refusing({ type: "string" }), ["openai", "anthropic", "gemini"])
    assert.deepStrictEqual(refusing(object({ "a key": {} })), ["anthropic"])
    assert.deepStrictEqual(refusing(object({ list: { type: "array" } })), ["openai", "gemini"])
    assert.deepStrictEqual(refusing(object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: {} } })), ["gemini"])
    assert.deepStrictEqual(refusing(nested(9)), ["gemini"])
    assert.deepStrictEqual(refusing(nested(12)), ["openai", "gemini"])
  })

  it("is accepted after it was normalized for its provider", () => {
    for (const schema of [
      object({}, { oneOf: [{}] }),
      object({ "a key": {} }),
      object({ list: { type: "array" } }),
      nested(30)
    ])
      for (const provider of ["openai", "anthropic", "gemini"] as const)
        assert.notInclude(refusing(normalizeSchema(schema, provider)), provider)
  })

  it("may be of any depth", () => {
    assert.include(refusing(nested(5_000)), "openai")
  })
})
