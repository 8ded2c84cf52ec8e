/** Forms of servers' questions. */
import { assert, describe, it } from "@effect/vitest"
import { contentOf, fieldsOf } from "../../../../../src/programs/ui/page/views/Questions/form.ts"

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", description: "As on your card", minLength: 2, maxLength: 20 },
    mail: { type: "string", format: "email" },
    when: { type: "string", format: "date-time" },
    age: { type: "integer", minimum: 0 },
    sure: { type: "boolean", default: true },
    one: { type: "string", enum: ["a", "b"], enumNames: ["first", "second"] },
    titled: { type: "string", oneOf: [{ const: "x", title: "An x" }] },
    many: { type: "array", items: { anyOf: [{ const: "p", title: "P" }, { const: "q" }] } },
    preset: { type: "string", default: "kept" }
  },
  required: ["name"]
}

const entered =
  (values: Readonly<Record<string, ReadonlyArray<string>>>) =>
  (name: string): ReadonlyArray<string> =>
    values[name] ?? [""]

describe("the form of a server's question", () => {
  const fields = fieldsOf(SCHEMA)
  const of = (name: string) => fields.find((field) => field.name === name)!

  it("has a field for each property, with what the schema says of it", () => {
    assert.deepStrictEqual(
      fields.map(({ name }) => name),
      Object.keys(SCHEMA.properties)
    )
    assert.deepInclude(of("name"), {
      title: "Your name",
      description: "As on your card",
      isRequired: true,
      min: 2,
      max: 20
    })
    assert.deepStrictEqual(of("mail").kind, { type: "text", input: "email" })
    assert.deepStrictEqual(of("when").kind, { type: "text", input: "datetime-local" })
    assert.deepStrictEqual(of("age").kind, { type: "number", isWhole: true })
    assert.deepStrictEqual(of("one").kind, {
      type: "one",
      choices: [
        { value: "a", title: "first" },
        { value: "b", title: "second" }
      ]
    })
    assert.deepStrictEqual(of("titled").kind, { type: "one", choices: [{ value: "x", title: "An x" }] })
    assert.deepStrictEqual(of("many").kind, {
      type: "many",
      choices: [
        { value: "p", title: "P" },
        { value: "q", title: "q" }
      ]
    })
  })

  it("sends values of the kinds that the schema asks for, and leaves out what is empty", () => {
    assert.deepStrictEqual(
      contentOf(fields, entered({ name: ["Ada"], age: ["36"], sure: ["on"], many: ["p", "q"], preset: ["kept"] })),
      { name: "Ada", age: 36, sure: true, many: ["p", "q"], preset: "kept" }
    )
  })

  it("says of an emptied field that not even its default is meant", () => {
    const { preset, sure } = contentOf(fields, entered({ name: ["Ada"], sure: [], many: [] }))
    assert.isNull(preset)
    assert.isFalse(sure)
  })

  it("of a schema that is none has no fields", () => {
    for (const schema of [{}, { properties: 1 }, { properties: [] }]) assert.isEmpty(fieldsOf(schema as never))
    assert.doesNotThrow(() =>
      fieldsOf({ properties: { a: null, b: { enum: [1, null] }, c: { type: "array", items: 3 } } })
    )
  })

  it("takes no name of the language for a format", () => {
    assert.deepStrictEqual(fieldsOf({ properties: { a: { type: "string", format: "constructor" } } })[0]?.kind, {
      type: "text",
      input: "text"
    })
  })
})
