import { assert, describe, it } from "@effect/vitest"
import { makeSchemaCheck } from "../../../../src/layers/call/ToolBridge/schemaCheck.ts"
import { objectionsBy } from "../../../support/schemaCorpus.ts"
import { sensibleSchema } from "../../../support/sensibleSchema.ts"

/** What is said of a value: nothing, that it was not checked, or the keyword and the place. */
const said = (schema: unknown, value: unknown): string | undefined => {
  const checked = makeSchemaCheck(schema)(value)
  switch (checked._tag) {
    case "Fits":
      return undefined
    case "GaveUp":
      return "gave up"
    case "Mismatch":
      return [checked.keyword, ...checked.path.map((step) => step ?? "*")].join(" ")
  }
}

interface Case {
  readonly schema: unknown
  readonly good: ReadonlyArray<unknown>
  /** With what is said of it; of those that are not alone the keyword itself. */
  readonly bad: ReadonlyArray<readonly [value: unknown, says: string]>
}

/** From JSON, as everything that a server sends: `__proto__` is a name as any other there. */
const json = (text: string): unknown => JSON.parse(text)

const A = { type: "object", properties: { a: { type: "number" } } }
const TREE = {
  $ref: "#/$defs/node",
  $defs: {
    node: { type: "object", properties: { name: { type: "string" }, under: { items: { $ref: "#/$defs/node" } } } }
  }
}

const KEYWORDS: Readonly<Record<string, Case>> = {
  "type: string": {
    schema: { type: "string" },
    good: ["", "a"],
    bad: [1, null, [], {}, true].map((value) => [value, "type"])
  },
  "type: number": { schema: { type: "number" }, good: [0, -1.5, 1e300], bad: [["1", "type"]] },
  "type: integer": { schema: { type: "integer" }, good: [0, -3, 1.0], bad: [[1.5, "type"]] },
  "type: boolean": { schema: { type: "boolean" }, good: [true, false], bad: [[0, "type"]] },
  "type: null": { schema: { type: "null" }, good: [null], bad: [[0, "type"]] },
  "type: array": { schema: { type: "array" }, good: [[], [1]], bad: [[{}, "type"]] },
  "type: object": {
    schema: { type: "object" },
    good: [{}],
    bad: [[], null].map((value) => [value, "type"])
  },
  "type: several": { schema: { type: ["string", "null"] }, good: ["", null], bad: [[1, "type"]] },
  "type: or null, as OpenAPI says it": {
    schema: { type: "string", nullable: true },
    good: ["", null],
    bad: [[1, "type"]]
  },
  "type: one that nobody knows": { schema: { type: ["string", "money"] }, good: ["", 1, null], bad: [] },
  enum: { schema: { enum: ["a", 1, null, { b: [1] }] }, good: ["a", 1, null, { b: [1] }], bad: [["1", "enum"]] },
  "enum: lists and objects": {
    schema: { enum: [{ b: [1] }, []] },
    good: [{ b: [1] }, []],
    bad: [{}, { b: [2] }, { b: [1], c: 1 }, { b: { 0: 1 } }, [1]].map((value) => [value, "enum"])
  },
  const: { schema: { const: 0 }, good: [0, -0], bad: [["0", "const"]] },
  "const: null": { schema: { const: null }, good: [null], bad: [[{}, "const"]] },
  minimum: { schema: { minimum: 1 }, good: [1, 2, "0"], bad: [[0.5, "minimum"]] },
  maximum: { schema: { maximum: 1 }, good: [1, 0, "2"], bad: [[1.5, "maximum"]] },
  exclusiveMinimum: { schema: { exclusiveMinimum: 1 }, good: [2], bad: [[1, "exclusiveMinimum"]] },
  exclusiveMaximum: { schema: { exclusiveMaximum: 1 }, good: [0], bad: [[1, "exclusiveMaximum"]] },
  "exclusiveMinimum: draft 4": {
    schema: { minimum: 1, exclusiveMinimum: true },
    good: [2],
    bad: [[1, "exclusiveMinimum"]]
  },
  "exclusiveMaximum: draft 4, no": { schema: { maximum: 1, exclusiveMaximum: false }, good: [1], bad: [] },
  multipleOf: { schema: { multipleOf: 0.1 }, good: [0.3, 1.1, 0, 1e308], bad: [[0.25, "multipleOf"]] },
  minLength: {
    schema: { minLength: 2 },
    good: ["ab", "😀😀", 1],
    bad: ["a", "😀"].map((value) => [value, "minLength"])
  },
  maxLength: {
    schema: { maxLength: 2 },
    good: ["ab", "😀😀"],
    bad: ["abc", "😀😀a"].map((value) => [value, "maxLength"])
  },
  minItems: { schema: { minItems: 1 }, good: [[1], "", {}], bad: [[[], "minItems"]] },
  maxItems: { schema: { maxItems: 1 }, good: [[1]], bad: [[[1, 2], "maxItems"]] },
  uniqueItems: {
    schema: { uniqueItems: true },
    good: [
      [1, "1", true],
      [{}, {}]
    ],
    bad: [[[1, 2, 1], "uniqueItems"]]
  },
  "uniqueItems: no": { schema: { uniqueItems: false }, good: [[1, 1]], bad: [] },
  minProperties: { schema: { minProperties: 1 }, good: [{ a: 1 }, []], bad: [[{}, "minProperties"]] },
  maxProperties: { schema: { maxProperties: 1 }, good: [{ a: 1 }], bad: [[{ a: 1, b: 1 }, "maxProperties"]] },
  required: { schema: { required: ["a"] }, good: [{ a: null }, []], bad: [[{ b: 1 }, "required"]] },
  "required: what every object inherits": {
    schema: { required: ["toString", "__proto__"] },
    good: [json(`{ "toString": 1, "__proto__": 1 }`)],
    bad: [[{}, "required"]]
  },
  properties: {
    schema: { properties: { a: A, b: false } },
    good: [{}, { c: 1 }, { a: {} }, []],
    bad: [
      [{ a: 1 }, "type a"],
      [{ a: { a: "1" } }, "type a a"],
      [{ b: 1 }, "properties b"]
    ]
  },
  "properties: the name of a prototype": {
    schema: json(`{ "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "string" } } }`),
    good: [{}, json(`{ "__proto__": "" }`)],
    bad: [[json(`{ "__proto__": 1 }`), "type __proto__"]]
  },
  "additionalProperties: none": {
    schema: { properties: { a: true }, additionalProperties: false },
    good: [{}, { a: 1 }],
    bad: [[{ a: 1, b: 1 }, "additionalProperties"]]
  },
  "additionalProperties: a schema": {
    schema: { properties: { a: true }, additionalProperties: { type: "string" } },
    good: [{ a: 1, b: "" }],
    bad: [[{ b: 1 }, "type *"]]
  },
  items: { schema: { items: A }, good: [[], [{}], {}], bad: [[[{}, { a: "" }], "type 1 a"]] },
  prefixItems: {
    schema: { prefixItems: [{ type: "string" }, { type: "number" }], items: { type: "null" } },
    good: [[], [""], ["", 1, null]],
    bad: [
      [["", ""], "type 1"],
      [["", 1, 1], "type 2"]
    ]
  },
  "items: none after the first": {
    schema: { prefixItems: [true], items: false },
    good: [[1]],
    bad: [[[1, 2], "items"]]
  },
  "items: a list, as before 2020-12": {
    schema: { items: [{ type: "string" }], additionalItems: { type: "number" } },
    good: [["", 1]],
    bad: [
      [[1], "type 0"],
      [["", ""], "type 1"]
    ]
  },
  "additionalItems: alone": { schema: { items: {}, additionalItems: false }, good: [[1, 2]], bad: [] },
  allOf: {
    schema: { allOf: [{ required: ["a"] }, A] },
    good: [{ a: 1 }],
    bad: [
      [{}, "required"],
      [{ a: "" }, "type a"]
    ]
  },
  anyOf: {
    schema: { properties: { x: { anyOf: [{ type: "string" }, A] } } },
    good: [{ x: "" }, { x: { a: 1 } }],
    bad: [[{ x: { a: "" } }, "anyOf x"]]
  },
  "anyOf: what did not fit in it is not where a later mismatch is": {
    schema: { allOf: [{ anyOf: [A, true] }, { required: ["b"] }] },
    good: [{ a: "", b: 1 }],
    bad: [[{ a: "" }, "required"]]
  },
  oneOf: {
    schema: { oneOf: [{ type: "number" }, { type: "integer" }, { type: "string" }] },
    good: [1.5, ""],
    bad: [
      [1, "oneOf"],
      [null, "oneOf"]
    ]
  },
  not: { schema: { not: { type: "string" } }, good: [1], bad: [["", "not"]] },
  "if, then, else": {
    schema: json(
      `{ "if": { "properties": { "a": { "const": 1 } } }, "then": { "required": ["b"] }, "else": { "required": ["c"] } }`
    ),
    good: [
      { a: 1, b: 1 },
      { a: 2, c: 1 }
    ],
    bad: [
      [{ a: 1, c: 1 }, "required"],
      [{ a: 2, b: 1 }, "required"]
    ]
  },
  $ref: {
    schema: TREE,
    good: [{ under: [{ under: [] }] }],
    bad: [[{ under: [{ under: [{ name: 1 }] }] }, "type under 0 under 0 name"]]
  },
  "$ref: to the whole": {
    schema: { type: "object", additionalProperties: { $ref: "#" } },
    good: [{ a: { b: {} } }],
    bad: [[{ a: { b: 1 } }, "type * *"]]
  },
  "$ref: its siblings count": {
    schema: { properties: { a: { $ref: "#/$defs/s", maxLength: 1 } }, $defs: { s: { type: "string" } } },
    good: [{ a: "a" }],
    bad: [[{ a: "ab" }, "maxLength a"]]
  },
  "$ref: its siblings do not count in draft 7": {
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#/definitions/s", maxLength: 1 } },
      definitions: { s: { type: "string" } }
    },
    good: [{ a: "ab" }],
    bad: [[{ a: 1 }, "type a"]]
  },
  "true and false": { schema: { properties: { a: true } }, good: [{ a: 1 }], bad: [] }
}

describe("makeSchemaCheck: keywords", () => {
  for (const [name, { bad, good, schema }] of Object.entries(KEYWORDS)) {
    it(name, () => {
      for (const value of good) assert.isUndefined(said(schema, value), JSON.stringify(value))
      for (const [value, says] of bad) assert.strictEqual(said(schema, value), says, JSON.stringify(value))
    })
  }

  it("reports the path of a mismatch, also when the check is reused", () => {
    const check = makeSchemaCheck({ items: A })
    assert.strictEqual(check([{ a: 1 }])._tag, "Fits")
    assert.deepStrictEqual(check([{ a: "" }]), { _tag: "Mismatch", keyword: "type", path: [0, "a"] })
    assert.strictEqual(check([{ a: 1 }])._tag, "Fits")
  })
})

const SEEDS = 100

describe("makeSchemaCheck: comparison with another validator", () => {
  it("agrees on every value, except that it accepts more where a schema has patterns", () => {
    const counts = { fits: 0, mismatches: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { schema, values } = sensibleSchema(seed)
      const hasPattern = JSON.stringify(schema).includes("pattern")
      const [check, objections] = [makeSchemaCheck(schema), objectionsBy(schema)]
      for (const value of values) {
        const isMismatch = check(value)._tag === "Mismatch"
        const objection = objections(value)
        counts[isMismatch ? "mismatches" : "fits"]++
        if (isMismatch || !hasPattern) {
          assert.strictEqual(
            isMismatch,
            objection !== undefined,
            `seed ${seed}: ${JSON.stringify(value)}: ${objection}`
          )
        }
      }
    }
    for (const count of Object.values(counts)) assert.isAtLeast(count, SEEDS)
  })
})

/** What is not evaluated, with a value that does not fit. */
const LEFT_OPEN: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  pattern: [{ pattern: "^a$" }, "b"],
  "a pattern that is none": [{ pattern: "(" }, "b"],
  patternProperties: [{ patternProperties: { a: { type: "string" } } }, { a: 1 }],
  "names that a pattern may allow": [{ patternProperties: { a: true }, additionalProperties: false }, { b: 1 }],
  format: [{ format: "date" }, "b"],
  contains: [{ contains: { const: 1 } }, []],
  propertyNames: [{ propertyNames: { maxLength: 0 } }, { a: 1 }],
  dependentRequired: [{ dependentRequired: { a: ["b"] } }, { a: 1 }],
  unevaluatedProperties: [{ unevaluatedProperties: false }, { a: 1 }],
  $dynamicRef: [{ $dynamicRef: "#a" }, 1],
  "a reference to another document": [{ $ref: "https://example.com/schema.json" }, 1],
  "a reference to a file": [{ $ref: "file:///etc/passwd" }, 1],
  "a reference to nowhere": [{ $ref: "#/$defs/none" }, 1],
  "a reference that is none": [{ $ref: 1 }, 1],
  "a reference with a broken escape": [{ $ref: "#/%E0%A4%A" }, 1],
  "a type that is none": [{ type: {} }, 1],
  "no types": [{ type: [] }, 1],
  "names that are none": [{ required: "a" }, {}],
  "properties that are none": [{ properties: [] }, {}],
  "a schema that is none": [{ properties: { a: 1 } }, { a: 1 }],
  "no alternatives": [{ anyOf: [] }, 1],
  "choices that are none": [{ enum: "a" }, "b"],
  "a bound that is none": [{ minimum: "1" }, 0]
}

describe("makeSchemaCheck: keywords that are not evaluated", () => {
  for (const [name, [schema, value]] of Object.entries(LEFT_OPEN)) {
    it(`${name}: is ignored, also inside of not, oneOf and if`, () => {
      assert.isUndefined(said(schema, value))
      assert.isUndefined(said({ not: schema }, value))
      assert.isUndefined(said({ not: { not: schema } }, value))
      assert.isUndefined(said({ oneOf: [schema, schema] }, value))
      assert.isUndefined(said({ oneOf: [schema, true] }, value))
      assert.isUndefined(said({ if: schema, ...(json(`{ "then": false, "else": false }`) as object) }, value))
    })

    it(`${name}: does not hide another mismatch`, () => {
      assert.strictEqual(said({ allOf: [schema, false] }, value), "allOf")
      assert.strictEqual(said({ anyOf: [false, { allOf: [schema, false] }] }, value), "anyOf")
    })
  }

  it("accept everything when the schema is not an object", () => {
    for (const schema of [undefined, null, 1, "a", []]) assert.isUndefined(said(schema, { a: 1 }))
  })
})

// ---- hostile -------------------------------------------------------------------------------------------------------

const nested = (times: number, wrap: (inner: unknown) => unknown, inner: unknown = 1): unknown => {
  let value = inner
  for (let i = 0; i < times; i++) value = wrap(value)
  return value
}

const many = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

const named = (count: number, make: (i: number) => unknown) =>
  Object.fromEntries(many(count, (i) => [`p${i}`, make(i)] as const))

/** Each of which asks the next one twice. */
const LAUGHS = {
  $ref: "#/$defs/p0",
  $defs: named(64, (i) => ({ allOf: [{ $ref: `#/$defs/p${i + 1}` }, { $ref: `#/$defs/p${i + 1}` }] }))
}

/** An object that is in itself a thousand times, as no JSON is, and as deep as you like. */
const ENDLESS: Record<string, unknown> = {}
for (let i = 0; i < 1_000; i++) ENDLESS[`p${i}`] = ENDLESS

const LARGE = many(300_000, (i) => i)

const HOSTILE: Readonly<Record<string, readonly [schema: unknown, value: unknown]>> = {
  "a schema that is itself": [{ $ref: "#" }, 1],
  "two that are each other": [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, 1],
  "a schema that is itself, many times": [{ anyOf: many(1_000, () => ({ $ref: "#" })) }, 1],
  "a schema that is not itself": [{ not: { $ref: "#" } }, 1],
  "references that double": [{ ...LAUGHS, $defs: { ...LAUGHS.$defs, p64: true } }, 1],
  "a schema without a bottom": [nested(50_000, (not) => ({ not })), 1],
  "a value without a bottom": [{ items: { $ref: "#" } }, nested(50_000, (item) => [item])],
  "a value that is in itself": [{ additionalProperties: { $ref: "#" } }, ENDLESS],
  "a choice without a bottom": [{ const: nested(50_000, (item) => [item]) }, nested(50_000, (item) => [item])],
  "many choices that are long": [
    { enum: many(1_000, (i) => many(1_000, (j) => (j < 999 ? j : -i - 1))) },
    many(1_000, (i) => i)
  ],
  "a long list and many alternatives": [{ items: { allOf: many(1_000, () => ({ minimum: 0 })) } }, LARGE],
  "a list that must be unique, many times": [{ allOf: many(1_000, () => ({ uniqueItems: true })) }, LARGE],
  "a text that is counted many times": [{ allOf: many(1_000, () => ({ maxLength: 600_000 })) }, "😀".repeat(500_000)]
}

describe("makeSchemaCheck: hostile schemas", () => {
  for (const [name, [schema, value]] of Object.entries(HOSTILE)) {
    it(`${name}: gives up without throwing`, () => {
      const check = makeSchemaCheck(schema)
      assert.strictEqual(check(value)._tag, "GaveUp")
      assert.strictEqual(check(value)._tag, "GaveUp")
    })
  }

  it("do not make it run a regular expression", () => {
    const evil = "^(a+)+$"
    const schema = {
      properties: { text: { type: "string", pattern: evil, format: "regex" } },
      patternProperties: { [evil]: { type: "string" } },
      propertyNames: { pattern: evil }
    }
    const long = `${"a".repeat(50_000)}!`
    assert.isUndefined(said(schema, { text: long, [long]: "" }))
    assert.strictEqual(said(schema, { text: 1 }), "type text")
  })

  it("do not hide a mismatch that was found before it gave up", () => {
    assert.strictEqual(said({ type: "string", items: LAUGHS }, [1]), "type")
    assert.strictEqual(said({ ...LAUGHS, required: ["a"] }, {}), "required")
  })

  it("are read only where a value needs them, and once", () => {
    const read: Array<string> = []
    const spied = (name: string) =>
      new Proxy({ type: "string" }, { get: (at, key) => (key === "type" && read.push(name), Reflect.get(at, key)) })
    const check = makeSchemaCheck({ properties: { a: spied("a"), b: spied("b") } })
    assert.deepStrictEqual(read, [])
    check({ a: "" })
    check({ a: "" })
    assert.deepStrictEqual(read, ["a"])
  })
})
