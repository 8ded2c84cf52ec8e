import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { problemOf } from "../../../../src/layers/content/HostFeatures/fieldValue.ts"
import type { FieldFormat } from "../../../../src/schemas/content/FieldFormat.ts"
import type { JsonObject } from "../../../../src/schemas/data/Json.ts"
import { fieldsOf, questionOf, readLine } from "../../../../src/programs/cli/questions/form.ts"
import { quoted } from "../../../../src/programs/cli/output.ts"

const fieldOf = (schema: JsonObject, required = false) =>
  fieldsOf({ type: "object", properties: { f: schema }, ...(required && { required: ["f"] }) })[0]!

const headOf = (schema: JsonObject, required = false) => questionOf(fieldOf(schema, required))[0]!
const choicesOf = (schema: JsonObject) => questionOf(fieldOf(schema)).slice(1)

/** The value that a line stands for, or what is wrong with it. */
const typed = (schema: JsonObject, line: string) =>
  Result.match(readLine(fieldOf(schema), line), { onSuccess: (value) => value, onFailure: (problem) => problem })

const TITLED = {
  type: "string",
  oneOf: [
    { const: "r", title: "Red" },
    { const: "g", title: "Green" }
  ]
}
const LEGACY = { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }
const PLAIN = { type: "string", enum: ["r", "g"] }
const MANY = { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 }

describe("a form on a terminal", () => {
  it("a field shows its meaning, its possible values and the meaning of an empty line", () => {
    assert.strictEqual(headOf({ type: "string" }), "f (text)")
    assert.strictEqual(headOf({ type: "string", title: "City" }, true), "City (text, required)")
    assert.strictEqual(headOf({ type: "string", format: "email", default: "a@b" }), "f (email) [a@b]")
    assert.strictEqual(headOf({ type: "string", minLength: 2, maxLength: 9 }), "f (text 2 to 9 characters)")
    assert.strictEqual(headOf({ type: "integer", minimum: 1 }), "f (whole number at least 1)")
    assert.strictEqual(headOf({ type: "number", maximum: 5, default: 0 }), "f (number at most 5) [0]")
    assert.strictEqual(headOf({ type: "boolean", default: false }), "f (yes or no) [no]")
    assert.strictEqual(headOf(MANY, true), "f (some of these, separated by commas 1 to 2, required)")
  })

  it("choices are numbered, with their titles and, where these differ, their values", () => {
    assert.deepStrictEqual(choicesOf(TITLED), ["1. Red (r)", "2. Green (g)"])
    assert.deepStrictEqual(choicesOf(LEGACY), ["1. Red (r)", "2. Green (g)"])
    assert.deepStrictEqual(choicesOf(PLAIN), ["1. r", "2. g"])
    const manyTitled = { type: "array", items: { anyOf: TITLED.oneOf } }
    assert.deepStrictEqual(choicesOf(manyTitled), ["1. Red (r)", "2. Green (g)"])
  })

  it("a choice is made by number, value or title, and gives the value", () => {
    for (const schema of [TITLED, LEGACY]) {
      for (const line of ["2", "g", "Green", "green"]) assert.strictEqual(typed(schema, line), "g", line)
      for (const line of ["0", "3", "blue", "-1"])
        assert.match(String(typed(schema, line)), /must be one of the choices/)
    }
    const numbers = { type: "string", enum: ["2", "1"] }
    assert.strictEqual(typed(numbers, "1"), "1", "a value comes before a number of the list")
  })

  it("several choices are made with commas, each once, and as many as there may be", () => {
    assert.deepStrictEqual(typed(MANY, "1, c"), ["a", "c"])
    assert.deepStrictEqual(typed(MANY, "a,1"), ["a"])
    assert.match(String(typed(MANY, "1,2,3")), /must be 1 to 2 of the choices/)
    assert.match(String(typed(MANY, "a,,b")), /must be some of the choices/)
  })

  it("yes and no are understood in the usual ways", () => {
    for (const line of ["y", "YES", "true", "on"]) assert.strictEqual(typed({ type: "boolean" }, line), true)
    for (const line of ["n", "No", "false", "off"]) assert.strictEqual(typed({ type: "boolean" }, line), false)
    assert.strictEqual(typed({ type: "boolean" }, "maybe"), "must be yes or no")
  })

  it("numbers are numbers, within their bounds", () => {
    assert.strictEqual(typed({ type: "number" }, "-1.5e2"), -150)
    assert.strictEqual(typed({ type: "integer", minimum: 1, maximum: 3 }, "3"), 3)
    for (const line of ["x", "0x10", "Infinity", "1e999", "1,5"]) {
      assert.strictEqual(typed({ type: "number" }, line), "must be a number", line)
    }
    assert.strictEqual(typed({ type: "integer" }, "1.5"), "must be a whole number")
    assert.strictEqual(typed({ type: "number", minimum: 1, maximum: 3 }, "4"), "must be a number 1 to 3")
  })

  it("texts have their length and their form", () => {
    assert.strictEqual(typed({ type: "string" }, "3"), "3")
    assert.strictEqual(typed({ type: "string", maxLength: 2 }, "😀😀"), "😀😀")
    assert.strictEqual(typed({ type: "string", minLength: 2 }, "a"), "must have at least 2 characters")
    assert.strictEqual(typed({ type: "string", format: "hasOwnProperty" }, "anything"), "anything")
    assert.match(
      String(typed({ type: "string", format: "date" }, "no")),
      /^must have the form date, such as 2026-01-31$/
    )
  })

  const SAME: ReadonlyArray<readonly [FieldFormat, string, boolean]> = [
    ["date", "2026-02-28", true],
    ["date", "2026-02-31", false],
    ["date-time", "2026-01-31T12:00:00Z", true],
    ["date-time", "2026-01-31 12:00:00Z", true],
    ["date-time", "2026-01-31T12:00", false],
    ["date-time", "2026-01-31T12:00:00", false],
    ["date-time", "2026-01-31T12:00:00+0100", false],
    ["email", "a@b.c", true],
    ["email", "a\u0001@b.c", false],
    ["uri", "https://a.example", true],
    ["uri", "no", false]
  ]
  for (const [format, text, fits] of SAME) {
    it(`${JSON.stringify(text)} as ${format}: the terminal ${fits ? "takes" : "refuses"} it, as does the host that sends it`, () => {
      assert.strictEqual(Result.isSuccess(readLine(fieldOf({ type: "string", format }), text)), fits)
      assert.strictEqual(problemOf(text, { type: "string", format }) === undefined, fits)
    })
  }

  it("survives any schema", () => {
    const properties = { a: 1, b: null, c: [], d: { type: ["x"], enum: 3, default: {} }, e: { type: "array" } }
    const fields = fieldsOf({ type: "object", properties: properties as unknown as JsonObject, required: "a" })
    assert.lengthOf(fields, 5)
    for (const field of fields) {
      questionOf(field)
      readLine(field, "x")
    }
    assert.isEmpty(fieldsOf({}))
  })

  it("titles and choices stay on one line and cannot move the cursor", () => {
    const nasty = { type: "string", title: "a\n> b\u001b[2J", description: "c\nd", default: "x\ny" }
    assert.deepStrictEqual(questionOf(fieldOf(nasty)), ["a > b[2J (text) [x y]", "c d"])
  })
})

describe("a stranger's text", () => {
  it("has a bar before each of its rows, also where the terminal would break the line", () => {
    const rows = quoted(`one\n\n${"x".repeat(50)}`, 30).split("\n")
    assert.lengthOf(rows, 4)
    for (const row of rows) assert.match(row, /^ {2}│(?: |$)/)
    for (const row of rows) assert.isBelow(row.length, 30)
  })

  it("wide characters count twice", () => {
    for (const row of quoted("漢".repeat(40), 30).split("\n")) assert.isAtMost(row.length, 4 + 12)
  })

  it("has no characters that move a cursor", () => {
    assert.strictEqual(quoted("a\u001b[2Jb\r\tc", 80), "  │ a[2Jb  c")
  })
})
