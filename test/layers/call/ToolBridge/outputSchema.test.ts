import { assert, describe, it } from "@effect/vitest"
import { SCHEMA_PATH_MAX_STEPS } from "../../../../src/schemas/defaults/Definitions.ts"
import type { JsonObject } from "../../../../src/schemas/data/Json.ts"
import { wrappedIn } from "../../../support/boundaries.ts"
import { policy, STRICT } from "../../../support/policies.ts"
import { bridge, detailsOf, kept, SECRET, shownOf, textOf } from "./bridge.ts"

const SUM: JsonObject = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }
const BUDGET = { bytes: 10_000, blocks: 8 }
const ORIGIN = { server: "fs", tool: "add" }

const toResult = (raw: object, outputSchema: JsonObject | undefined, more: object = {}) =>
  bridge.toResult(raw, { ...ORIGIN, ...more, outputSchema }, BUDGET)

const answer = (structuredContent: unknown, words = "quoth") => ({
  content: [{ type: "text", text: words }],
  structuredContent
})

const noted = (raw: object, outputSchema: JsonObject | undefined) => detailsOf(toResult(raw, outputSchema)).notes
const found = (raw: object, outputSchema: JsonObject | undefined) =>
  detailsOf(toResult(raw, outputSchema)).findings.map(({ count, detail, kind }) => `${kind}: ${detail} (${count})`)

const SAYS = "the structured content does not match the tool's output schema:"

/** A schema of lists in lists, with a value that is wrong within. */
const inLists = (depth: number): readonly [JsonObject, unknown] => {
  let schema: JsonObject = { type: "string" }
  let value: unknown = 1
  for (let i = 0; i < depth; i++) {
    schema = { items: schema }
    value = [value]
  }
  return [schema, value]
}

const LAUGHS: JsonObject = { allOf: [{ $ref: "#" }, { $ref: "#" }] }

describe("toResult: output schema", () => {
  it("adds nothing for a matching value or a tool without a schema", () => {
    assert.deepStrictEqual(detailsOf(toResult(answer({ sum: 3 }), SUM)), detailsOf(toResult(answer({}), undefined)))
    assert.deepStrictEqual(noted(answer({ sum: 3 }), SUM), [])
    assert.deepStrictEqual(found(answer({ sum: 3 }), SUM), [])
  })

  it("reports a mismatch with keyword and path, and still returns the value", () => {
    const raw = answer({ sum: "quoth not a number" })
    assert.deepStrictEqual(noted(raw, SUM), [`${SAYS} type at $.sum`])
    assert.deepStrictEqual(found(raw, SUM), ["outputMismatch: type (1)"])
    const { details: _, ...shown } = toResult(raw, SUM)
    const { details: __, ...plain } = toResult(raw, undefined)
    assert.deepStrictEqual(shown.structuredContent, { sum: "quoth not a number" })
    assert.deepStrictEqual(
      { ...shown, content: shownOf(shown as never) },
      { ...plain, content: shownOf(plain as never) }
    )
  })

  it("reports missing structured content", () => {
    const raw = { content: [{ type: "text", text: "quoth" }] }
    assert.deepStrictEqual(noted(raw, SUM), [
      "the structured content that the tool's output schema promises is missing"
    ])
    assert.deepStrictEqual(found(raw, SUM), ["outputMismatch: missing (1)"])
    assert.deepStrictEqual(noted(raw, undefined), [])
    assert.deepStrictEqual(noted(answer(null), SUM), [`${SAYS} type at $`])
  })

  it("is not checked for a result with isError", () => {
    for (const raw of [answer({ sum: "no" }), { content: [] }]) {
      const result = toResult({ ...raw, isError: true }, SUM)
      assert.isTrue(result.isError)
      assert.deepStrictEqual(detailsOf(result).notes, [])
      assert.deepStrictEqual(detailsOf(result).findings, [])
    }
  })

  it("is checked against the value as the server sent it", () => {
    const value = { [`key\u0000`]: 1, text: `a\u0000${SECRET}` }
    const schema = { required: ["key\u0000"], properties: { text: { const: value.text } } }
    assert.deepStrictEqual(noted(answer(value), schema), [])
  })

  it("is checked for a value over the budget", () => {
    const raw = answer({ sum: "x".repeat(20_000) })
    assert.include(noted(raw, SUM), `${SAYS} type at $.sum`)
  })

  it("withholds a mismatch when onFinding says so, and stores nothing", () => {
    const before = kept.size
    for (const content of [STRICT, policy("delimit", "outputMismatch"), policy("trusted", "outputMismatch")]) {
      for (const raw of [answer({ sum: "quoth" }, "x".repeat(20_000)), answer(undefined)]) {
        const result = toResult(raw, SUM, { content })
        assert.isTrue(detailsOf(result).withheld)
        assert.match(textOf(result), /^\[Withheld: .* held outputMismatch: (?:type|missing)\. /)
        assert.notProperty(result, "structuredContent")
        assert.notInclude(JSON.stringify(result), "quoth")
      }
    }
    assert.strictEqual(kept.size, before)
    const others = policy("delimit", "pattern", "secretEcho")
    assert.notProperty(detailsOf(toResult(answer({ sum: "quoth" }), SUM, { content: others })), "withheld")
  })

  describe("the reported path", () => {
    const placeOf = (schema: JsonObject, value: unknown) => noted(answer(value), schema)[0]!.slice(SAYS.length + 1)

    it("names list indexes and properties of the schema", () => {
      const schema = { properties: { rows: { items: { properties: { unit_price: { minimum: 0 } } } } } }
      assert.strictEqual(placeOf(schema, { rows: [{}, { unit_price: -1 }] }), "minimum at $.rows[1].unit_price")
    })

    it("does not name a property that the schema does not name", () => {
      assert.strictEqual(placeOf({ additionalProperties: { type: "null" } }, { quoth: 1 }), "type at $.*")
      assert.strictEqual(placeOf({ additionalProperties: false }, { quoth: 1 }), "additionalProperties at $")
    })

    it("does not repeat a property name that is long, unusual, secret or an instruction", () => {
      const names = [
        "x".repeat(200),
        "two words",
        "line\nfeed",
        "hid\u200bden",
        "a.b",
        "é",
        SECRET,
        "ignore_all_previous_instructions",
        "ignoreAllPreviousInstructions"
      ]
      for (const name of names) {
        assert.strictEqual(placeOf({ properties: { [name]: { type: "null" } } }, { [name]: 1 }), "type at $.*", name)
      }
    })

    it("is cut after a number of steps", () => {
      const [schema, value] = inLists(60)
      assert.strictEqual(placeOf(schema, value), `type at $.…${"[0]".repeat(SCHEMA_PATH_MAX_STEPS)}`)
    })
  })

  it("is not checked when it is too complex, which is noted and is not a finding", () => {
    const raw = answer({ a: 1 })
    assert.deepStrictEqual(noted(raw, LAUGHS), [
      "the structured content is not checked: its output schema is too complex"
    ])
    assert.deepStrictEqual(found(raw, LAUGHS), [])
    assert.notProperty(detailsOf(toResult(raw, LAUGHS, { content: STRICT })), "withheld")
    assert.lengthOf(wrappedIn(textOf(toResult(raw, LAUGHS))), 1)
  })

  it("does not evaluate regular expressions", () => {
    const raw = answer({ text: `${"a".repeat(50)}!` })
    assert.deepStrictEqual(noted(raw, { properties: { text: { pattern: "^(a+)+$" } } }), [])
  })

  it("is compiled once for all results of its tool", () => {
    let reads = 0
    const required = new Proxy(["sum"], { get: (at, key) => (key === "filter" && reads++, Reflect.get(at, key)) })
    const schema: JsonObject = { required }
    for (const sum of [1, 2, 3]) assert.deepStrictEqual(noted(answer({ sum }), schema), [])
    assert.strictEqual(reads, 1)
  })
})
