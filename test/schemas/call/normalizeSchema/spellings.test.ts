import { assert, describe, it } from "@effect/vitest"
import { normalizeSchema } from "../../../../src/schemas/call/NormalizeSchema.ts"
import { PROVIDERS } from "../../../support/schemaCorpus.ts"
import { object, parameter } from "./parameter.ts"

const ANY_FOR_GEMINI = [{ type: "string", nullable: true }, { type: "number" }, { type: "boolean" }, { type: "object" }]

describe("spellings of JSON Schema", () => {
  it("exclusive bounds of draft-04 are read", () => {
    assert.deepStrictEqual(parameter({ type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1 }), {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 1
    })
  })

  it("schemas that are true or false are read", () => {
    const schema = object({ yes: true, no: false, list: { items: true }, none: { type: "array", items: false } })
    assert.deepStrictEqual(normalizeSchema(schema, "json-schema")["properties"], {
      yes: {},
      list: { type: "array", items: {} },
      none: { type: "array", maxItems: 0, items: {} }
    })
  })

  it("types in capitals, with other names or left out are read", () => {
    assert.deepStrictEqual(parameter({ type: "STRING" }), { type: "string" })
    assert.deepStrictEqual(parameter({ type: ["int", "None"] }), { type: ["integer", "null"] })
    assert.deepStrictEqual(parameter({ properties: { b: {} } }), object({ b: {} }))
    assert.deepStrictEqual(parameter({ minLength: 1 }), { type: "string", minLength: 1 })
    assert.deepStrictEqual(parameter({ enum: ["x"] }), { type: "string", enum: ["x"] })
  })

  it("allOf is merged into one schema", () => {
    const parts = {
      allOf: [object({ b: { type: "string" } }, { required: ["b"] }), object({ c: {} })],
      description: "Both"
    }
    assert.deepStrictEqual(parameter(parts), {
      ...object({ b: { type: "string" }, c: {} }),
      description: "Both",
      required: ["b"]
    })
  })

  it("the tighter of two limits counts", () => {
    const limits = [{ minimum: 1, maxLength: 4 }, { minimum: 3 }, { maximum: 9, maxLength: 2 }, { maximum: 5 }]
    assert.deepStrictEqual(parameter({ type: "number", allOf: limits }), { type: "number", minimum: 3, maximum: 5 })
    assert.deepStrictEqual(parameter({ type: "string", allOf: limits }), { type: "string", maxLength: 2 })
  })

  it("closed parts become one closed object with all properties", () => {
    const closed = (name: string) => object({ [name]: { type: "string" } }, { additionalProperties: false })
    for (const parts of [
      [closed("b"), closed("c")],
      [closed("b"), object({ c: { type: "string" } })]
    ]) {
      assert.deepStrictEqual(parameter({ allOf: parts }), {
        ...object({ b: { type: "string" }, c: { type: "string" } }),
        additionalProperties: false
      })
    }
  })

  it("a schema without keywords accepts anything, also for Gemini", () => {
    assert.deepStrictEqual(parameter({}, "openai"), {})
    assert.deepStrictEqual(parameter({ description: "Any" }, "gemini"), {
      anyOf: [
        { ...ANY_FOR_GEMINI[0], description: "Any" },
        ...ANY_FOR_GEMINI.slice(1),
        { type: "array", items: { anyOf: ANY_FOR_GEMINI } }
      ]
    })
  })

  it("__proto__ and constructor are ordinary names", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{}},"required":["__proto__"]}'
    )
    for (const provider of PROVIDERS) {
      const { properties } = normalizeSchema(schema, provider)
      assert.deepStrictEqual(Object.keys(properties as object), ["__proto__", "constructor"])
      assert.strictEqual(Object.getPrototypeOf(properties), Object.prototype)
    }
  })
})
