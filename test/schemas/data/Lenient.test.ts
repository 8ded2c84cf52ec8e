import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { eachValid, ifValid, Members, reader } from "../../../src/schemas/data/Lenient.ts"

describe("lenient decoding", () => {
  const read = reader(Schema.Struct({ id: Schema.String, size: ifValid(Schema.Finite), about: ifValid(Members) }))

  it("leaves out optional fields that are invalid", () => {
    assert.deepStrictEqual(read({ id: "a", size: 1, about: { b: [1] }, more: true }), {
      id: "a",
      size: 1,
      about: { b: [1] }
    })
    assert.deepStrictEqual(read({ id: "a", size: "1", about: null }), { id: "a" })
    assert.deepStrictEqual(read({ id: "a" }), { id: "a" })
  })

  it("is undefined without a required field", () => {
    for (const given of [{}, { id: 1 }, null, undefined, "id", 7]) assert.isUndefined(read(given))
  })

  it("reads a list item by item, up to a number of items", () => {
    const items = [{ id: "a" }, null, { id: 1 }, { id: "b" }, { id: "c" }]
    assert.deepStrictEqual(eachValid(items, read), [{ id: "a" }, { id: "b" }, { id: "c" }])
    assert.deepStrictEqual(eachValid(items, read, 4), [{ id: "a" }, { id: "b" }])
    assert.deepStrictEqual(eachValid({ length: 1 }, read), [])
  })
})
