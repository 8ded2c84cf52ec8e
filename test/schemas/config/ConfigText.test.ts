import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseConfigText } from "../../../src/schemas/config/ConfigText.ts"

const problem = (text: string) => {
  const parsed = parseConfigText(text)
  return Result.isFailure(parsed) ? `${parsed.failure.line}: ${parsed.failure.message}` : "no problem"
}

describe("parseConfigText", () => {
  it("reads JSON5: comments, single quotes, trailing commas, unquoted keys, a byte order mark", () => {
    const { value } = Result.getOrThrow(parseConfigText("\ufeff// c\n{ a: 'b', /* d */ \"e\": [+1, .5, 0x10,], }"))
    assert.deepEqual(value, { a: "b", e: [1, 0.5, 16] })
  })

  it("gives the line of a syntax error", () => {
    assert.strictEqual(problem("{\n  a: 1\n  b: 2\n}"), "3: syntax error: unexpected character 'b' at column 3")
    assert.strictEqual(problem("{ a: tru }"), "1: syntax error: unexpected character ' ' at column 9, in tru")
    assert.strictEqual(problem("{ a: sk-12 }"), "1: syntax error: unexpected character 's' at column 6")
    assert.strictEqual(problem("{ a: }"), "1: syntax error: unexpected character '}' at column 6")
    assert.strictEqual(problem("{}\n\n{}"), "3: syntax error: unexpected character '{' at column 1")
  })

  it("reports an unclosed string at its own line", () => {
    const message = "syntax error: the line ends inside a string, is a quote missing?"
    assert.strictEqual(problem('{\n  "a": "b,\n  "c": 1\n}'), `2: ${message}`)
  })

  it("reports a text that ends too early at its end", () => {
    const message = "syntax error: the file ends too early, is a bracket or a quote missing?"
    assert.strictEqual(problem("{\n a: [1,\n"), `3: ${message}`)
    assert.strictEqual(problem("// only a comment"), `1: ${message}`)
    assert.strictEqual(problem("{ a: 'b"), `1: ${message}`)
  })

  it("reports an empty text", () => {
    assert.strictEqual(problem(""), "0: is empty")
    assert.strictEqual(problem(" \n\ufeff"), "0: is empty")
  })

  it("refuses NUL bytes", () => {
    assert.strictEqual(problem('{\n"a": "\0" }'), "2: contains NUL bytes: is it a text file, saved as UTF-8?")
  })
})
