import { assert, describe, it } from "@effect/vitest"
import { normalizeSchema } from "../../../src/schemas/call/NormalizeSchema.ts"
import { PROVIDERS } from "../../support/schemaCorpus.ts"
import { inEach, object, parameter } from "./normalizeSchema/parameter.ts"

describe("what a schema keeps", () => {
  it("a plain schema stays as it is", () => {
    const plain = object(
      { path: { type: "string", description: "The path" }, lines: { type: "array", items: { type: "integer" } } },
      { description: "Reads", required: ["path"] }
    )
    for (const provider of PROVIDERS) assert.deepStrictEqual<unknown>(normalizeSchema(plain, provider), plain)
  })

  it("limits stay keywords where the provider takes them, and are described elsewhere", () => {
    const count = { type: "integer", minimum: 1, maximum: 5, multipleOf: 2, default: 2, examples: [4] }
    assert.deepStrictEqual(parameter(count), count)
    assert.deepStrictEqual(parameter(count, "gemini"), {
      type: "integer",
      description: "Minimum: 1\nMaximum: 5\nMultiple of: 2\nDefault: 2\nExamples: 4"
    })
  })

  it("descriptions stay in front of added text", () => {
    assert.deepStrictEqual(parameter({ type: "string", description: "A day", format: "date" }, "gemini"), {
      type: "string",
      description: "A day\nFormat: date"
    })
  })

  it("required properties stay required, and unknown ones are added", () => {
    assert.deepStrictEqual(
      normalizeSchema(object({ a: { type: "string" } }, { required: ["a", "b", "a"] }), "openai"),
      {
        type: "object",
        properties: { a: { type: "string" }, b: {} },
        required: ["a", "b"]
      }
    )
    assert.deepStrictEqual(normalizeSchema({ properties: { a: { type: "string", required: true } } }, "openai"), {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"]
    })
  })

  it("the given schema is not changed", () => {
    const schema = object(
      { a: { anyOf: [{ $ref: "#/$defs/b" }, { type: "null" }] } },
      { $defs: { b: { type: "string" } } }
    )
    const before = structuredClone(schema)
    for (const provider of PROVIDERS) normalizeSchema(schema, provider)
    assert.deepStrictEqual(schema, before)
  })
})

describe("references", () => {
  it("are replaced by their target, and keywords beside them come first", () => {
    const around = { $defs: { b: { type: "string", description: "Any b", minLength: 2 } } }
    assert.deepStrictEqual(
      parameter({ $ref: "#/$defs/b", description: "This b", maxLength: 5 }, "json-schema", around),
      {
        type: "string",
        description: "This b\nAny b",
        minLength: 2,
        maxLength: 5
      }
    )
  })

  it("to an enclosing schema are cut, with a description", () => {
    const around = { $defs: { node: object({ name: { type: "string" }, next: { $ref: "#/$defs/node" } }) } }
    assert.deepStrictEqual(
      parameter({ $ref: "#/$defs/node" }, "json-schema", around),
      object({
        name: { type: "string" },
        next: { type: "object", description: "Nested again: node {name, next}", properties: {} }
      })
    )
  })

  for (const reference of ["https://attacker.example/x.json", "file:///etc/passwd", "#/$defs/missing", "other.json"]) {
    it(`out of the schema are not followed: ${reference}`, () => {
      assert.deepStrictEqual(parameter({ $ref: reference }), { description: "Defined elsewhere: not shown" })
    })
  }
})

describe("unions", () => {
  it("with null are nullable types", () => {
    const said = { openai: ["string", "null"], gemini: "string" }
    for (const schema of [
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { type: ["string", "null"] },
      { type: "string", nullable: true },
      { oneOf: [{ type: "null" }, { $ref: "#/$defs/s" }] }
    ]) {
      const outcome = inEach(schema, { $defs: { s: { type: "string" } } })
      assert.deepStrictEqual(outcome["openai"], { type: said.openai })
      assert.deepStrictEqual(outcome["gemini"], { type: said.gemini, nullable: true })
    }
  })

  it("of literals are an enum, with a description of each", () => {
    const modes = {
      oneOf: [{ const: "a", title: "Fast" }, { const: "b", description: "slow but sure" }, { const: "c" }]
    }
    for (const outcome of Object.values(inEach(modes))) {
      assert.deepStrictEqual(outcome, {
        type: "string",
        description: '"a": Fast\n"b": slow but sure',
        enum: ["a", "b", "c"]
      })
    }
  })

  it("of different types stay unions, and Gemini gets the description in the first", () => {
    const kinds = {
      description: "One or more",
      anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }]
    }
    const outcome = inEach(kinds)
    for (const provider of ["openai", "anthropic", "json-schema"]) assert.deepStrictEqual(outcome[provider], kinds)
    assert.deepStrictEqual(outcome["gemini"], {
      anyOf: [
        { type: "string", description: "One or more" },
        { type: "array", items: { type: "string" } }
      ]
    })
  })

  it("lose impossible alternatives, and add nothing to an enum", () => {
    assert.deepStrictEqual(parameter({ type: "string", anyOf: [{ minLength: 1 }, { type: "number" }] }), {
      type: "string",
      minLength: 1
    })
    assert.deepStrictEqual(parameter({ enum: ["a", "b"], anyOf: [{ pattern: "a" }, { minLength: 2 }] }), {
      type: "string",
      enum: ["a", "b"]
    })
    assert.deepStrictEqual(parameter({ anyOf: [{ type: "string" }, {}], description: "Any" }), { description: "Any" })
    assert.deepStrictEqual(parameter({ type: "string", anyOf: [{ minLength: 2 }, true] }), { type: "string" })
  })

  it("of an object and null keep the properties beside them", () => {
    assert.deepStrictEqual(parameter({ properties: { b: {} }, anyOf: [{ type: "object" }, { type: "null" }] }), {
      type: ["object", "null"],
      properties: { b: {} }
    })
  })

  it("of too many alternatives are described", () => {
    const many = Array.from({ length: 60 }, (_, i) => object({ [`p${i}`]: {} }))
    assert.deepStrictEqual(Object.keys(parameter({ anyOf: many }) as object), ["description"])
    assert.match(JSON.stringify(parameter({ anyOf: many })), /"One of 60 alternatives: \{p0\?: any\} \| \{p1\?: any\}/)
  })

  it("at the root leave a parameter as it is when one alternative does not mention it", () => {
    const root = object(
      { a: { type: "string" } },
      { anyOf: [object({ a: { minLength: 3 } }, { title: "Long" }), object({ b: { type: "number" } })] }
    )
    assert.deepStrictEqual(normalizeSchema(root, "openai")["properties"], {
      a: { type: "string" },
      b: { type: "number" }
    })
  })

  it("at the root become one object with all their parameters", () => {
    const root = {
      oneOf: [
        object({ op: { const: "open" }, path: { type: "string" } }, { required: ["op", "path"], title: "Open" }),
        object({ op: { const: "close" }, force: { type: "boolean" } }, { required: ["op"] }),
        { type: "null" }
      ]
    }
    for (const provider of PROVIDERS) {
      assert.deepStrictEqual(normalizeSchema(root, provider), {
        type: "object",
        description: 'One of: {op: "open", path: string} (Open) | {op: "close", force?: boolean}',
        properties: {
          op: { type: "string", enum: ["open", "close"] },
          path: { type: "string" },
          force: { type: "boolean" }
        },
        required: ["op"]
      })
    }
  })

  it("at the root that only list required parameters are described", () => {
    const root = object({ id: {}, url: {}, body: {} }, { anyOf: [{ required: ["id"] }, { required: ["url", "body"] }] })
    assert.strictEqual(normalizeSchema(root, "openai")["description"], "Needed: id; or url, body")
  })
})

// oxlint-disable-next-line unicorn/no-thenable
const CONDITION = { if: { required: ["b"] }, then: { required: ["c"] } }

describe("what has no keyword is described", () => {
  for (const [what, schema, told] of [
    ["not", { type: "string", not: { const: "root" } }, 'Not: "root"'],
    ["a pattern of one engine", { type: "string", pattern: "^(?!a)" }, "Matches: ^(?!a)"],
    ["an encoding", { type: "string", contentEncoding: "base64" }, "Encoding: base64"],
    ["contains", { type: "array", items: {}, contains: { type: "number" } }, "Contains: number"],
    ["names", object({}, { propertyNames: { enum: ["x", "y"] } }), 'Property names: "x" | "y"'],
    ["conditions", object({ b: {} }, CONDITION), "If {b: any}, then {c: any}"],
    ["what belongs together", object({ b: {} }, { dependentRequired: { b: ["c", "d"] } }), "With b, also needed: c, d"],
    [
      "patterns of names",
      object({}, { patternProperties: { "^x-": { type: "string" } } }),
      "Properties whose name matches ^x-: string"
    ]
  ] as const) {
    it(`${what}, to every provider`, () => {
      for (const outcome of Object.values(inEach(schema))) {
        assert.include(
          JSON.stringify((outcome as Record<string, unknown>)["description"]),
          JSON.stringify(told).slice(1, -1)
        )
      }
    })
  }

  it("enums that are not words, to Gemini", () => {
    assert.deepStrictEqual(parameter({ type: "integer", enum: [1, 2] }, "gemini"), {
      type: "integer",
      description: "One of: 1, 2"
    })
    assert.deepStrictEqual(parameter({ enum: ["", "x"] }, "gemini"), { type: "string", description: 'One of: "", "x"' })
    assert.deepStrictEqual(parameter({ enum: ["auto", 1, null] }, "gemini"), {
      anyOf: [
        { type: "string", nullable: true, enum: ["auto"] },
        { type: "integer", description: "One of: 1" }
      ]
    })
  })

  it("enums of too many values", () => {
    const zones = Array.from({ length: 500 }, (_, i) => `zone ${i}`)
    const outcome = parameter({ type: "string", enum: zones }) as Record<string, unknown>
    assert.notProperty(outcome, "enum")
    assert.match(outcome["description"] as string, /^One of 500: "zone 0", "zone 1", .*… \(\d+ more\)$/)
  })

  it("tuples, to providers without prefixItems", () => {
    const pair = { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false }
    const outcome = inEach(pair)
    assert.deepStrictEqual(outcome["json-schema"], {
      type: "array",
      maxItems: 2,
      prefixItems: [{ type: "number" }, { type: "string" }],
      items: {}
    })
    assert.deepStrictEqual(outcome["openai"], {
      type: "array",
      description: "Items in order: number, string",
      maxItems: 2,
      items: { type: ["number", "string"] }
    })
  })

  it("without null defaults and lone surrogates", () => {
    assert.deepStrictEqual(parameter({ type: ["string", "null"], default: null }, "gemini"), {
      type: "string",
      nullable: true
    })
    assert.deepStrictEqual(parameter({ type: "string", pattern: "(?!\ud800)" }), {
      type: "string",
      description: "Matches: (?!\ufffd)"
    })
  })

  it("additional properties, to Gemini", () => {
    assert.deepStrictEqual(parameter(object({}, { additionalProperties: { type: "number" } }), "gemini"), {
      type: "object",
      description: "Other properties: number"
    })
  })

  it("names that Anthropic refuses, as parameters that are still accepted", () => {
    const schema = object({ id: { type: "string" }, "filter[name]": { type: "string" }, $top: { type: "integer" } })
    const closed = { ...schema, required: ["filter[name]", "id"], additionalProperties: false }
    assert.deepStrictEqual(normalizeSchema(closed, "anthropic"), {
      type: "object",
      description:
        "Parameters left out because of unusable names: 2. " +
        'They are still accepted: {"filter[name]": string, $top?: integer}',
      properties: { id: { type: "string" } },
      required: ["id"]
    })
    for (const provider of ["openai", "gemini", "json-schema"] as const) {
      assert.nestedProperty(normalizeSchema(closed, provider), "properties.$top")
    }
  })
})
