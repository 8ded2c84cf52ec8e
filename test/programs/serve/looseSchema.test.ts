import { assert, describe, it } from "@effect/vitest"
import { looseSchema } from "../../../src/programs/serve/looseSchema.ts"

const inside = (schema: unknown) => looseSchema({ type: "object", properties: { a: schema } })

describe("looseSchema", () => {
  it("keeps types, names, choices and words", () => {
    const schema = {
      type: "object",
      title: "T",
      description: "D",
      properties: {
        a: { type: ["string", "null"] },
        b: { type: "array", items: { enum: ["x", 1, null] } },
        c: { anyOf: [{ type: "string" }, { type: "number" }] }
      },
      required: ["a"]
    }
    assert.deepStrictEqual(looseSchema(schema) as unknown, schema)
  })

  it("leaves out whatever would be run, looked up, or is stricter than what is left", () => {
    const gone = {
      pattern: "^(a+)+$",
      format: "regex",
      patternProperties: { "(": {} },
      propertyNames: { pattern: "(" },
      additionalProperties: false,
      unevaluatedProperties: false,
      $ref: "#/nope",
      $dynamicRef: "http://example.com",
      $schema: "http://example.com/meta",
      $id: "http://example.com",
      $defs: { a: {} },
      not: {},
      if: {},
      minimum: 1,
      const: { a: 1 }
    }
    assert.deepStrictEqual(inside(gone) as unknown, { type: "object", properties: { a: {} } })
  })

  it("leaves out what is malformed", () => {
    for (const broken of [
      { type: "nonsense" },
      { type: [] },
      { type: ["string", "x"] },
      { enum: [] },
      { enum: [{}] },
      { enum: "x" },
      { required: "a" },
      { required: [1] },
      { properties: [] },
      { items: [{}] },
      { items: true },
      { anyOf: {} },
      { allOf: [] },
      { title: 1 },
      true,
      false,
      null,
      7
    ]) {
      assert.deepStrictEqual(
        inside(broken) as unknown,
        { type: "object", properties: { a: {} } },
        JSON.stringify(broken)
      )
    }
  })

  it("one of several is any of them, and what may be null is of any type", () => {
    assert.deepStrictEqual(
      inside({ oneOf: [{ type: "string", minLength: 2 }, { pattern: "x" }] })["properties"] as unknown,
      {
        a: { anyOf: [{ type: "string" }, {}] }
      }
    )
    assert.deepStrictEqual(inside({ type: "string", nullable: true })["properties"] as unknown, { a: {} })
    assert.deepStrictEqual(inside({ enum: [1, 1], required: ["a", "a"] })["properties"] as unknown, {
      a: { enum: [1], required: ["a"] }
    })
  })

  it("a name is one, whatever it is", () => {
    const schema = looseSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'))
    assert.strictEqual(JSON.stringify(schema), '{"properties":{"__proto__":{"type":"string"}}}')
  })
})
