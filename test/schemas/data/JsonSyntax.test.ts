import { assert, describe, it } from "@effect/vitest"
import { isJson, isJsonInTurns } from "../../../src/schemas/data/JsonSyntax.ts"
import { generator } from "../../support/random.ts"

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const agree = (text: string) => assert.strictEqual(isJson(Buffer.from(text)), parses(text), JSON.stringify(text))

describe("isJson", () => {
  it("agrees with JSON.parse for valid and nearly valid texts", () => {
    const texts = [
      "0",
      "-0",
      "01",
      "-",
      "1.",
      ".5",
      "1.5e",
      "1.5e+",
      "1.5e+3",
      "1E400",
      "+1",
      "0x1",
      "1 2",
      "NaN",
      "Infinity",
      "true",
      "tru",
      "truex",
      "nul",
      "null ",
      "\u00a0null",
      "\ufeffnull",
      "\tnull\r\n",
      "",
      " ",
      '""',
      '"',
      '"\\"',
      '"\\""',
      '"\\x41"',
      '"\\u12g4"',
      '"\\u1234"',
      '"\\u123',
      '"a\nb"',
      '"a\u007fb"',
      '"\\/"',
      "'a'",
      "[]",
      "[ ]",
      "[1]",
      "[1,]",
      "[,1]",
      "[1 2]",
      "[1,,2]",
      "[",
      "]",
      "[]]",
      "[[]",
      "[1,[2,[3]]]",
      "[}",
      "{]",
      "{}",
      "{ }",
      '{"a":1}',
      '{"a":1,}',
      '{"a"}',
      '{"a":}',
      '{"a" : [ {} , 1 ] , "b":null}',
      "{a:1}",
      '{"a":1 "b":2}',
      "{,}",
      '{"a":1}}',
      '{"a":{"b":[{"c":"d"}]}}',
      "{1:2}",
      "// x\n1",
      "[1]//"
    ]
    for (const text of texts) agree(text)
  })

  it("agrees with JSON.parse for random texts", () => {
    const { below, pick } = generator(7)
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "1",
      "-",
      ".5",
      "e",
      "true",
      "null",
      " ",
      "\n",
      "\\",
      "\\u00e9"
    ]
    for (let round = 0; round < 20_000; round++) {
      const length = 1 + below(8)
      agree(Array.from({ length }, () => pick(pieces)).join(""))
    }
  })

  it("accepts four million levels, and finds one wrong bracket", () => {
    const depth = 4_000_000
    const deep = Buffer.concat([Buffer.alloc(depth, "["), Buffer.alloc(depth, "]")])
    assert.isTrue(isJson(deep))
    assert.isFalse(isJson(deep.subarray(0, -1)))
    const objects = Buffer.from('{"":'.repeat(100_000) + "1" + "}".repeat(100_000))
    assert.isTrue(isJson(objects))
    objects[objects.length - 50_000] = "]".charCodeAt(0)
    assert.isFalse(isJson(objects))
  })

  it.each([
    ["many values", Buffer.from(`[${"{},".repeat(1_000_000)}1]`)],
    ["many brackets", Buffer.concat([Buffer.alloc(1_500_000, "["), Buffer.alloc(1_500_000, "]")])],
    ["many strings", Buffer.from(`[${'"a",'.repeat(750_000)}1]`)]
  ])("leaves turns to others in a text of %s", (_, bytes) => {
    let turns = 0
    const work = isJsonInTurns(bytes)
    while (work.next().done !== true) turns++
    assert.isAtLeast(turns, bytes.length / (128 * 1024))
  })
})
