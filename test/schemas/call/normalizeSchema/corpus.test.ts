import { assert, describe, it } from "@effect/vitest"
import { SCHEMA_MAX_BYTES } from "../../../../src/schemas/defaults/Definitions.ts"
import { normalizeSchema } from "../../../../src/schemas/call/NormalizeSchema.ts"
import { violations } from "../../../support/providerRules.ts"
import { randomSchema } from "../../../support/randomSchema.ts"
import { corpus, objectionsBy, PROVIDERS } from "../../../support/schemaCorpus.ts"

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("the corpus of schemas", () => {
  it("has more than sixty, and each provider refuses at least forty of them as they are", () => {
    assert.isAtLeast(corpus.length, 60)
    for (const provider of PROVIDERS) {
      assert.isAtLeast(corpus.filter(({ schema }) => violations[provider](schema).length > 0).length, 40, provider)
    }
  })

  for (const { accepts, name, schema } of corpus.filter(({ judged }) => judged !== false)) {
    it(`${name}: a validator accepts its examples`, () => {
      for (const value of accepts) assert.isUndefined(objectionsBy(schema)(value))
    })
  }
})

/** Small schemas that once came out of a second pass changed. */
const UNSTABLE = [
  { properties: { a: { properties: {} } }, anyOf: [{ properties: { a: { const: 0 } } }, { type: "null" }] },
  { additionalProperties: { items: {} }, oneOf: [{ additionalProperties: { maximum: 1 } }, { type: "string" }] },
  { properties: { a: { const: "b", anyOf: [{ multipleOf: 2 }, { format: "int64", deprecated: true }] } } },
  {
    properties: { a: { type: "integer", anyOf: [{ type: "boolean" }, { type: ["boolean", "integer"], title: "A" }] } }
  },
  {
    properties: { a: { enum: [[]], oneOf: [{ anyOf: [{ uniqueItems: true }, { type: "array" }] }, { type: "null" }] } }
  },
  { properties: { a: { type: "array", anyOf: [true, { dependentRequired: { a: ["b"] } }] } } },
  { properties: { a: { prefixItems: [{ enum: [{}], title: "A" }], items: { enum: [[]], title: "B" } } } },
  { properties: { a: { anyOf: [{ enum: [{}] }, { type: "boolean" }, { type: "object" }] } } },
  {
    properties: {
      a: { anyOf: [{ oneOf: [{ type: "integer" }, { minimum: 1 }], properties: {} }, { type: "integer" }] }
    }
  }
]

for (const provider of PROVIDERS) {
  describe(`normalizeSchema for ${provider}`, () => {
    for (const { about, accepts, name, schema } of corpus) {
      it(`${name}: ${about}`, () => {
        const normalized = normalizeSchema(schema, provider)
        assert.deepStrictEqual(violations[provider](normalized), [])
        assert.isAtMost(sizeOf(normalized), SCHEMA_MAX_BYTES)
        assert.deepStrictEqual(normalizeSchema(normalized, provider), normalized)
        for (const value of accepts) assert.isUndefined(objectionsBy(normalized)(value), JSON.stringify(value))
      })
    }

    it("a schema normalized for any reader can be normalized for this provider", () => {
      for (const { name, schema } of corpus) {
        const normalized = normalizeSchema(normalizeSchema(schema, "json-schema"), provider)
        assert.deepStrictEqual(violations[provider](normalized), [], name)
      }
    })

    for (const schema of UNSTABLE) {
      it(`does not change in a second pass: ${JSON.stringify(schema)}`, () => {
        const normalized = normalizeSchema(schema, provider)
        assert.deepStrictEqual(normalizeSchema(normalized, provider), normalized)
      })
    }

    it("random schemas are accepted by the provider and do not change in a second pass", () => {
      for (let seed = 1; seed <= 500; seed++) {
        const normalized = normalizeSchema(randomSchema(seed), provider)
        assert.deepStrictEqual(violations[provider](normalized), [], `seed ${seed}`)
        assert.deepStrictEqual(normalizeSchema(normalized, provider), normalized, `seed ${seed}`)
      }
    })
  })
}
