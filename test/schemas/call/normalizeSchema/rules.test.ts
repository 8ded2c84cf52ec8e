import { assert, describe, it } from "@effect/vitest"
import { violations } from "../../../support/providerRules.ts"
import type { Provider } from "../../../../src/schemas/call/NormalizeSchema.ts"

const a = (schema: unknown) => ({ type: "object", properties: { a: schema } })

const deep = (levels: number): unknown =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } }

/** What each provider is known to refuse, one thing at a time. */
const REFUSED: Readonly<Record<Provider, Readonly<Record<string, unknown>>>> = {
  openai: {
    "a root that is no object": { type: "array", items: {} },
    "a root without a type": { properties: {} },
    "a root without properties": { type: "object" },
    "anyOf at the root": { ...a({}), anyOf: [{}] },
    "const at the root": { ...a({}), const: {} },
    "an array without items": a({ type: "array" }),
    "a list of types with an array without items": a({ type: ["string", "array"] }),
    "a tuple of draft-07": a({ type: "array", items: [{}] }),
    "an object without properties": a({ type: "object" }),
    "a property that is no schema": a("object"),
    "required as a flag": a({ type: "string", required: true }),
    "an unknown type": a({ type: "any" }),
    "an exclusive bound as a flag": a({ type: "number", exclusiveMinimum: true }),
    "choices twice": a({ enum: ["x", "x"] }),
    "no choices": a({ enum: [] }),
    "needed twice": { ...a({}), required: ["a", "a"] },
    lookahead: a({ type: "string", pattern: "(?!x)" }),
    "a property of Unicode": a({ type: "string", pattern: "\\p{L}" }),
    "no regular expression": a({ type: "string", pattern: "(" }),
    "a reference": a({ $ref: "#/$defs/x" }),
    "an unknown format": a({ type: "string", format: "uri" }),
    "an unknown keyword": a({ not: {} }),
    "eleven levels": deep(11)
  },
  anthropic: {
    "oneOf at the root": { ...a({}), oneOf: [{}] },
    "a name with brackets": { type: "object", properties: { "filter[id]": {} } },
    "a name of 65 characters": { type: "object", properties: { ["x".repeat(65)]: {} } },
    "a keyword of another draft": a({ type: "array", items: [{}] }),
    "a negative length": a({ type: "string", minLength: -1 })
  },
  gemini: {
    "a list of types": a({ type: ["string", "null"] }),
    "no type": a({ description: "x" }),
    "the type null": a({ type: "null" }),
    "anyOf beside a description": a({ description: "x", anyOf: [{ type: "string" }] }),
    const: a({ type: "string", const: "x" }),
    additionalProperties: a({ type: "object", additionalProperties: false }),
    $schema: { ...a({ type: "string" }), $schema: "x" },
    "choices of numbers": a({ type: "integer", enum: [1] }),
    "an empty choice": a({ type: "string", enum: [""] }),
    "a format": a({ type: "string", format: "uri" }),
    "the format of another type": a({ type: "integer", format: "float" }),
    "an array without items": a({ type: "array" }),
    "items of a text": a({ type: "string", items: { type: "string" } }),
    "properties of a text": a({ type: "string", properties: { b: { type: "string" } } }),
    "an object with an empty list": a({ type: "object", properties: {} }),
    "needed and not defined": { ...a({ type: "string" }), required: ["b"] },
    "a thousand items": a({ type: "array", items: { type: "string" }, maxItems: 1000 }),
    "eleven levels": deep(11)
  },
  "json-schema": {
    "allOf at the root": { ...a({}), allOf: [{}] },
    "a reference": a({ $ref: "#" }),
    definitions: { ...a({}), $defs: {} },
    "an array without items": a({ type: "array" })
  }
}

describe("the rules of providers for schemas", () => {
  for (const [provider, schemas] of Object.entries(REFUSED) as Array<[Provider, Record<string, unknown>]>) {
    for (const [what, schema] of Object.entries(schemas)) {
      it(`${provider} refuses ${what}`, () => {
        assert.isNotEmpty(violations[provider](schema))
      })
    }

    it(`${provider} accepts plain schemas`, () => {
      assert.deepStrictEqual(violations[provider](deep(5)), [])
      assert.deepStrictEqual(violations[provider]({ type: "object", properties: {} }), [])
      const list = { type: "array", items: { type: "string", enum: ["x", "y"], description: "One" } }
      assert.deepStrictEqual(violations[provider]({ ...a(list), required: ["a"] }), [])
    })
  }
})
