import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../../../src/schemas/data/Json.ts"
import { blankDraft, draftOf, emptyDraft, type Draft } from "../../../../../src/programs/ui/page/form/Draft.ts"
import { entered } from "../../../../../src/programs/ui/page/form/entered.ts"
import { fieldOf, labelOf, rootFieldOf, type Field } from "../../../../../src/programs/ui/page/form/Field.ts"
import { outlineOf } from "../../../../../src/programs/ui/page/form/outline.ts"

const ROOT = { place: "", isRequired: true }

const member = (schema: object, name = "x"): Field => {
  const root = rootFieldOf({ type: "object", properties: { [name]: schema }, required: [name] })
  assert.strictEqual(root.kind, "object")
  return fieldOf(root.kind === "object" ? root.members[0]!.schema : {})
}

const check = (schema: object, draft: Draft) => {
  const { problems, value } = entered(member(schema), draft, { place: "/x", isRequired: true })
  return { value, words: problems.map(({ words }) => words) }
}

const text = (typed: string): Draft => ({ kind: "text", text: typed })

describe("the field of a schema", () => {
  it.each<[string, object, string]>([
    ["a text", { type: "string" }, "text"],
    ["a number", { type: "number" }, "number"],
    ["a whole number", { type: "integer" }, "number"],
    ["a boolean", { type: "boolean" }, "flag"],
    ["an enum", { enum: ["a", "b"] }, "choice"],
    ["a constant", { const: 5 }, "choice"],
    ["constants with titles", { oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "choice"],
    ["an enum that may be null", { type: ["string", "null"], enum: ["a", null] }, "choice"],
    ["a text that may be null", { anyOf: [{ type: "string" }, { type: "null" }] }, "text"],
    ["several types", { type: ["string", "number"] }, "options"],
    ["alternatives", { oneOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] }, "options"],
    ["an object", { type: "object", properties: { a: { type: "string" } } }, "object"],
    ["a map", { type: "object", additionalProperties: { type: "number" } }, "object"],
    ["an object that says nothing", { type: "object" }, "json"],
    ["a list", { type: "array", items: { type: "string" } }, "list"],
    ["a list of choices", { type: "array", items: { enum: ["a", "b"] } }, "choices"],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }], items: false }, "list"],
    ["anything", {}, "json"]
  ])("%s", (_, schema, kind) => {
    assert.strictEqual(member(schema).kind, kind)
  })

  it("reads what a reference points to, with what is said beside it", () => {
    const root = rootFieldOf({
      type: "object",
      properties: { at: { $ref: "#/$defs/Point", description: "Where" } },
      $defs: { Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } }
    })
    const at = fieldOf(root.kind === "object" ? root.members[0]!.schema : {})
    assert.strictEqual(at.about, "Where")
    assert.deepStrictEqual(at.kind === "object" ? at.members.map(({ name }) => name) : [], ["x"])
  })

  it("ends where a schema contains itself: JSON by hand", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/Node" } }, required: ["next"] }
    const root = rootFieldOf({ type: "object", properties: { root: { $ref: "#/$defs/Node" } }, $defs: { Node: node } })
    let field: Field | undefined = root
    let depth = 0
    for (; field?.kind === "object" && depth < 50; depth++) field = field.members[0] && fieldOf(field.members[0].schema)
    assert.strictEqual(field?.kind, "json")
    blankDraft(root)
  })

  it("shows required members first, also those without a schema", () => {
    const root = rootFieldOf({ type: "object", properties: { a: {}, b: { type: "string" } }, required: ["b", "c"] })
    assert.deepStrictEqual(
      root.kind === "object" ? root.members.map(({ isRequired, name }) => `${name}${isRequired ? "" : "?"}`) : [],
      ["b", "c", "a?"]
    )
  })

  it("gives each alternative the members beside all of them", () => {
    const field = member({
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      oneOf: [
        { properties: { by: { const: "name" }, name: { type: "string" } } },
        { properties: { by: { const: "age" }, age: { type: "integer" } } }
      ]
    })
    assert.strictEqual(field.kind, "options")
    const options = field.kind === "options" ? field.options : []
    assert.deepStrictEqual(options.map(labelOf), ["by: name", "by: age"])
    const second = fieldOf(options[1]!)
    assert.sameMembers(second.kind === "object" ? second.members.map(({ name }) => name) : [], ["id", "by", "age"])
  })

  it("has a form without fields for a tool without arguments", () => {
    const root = rootFieldOf({ type: "object", properties: {} })
    assert.deepStrictEqual(entered(root, emptyDraft(root, true), ROOT), { value: {}, problems: [] })
  })
})

describe("what was entered", () => {
  it("leaves out what may be left out, also if it has a default", () => {
    const root = rootFieldOf({
      type: "object",
      properties: { a: { type: "string", default: "x" }, b: { type: "boolean" }, c: { type: "array" } }
    })
    assert.deepStrictEqual(entered(root, emptyDraft(root, true), ROOT), { value: {}, problems: [] })
  })

  it("begins with the default of what is required", () => {
    const root = rootFieldOf({ type: "object", properties: { n: { type: "number", default: 5 } }, required: ["n"] })
    assert.deepStrictEqual(entered(root, emptyDraft(root, true), ROOT).value, { n: 5 })
  })

  it("asks for what is required, at its field", () => {
    const root = rootFieldOf({
      type: "object",
      properties: { at: { type: "object", properties: { "a/b": { type: "string" } }, required: ["a/b"] } },
      required: ["at"]
    })
    assert.deepStrictEqual(entered(root, emptyDraft(root, true), ROOT).problems, [
      { place: "/at/a~1b", words: "Fill this in." }
    ])
  })

  it.each<[string, object, Draft, Json | undefined, ReadonlyArray<string>]>([
    ["a number", { type: "number" }, text(" 1.5e3 "), 1500, []],
    ["words for a number", { type: "number" }, text("many"), undefined, ["This must be a number."]],
    ["a hexadecimal number", { type: "number" }, text("0x10"), undefined, ["This must be a number."]],
    ["half a whole number", { type: "integer" }, text("0.5"), 0.5, ["This must be a whole number."]],
    ["too little", { type: "number", minimum: 3 }, text("2"), 2, ["This must be at least 3."]],
    ["a step", { type: "number", multipleOf: 0.1 }, text("0.3"), 0.3, []],
    [
      "a number that JSON cannot keep",
      { type: "integer" },
      text("9007199254740993"),
      9007199254740992,
      ["This number is too large to be exact."]
    ],
    ["a short text", { type: "string", minLength: 2 }, text("👍"), "👍", ["This must be at least 2 characters."]],
    [
      "a date that does not exist",
      { type: "string", format: "date" },
      text("2026-02-31"),
      "2026-02-31",
      ["This must be a date such as 2026-01-31."]
    ],
    ["digits for a text", { type: "string" }, text("5"), "5", []],
    ["nothing where null is fine", { type: ["string", "null"] }, text(""), null, []],
    ["no choice", { enum: ["a", "b"] }, { kind: "choice", index: -1 }, undefined, ["Choose one of these."]],
    ["a choice", { enum: ["a", 2] }, { kind: "choice", index: 1 }, 2, []],
    [
      "too few of some",
      { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2 },
      { kind: "choices", indexes: [2] },
      ["c"],
      ["This must be a list of at least 2 items."]
    ],
    [
      "an item twice",
      { type: "array", items: { type: "string" }, uniqueItems: true },
      { kind: "list", items: [text("a"), text("a")].map((draft, key) => ({ key, draft })) },
      ["a", "a"],
      ["This must be a list with no item twice."]
    ]
  ])("%s", (_, schema, draft, value, words) => {
    assert.deepStrictEqual(check(schema, draft), { value, words })
  })

  it("never runs a pattern, which may run for ever", () => {
    const { words } = check({ type: "string", pattern: "^(a+)+$" }, text(`${"a".repeat(60)}b`))
    assert.deepStrictEqual(words, [])
  })

  it("says where JSON by hand is wrong", () => {
    const { words } = check({}, { kind: "raw", text: "{a}" })
    assert.match(words[0]!, /^This is not JSON: /)
  })

  it("keeps a member called __proto__", () => {
    const root = rootFieldOf({ type: "object", additionalProperties: { type: "string" } })
    const draft = draftOf(root, JSON.parse('{"__proto__":"x"}') as Json)
    assert.strictEqual(JSON.stringify(entered(root, draft, ROOT).value), '{"__proto__":"x"}')
  })

  it("refuses other members where the schema allows none, and names that are there already", () => {
    const root = rootFieldOf({ type: "object", properties: { a: { type: "string" } }, additionalProperties: false })
    const other = (key: number, name: string) => ({ key, name, draft: { kind: "raw", text: "1" } as const })
    const draft: Draft = { kind: "object", members: new Map(), others: [other(0, "b"), other(1, "a")] }
    assert.deepStrictEqual(
      entered(root, draft, ROOT).problems.map(({ place, words }) => `${place} ${words}`),
      ["/+0 The schema allows no other members.", "/+1 There is one with this name already."]
    )
  })
})

describe("a value in the form", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      days: { type: "array", items: { enum: ["mo", "tu"] } },
      who: {
        oneOf: [{ type: "string" }, { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }]
      },
      deep: { type: "array", items: { type: "object", properties: { on: { type: "boolean" } } } },
      any: {}
    }
  }
  it.each<[string, Json]>([
    ["plain values", { name: "a", tags: ["x", "y"], days: ["mo"] }],
    ["an alternative that is an object", { who: { id: 3 } }],
    ["nested lists of objects", { deep: [{ on: true }, {}] }],
    ["what no field can show", { name: 5, tags: "all", days: ["tu", "mo"], any: { a: [1, null] } }],
    ["an empty text", { name: "" }],
    ["members that the schema does not name", { other: { a: 1 }, name: "b" }],
    ["nothing", {}]
  ])("comes out as it went in: %s", (_, value) => {
    const root = rootFieldOf(schema)
    assert.deepStrictEqual(entered(root, draftOf(root, value), ROOT), { value, problems: [] })
  })
})

describe("a schema to read", () => {
  it("has a row for each value, with what is required of it", () => {
    const { rows } = outlineOf(
      rootFieldOf({
        type: "object",
        properties: {
          path: { type: "string", description: "A file", minLength: 1 },
          at: { type: "array", items: { type: "object", properties: { line: { type: "integer", default: 1 } } } }
        },
        required: ["path"]
      })
    )
    assert.deepStrictEqual(
      rows.map(({ about, depth, isRequired, name, notes, type }) => [depth, name, type, isRequired, about, ...notes]),
      [
        [0, "path", "string", true, "A file", "at least 1 character"],
        [0, "at", "list", false, undefined],
        [1, "each item", "object", false, undefined],
        [2, "line", "integer", false, undefined, "default: 1"]
      ]
    )
  })

  it("ends after some hundred rows", () => {
    const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, { type: "string" }]))
    const { isCut, rows } = outlineOf(rootFieldOf({ type: "object", properties }))
    assert.isTrue(isCut)
    assert.strictEqual(rows.length, 400)
  })
})
