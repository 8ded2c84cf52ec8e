import { assert, describe, it } from "@effect/vitest"
import { SCHEMA_MAX_BYTES, SCHEMA_TEXT_MAX_CHARS } from "../../../../src/schemas/defaults/Definitions.ts"
import { normalizeSchema } from "../../../../src/schemas/call/NormalizeSchema.ts"
import { PROVIDERS } from "../../../support/schemaCorpus.ts"
import { object } from "./parameter.ts"

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("the normalized schema of any value is an object of limited size", () => {
  for (const value of [
    undefined,
    null,
    true,
    false,
    0,
    "object",
    [],
    [{}],
    { type: "array" },
    { type: "string" },
    Number.NaN
  ]) {
    it(`for ${JSON.stringify(value)}`, () => {
      for (const provider of PROVIDERS) {
        const { properties, type } = normalizeSchema(value, provider)
        assert.deepStrictEqual({ properties, type }, { properties: {}, type: "object" })
      }
    })
  }

  it("describes a schema that is not an object's", () => {
    assert.deepStrictEqual(normalizeSchema({ type: "array", description: "Names", items: {} }, "openai"), {
      type: "object",
      description: "Names\nThe description of the parameters is unusable",
      properties: {}
    })
  })

  const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
    let schema: unknown = { type: "string" }
    for (let i = 0; i < levels; i++) schema = wrap(schema)
    return object({ a: schema, b: { type: "string" } }, { required: ["b"] })
  }
  const many = (count: number, make: (i: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`parameter ${i}`, make(i)]))

  for (const [what, schema] of [
    ["ten thousand levels of objects", nested(10_000, (inner) => object({ a: inner }))],
    ["ten thousand levels of lists", nested(10_000, (items) => ({ type: "array", items }))],
    ["ten thousand levels of unions", nested(10_000, (inner) => ({ anyOf: [inner, { type: "number" }] }))],
    ["five thousand parameters", object(many(5_000, () => ({ type: "string", description: "Some text" })))],
    ["texts of 100 KB", object(many(20, () => ({ type: "string", description: "x".repeat(5_000) })))],
    ["a name of 100 KB", object({ ["n".repeat(100_000)]: { type: "string" }, b: { type: "string" } })],
    ["an enum of 50,000 values", object({ a: { enum: Array.from({ length: 50_000 }, (_, i) => `v${i}`) } })],
    ["a pattern of 100 KB", object({ a: { type: "string", pattern: "(a*)*".repeat(20_000) } })],
    ["3,000 parts", { allOf: Array.from({ length: 3_000 }, (_, i) => ({ properties: { [`p${i}`]: {} } })) }]
  ] as const) {
    it(what, () => {
      for (const provider of PROVIDERS) {
        const normalized = normalizeSchema(schema, provider)
        assert.strictEqual(normalized["type"], "object")
        assert.isAtMost(sizeOf(normalized), SCHEMA_MAX_BYTES)
      }
    })
  }

  it("keeps required parameters when there are too many, and tells how many were left out", () => {
    const schema = object(
      many(5_000, () => ({ type: "string" })),
      { required: ["parameter 4999"], additionalProperties: false }
    )
    const { additionalProperties, description, properties, required } = normalizeSchema(schema, "openai")
    assert.property(properties, "parameter 4999")
    assert.deepStrictEqual(required, ["parameter 4999"])
    assert.isUndefined(additionalProperties)
    const left = 5_000 - Object.keys(properties as object).length
    assert.strictEqual(description, `Parameters left out because there are too many: ${left}`)
  })

  it("describes in short what is nested too deeply", () => {
    const deep = nested(12, (inner) => object({ x: inner }))
    assert.match(JSON.stringify(normalizeSchema(deep, "openai")), /"Nested deeper than shown: \{x\?: \{x\?: .*\}"/)
  })

  it("shortens a long description to leave room for added text", () => {
    const long = { type: "string", description: "x".repeat(10_000), format: "date" }
    const { properties } = normalizeSchema(object({ a: long }), "gemini")
    const { description } = (properties as { readonly a: { readonly description: string } }).a
    assert.isAtMost(description.length, SCHEMA_TEXT_MAX_CHARS)
    assert.match(description, /^x+…\nFormat: date$/)
  })

  it("cuts references that multiply", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `l${i}`,
        object({ a: { $ref: `#/$defs/l${i + 1}` }, b: { $ref: `#/$defs/l${i + 1}` } })
      ])
    )
    for (const provider of PROVIDERS) {
      const normalized = normalizeSchema(object({ a: { $ref: "#/$defs/l0" } }, { $defs }), provider)
      assert.isAtMost(sizeOf(normalized), SCHEMA_MAX_BYTES)
      assert.nestedProperty(normalized, "properties.a.properties.b.properties.a")
    }
  })
})
