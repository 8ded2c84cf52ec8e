import { assert, describe, it } from "@effect/vitest"
import {
  CustomHeaders,
  customHeadersOf
} from "../../../../../src/layers/connection/ServerConnector/http/customHeaders.ts"
import type { JsonObject } from "../../../../../src/schemas/data/Json.ts"

const property = (schema: JsonObject): JsonObject => ({ type: "object", properties: { value: schema } })
const annotated = (header: JsonObject[string], type: JsonObject[string] = "string") => ({
  type,
  "x-mcp-header": header
})
const tool = (name: string, inputSchema: JsonObject) => ({ name, inputSchema })

/** The headers of a call of a tool that wants its parameter `value` in one. */
const headersOf = (args: JsonObject, schema: JsonObject = annotated("V")) => {
  const customHeaders = new CustomHeaders()
  customHeaders.decode(tool("t", property(schema)))
  return customHeaders.headersFor({ name: "t", arguments: args })
}

describe("x-mcp-header: a tool is refused for", () => {
  const refused: Readonly<Record<string, JsonObject>> = {
    "an empty name": property(annotated("")),
    "a name that is no text": property(annotated(7)),
    "a name with a blank": property(annotated("My Region")),
    "a name with a colon": property(annotated("Region:Primary")),
    "a name with a line break": property(annotated("Region\r\nX-Evil: 1")),
    "a name that is not ASCII": property(annotated("Région")),
    "a number": property(annotated("V", "number")),
    "an object": property(annotated("V", "object")),
    "a list": property(annotated("V", "array")),
    "a type among others": property(annotated("V", ["string", "null"])),
    "no type": property({ "x-mcp-header": "V" }),
    "the same name twice, in another case": {
      properties: { a: annotated("Region"), b: annotated("region") }
    },
    "the arguments themselves": { type: "object", "x-mcp-header": "V" },
    "an item of a list": property({ type: "array", items: annotated("V") }),
    "an alternative": property({ anyOf: [annotated("V"), { type: "integer" }] }),
    "a condition": { if: { properties: { a: annotated("V") } } },
    "a definition": { $defs: { d: annotated("V") } },
    "a pattern of names": { patternProperties: { "^x": annotated("V") } },
    "below a list": property({ items: { properties: { a: annotated("V") } } })
  }
  for (const [what, schema] of Object.entries(refused)) {
    it(`${what}`, () => {
      assert.isString(customHeadersOf(schema))
      const decoded = new CustomHeaders().decode(tool("bad", schema))
      assert.isTrue(!decoded.ok && decoded.reason.includes('"bad"') && decoded.reason.includes("x-mcp-header"))
    })
  }

  it("a hostile name, and the reason is on one line", () => {
    const decoded = new CustomHeaders().decode(tool("a\nb", property(annotated(""))))
    assert.isTrue(!decoded.ok && !decoded.reason.includes("\n"))
  })

  it("no property that only looks like an annotation", () => {
    for (const schema of [
      { properties: { "x-mcp-header": { type: "string" } } },
      property({ type: "object", default: { "x-mcp-header": "" } }),
      property({ enum: [{ "x-mcp-header": "" }] })
    ]) {
      assert.deepStrictEqual(customHeadersOf(schema), [])
    }
  })
})

describe("x-mcp-header: values", () => {
  const values: ReadonlyArray<readonly [string, JsonObject[string], string | undefined]> = [
    ["text as it is", "us west 1", "us west 1"],
    ["a tab within", "a\tb", "a\tb"],
    ["an integer", -7, "-7"],
    ["a fraction", 3.5, "3.5"],
    ["true", true, "true"],
    ["other alphabets, encoded", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["blanks around, encoded", " padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line breaks, encoded", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["what looks encoded, encoded", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["nothing, encoded", "", "=?base64??="],
    ["null, not at all", null, undefined],
    ["an integer that is not safe, not at all", 2 ** 53, undefined],
    ["a value of another type, not at all", ["us-west1"], undefined]
  ]
  for (const [what, value, header] of values) {
    it(what, () => {
      assert.deepStrictEqual(headersOf({ value }), header === undefined ? {} : { "Mcp-Param-V": header })
    })
  }

  it("are read from own properties at the exact path", () => {
    const deep = { type: "object", properties: { zone: annotated("Zone") } }
    assert.deepStrictEqual(headersOf({ value: { zone: "a" } }, deep), { "Mcp-Param-Zone": "a" })
    assert.deepStrictEqual(headersOf({ value: "zone" }, deep), {})
    const inherited = new CustomHeaders()
    inherited.decode(tool("t", { properties: { constructor: { properties: { name: annotated("Name") } } } }))
    assert.deepStrictEqual(inherited.headersFor({ name: "t", arguments: {} }), {})
  })

  it("are encoded when they are a million characters long", () => {
    const long = `${"a".repeat(1_000_000)}\n`
    assert.isTrue(headersOf({ value: long })?.["Mcp-Param-V"]?.startsWith("=?base64?"))
  })
})

describe("x-mcp-header: changed tools", () => {
  it("use the annotations of the latest list", () => {
    const customHeaders = new CustomHeaders()
    const call = { name: "t", arguments: { value: "a" } }
    customHeaders.decode(tool("t", property(annotated("One"))))
    customHeaders.decode(tool("t", property(annotated("Two"))))
    assert.deepStrictEqual(customHeaders.headersFor(call), { "Mcp-Param-Two": "a" })
    customHeaders.decode(tool("t", property({ type: "string" })))
    assert.isUndefined(customHeaders.headersFor(call))
  })

  it("are remembered up to a limit, the latest first", () => {
    const customHeaders = new CustomHeaders()
    for (let n = 0; n < 5_000; n++) customHeaders.decode(tool(`t${n}`, property(annotated("V"))))
    assert.isUndefined(customHeaders.headersFor({ name: "t0", arguments: { value: "a" } }))
    assert.isDefined(customHeaders.headersFor({ name: "t4999", arguments: { value: "a" } }))
  })

  it("send no headers for malformed calls", () => {
    const customHeaders = new CustomHeaders()
    for (const params of [undefined, {}, { name: 7 }, { name: "__proto__" }])
      assert.isUndefined(customHeaders.headersFor(params))
  })
})
