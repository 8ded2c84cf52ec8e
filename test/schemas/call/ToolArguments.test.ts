import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { WORDS_MAX } from "../../../src/schemas/defaults/CallLimits.ts"
import { LISTENER_CALL_MAX_PARTS } from "../../../src/schemas/defaults/Listener.ts"
import {
  parseLine,
  parseObject,
  parsePairs,
  parseTextLine,
  parseTextObject,
  parseTextPairs,
  splitWords
} from "../../../src/schemas/call/ToolArguments.ts"

const failure = (result: Result.Result<unknown, string>) => (Result.isFailure(result) ? result.failure : "no failure")

describe("ToolArguments", () => {
  it("key=value words are JSON where they parse as JSON, and text otherwise", () => {
    assert.deepStrictEqual(
      parsePairs(["path=/tmp", "count=3", "deep=true", 'list=["a"]', 'quoted="3"', "query=a=b", "empty=", "zip=007"]),
      Result.succeed({
        path: "/tmp",
        count: 3,
        deep: true,
        list: ["a"],
        quoted: "3",
        query: "a=b",
        empty: "",
        zip: "007"
      })
    )
  })

  it("a word without '=', or without a key, is named in the error", () => {
    assert.include(failure(parsePairs(["path=a", "oops"])), "'oops'")
    assert.include(failure(parsePairs(["=value"])), "'=value'")
  })

  it("a key given twice is refused", () => {
    assert.include(failure(parsePairs(["a=1", "a=2"])), "'a' is given twice")
  })

  it("a key named __proto__ is an ordinary key", () => {
    const args = Result.getOrThrow(parsePairs(['__proto__={"polluted":true}']))
    assert.isTrue(Object.hasOwn(args, "__proto__"))
    assert.notProperty({}, "polluted")
    assert.isUndefined((args as { readonly polluted?: unknown }).polluted)
  })

  it("an object is read as JSON, and other JSON is refused", () => {
    assert.deepStrictEqual(parseObject('{"a":[1,2]}'), Result.succeed({ a: [1, 2] }))
    assert.include(failure(parseObject("[1]")), "JSON object")
    assert.include(failure(parseObject("3")), "JSON object")
    assert.include(failure(parseObject('{"a":')), "not JSON")
    assert.match(failure(parseObject("{'a': 1}")), /not JSON: Expected property name or '}', found 'a': 1}$/)
    assert.match(failure(parseObject('{"a": 1')), /not JSON: Expected ',' or '}' after property value, found the end$/)
    assert.match(failure(parseObject('{"a": 1}\n}')), /after JSON, found }$/)
    assert.match(failure(parseObject(`{${"x".repeat(100)}`)), /, found x{20}$/)
  })

  it("JSON that is nested too deeply is refused", () => {
    const deep = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`
    assert.include(failure(parseObject(deep)), "nested too deeply")
  })

  it("a line is one JSON object, words or empty", () => {
    assert.deepStrictEqual(parseLine("  "), Result.succeed({}))
    assert.deepStrictEqual(parseLine(' {"text": "a b"} '), Result.succeed({ text: "a b" }))
    assert.deepStrictEqual(
      parseLine(`text="a b" other='c "d"' list=["x y", {"z": "]"}] n=1`),
      Result.succeed({ text: "a b", other: 'c "d"', list: ["x y", { z: "]" }], n: 1 })
    )
  })

  it("the arguments of a prompt are strings, whatever they look like", () => {
    const words = ["count=3", "deep=true", 'list=["a"]', "empty="]
    assert.deepStrictEqual(
      parseTextPairs(words),
      Result.succeed({ count: "3", deep: "true", list: '["a"]', empty: "" })
    )
    assert.deepStrictEqual(parseTextLine(`a="x y" b=3`), Result.succeed({ a: "x y", b: "3" }))
    assert.deepStrictEqual(
      parseTextLine(`{"a": "x", "b": 3, "c": false}`),
      Result.succeed({ a: "x", b: "3", c: "false" })
    )
    assert.deepStrictEqual(parseTextLine(""), Result.succeed({}))
    assert.include(failure(parseTextObject('{"a":"b","c":{}}')), "'c' must be a text")
    assert.include(failure(parseTextObject('{"n":null}')), "'n' must be a text")
    assert.include(failure(parseTextPairs(["a=1", "a=2"])), "'a' is given twice")
  })

  it("an unclosed quote or bracket is named in the error", () => {
    assert.include(failure(splitWords('a="b')), "quote is not closed")
    assert.include(failure(splitWords("a=[1, 2")), "bracket is not closed")
  })

  it("a line with too many words is refused", () => {
    const line = Array.from({ length: 120_000 }, (_, index) => `${index}=1`).join(" ")
    for (const parse of [parseLine, parseTextLine]) assert.include(failure(parse(line)), `more than ${WORDS_MAX} words`)
  })

  it("JSON on a line has the same limit of parts as a client's call", () => {
    const wide = `[${"[],".repeat(LISTENER_CALL_MAX_PARTS)}[]]`
    assert.include(failure(parseLine(`{"a":${wide}}`)), "too large")
    assert.include(failure(parseTextLine(`{"a":${wide}}`)), "too large")
    assert.deepStrictEqual(parseLine(`a=${wide}`), Result.succeed({ a: wide }))
    assert.isTrue(Result.isSuccess(parseObject(`{"a":${wide}}`)))
  })

  it.effect.prop("quoted words are read back unchanged", [Schema.Array(Schema.String)], ([words]) =>
    Effect.sync(() => {
      const line = words.map((word) => `"${word.replace(/["\\]/g, "\\$&")}"`).join(" ")
      assert.deepStrictEqual(splitWords(line), Result.succeed(words))
    })
  )
})
