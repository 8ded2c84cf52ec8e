import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { fieldOf, numberOf, parseJson } from "../../../../src/layers/secret/SecretResolver/jsonField.ts"

const take = (text: string, key: string) => Result.flatMap(parseJson(text), (object) => fieldOf(object, key))
const problem = (text: string, key: string) => Result.getOrThrow(Result.flip(take(text, key)))

describe("a field of a JSON object", () => {
  const TAKEN: ReadonlyArray<readonly [text: string, expected: string]> = [
    [`{"k":"v"}`, "v"],
    [`{"k":""}`, ""],
    [`{"k":"1","k":"2"}`, "2"],
    [`{"k":12345678901234567890}`, "12345678901234567890"],
    [`{"k":1.50}`, "1.50"],
    [`{"k":1e400}`, "1e400"],
    [`{"k":-0}`, "-0"],
    [`{"k":true}`, "true"],
    [`{"k":{"a":[1.0,"x",null,false]}}`, `{"a":[1.0,"x",null,false]}`],
    [`{"k":[ ]}`, "[]"],
    [`{"k":{"rawJSON":"1"}}`, `{"rawJSON":"1"}`]
  ]
  for (const [text, expected] of TAKEN) {
    it(`is read as text: ${text}`, () => assert.strictEqual(Result.getOrThrow(take(text, "k")), expected))
  }

  it("is an own property, whatever its name", () => {
    assert.strictEqual(Result.getOrThrow(take(`{"__proto__":"a"}`, "__proto__")), "a")
    assert.strictEqual(problem("{}", "constructor"), "it has no such field; it has none")
    assert.strictEqual(problem("{}", "__proto__"), "it has no such field; it has none")
  })

  it("that is missing fails without showing the object", () => {
    assert.strictEqual(problem(`{"user":"alice"}`, "k"), "it has no such field; it has 1, of another name")
    assert.strictEqual(problem(`{"a":1,"b":2}`, "k"), "it has no such field; it has 2, of other names")
    assert.strictEqual(problem(`{"k":null}`, "k"), "the field is null")
    for (const text of ["[1]", `"k"`, "null", "7", "true"]) assert.match(problem(text, "k"), /^it is not a JSON object/)
    for (const text of ["", "hunter2", `{"k":`, "{'k':1}"]) assert.strictEqual(problem(text, "k"), "it is not JSON")
  })

  it("that is nested too deep fails", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
    assert.match(problem(`{"k":${deep}}`, "k"), /^(?:it is not JSON|the field is nested too deeply)$/)
  })

  it("that is a number is read as one, and other types are NaN", () => {
    const object = Result.getOrThrow(parseJson(`{"n":600,"s":"600","o":{"rawJSON":"600"}}`)) as Record<string, unknown>
    assert.deepStrictEqual([numberOf(object["n"]), numberOf(object["s"]), numberOf(object["o"])], [600, NaN, NaN])
  })
})
