import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import {
  decodeAll,
  decodePrompt,
  decodeResource,
  decodeTool,
  type Decoded,
  type ToolDefinition,
  makeDecoding
} from "../../../src/schemas/connection/Catalogue.ts"

const tool = (fields: Readonly<Record<string, unknown>> = {}) => ({
  name: "t",
  inputSchema: { type: "object" },
  ...fields
})
const decodeTools = (raw: ReadonlyArray<unknown>) => decodeAll(raw, decodeTool, (definition) => definition.name)
const value = <A>(decoded: Decoded<A>): A => {
  if (!decoded.ok) throw new Error(decoded.reason)
  return decoded.value
}
const reason = (decoded: Decoded<unknown>) => (decoded.ok ? "accepted" : decoded.reason)

const nested = (depth: number): unknown =>
  depth === 0 ? { type: "string" } : { type: "object", items: nested(depth - 1) }

describe("decodeTool", () => {
  it("keeps what a definition says", () => {
    const annotations = { readOnlyHint: true }
    const inputSchema = { type: "object", properties: { path: { type: "string" } } }
    const outputSchema = { type: "array" }
    assert.deepStrictEqual(
      value(decodeTool({ name: "read", title: "Read", description: "d", inputSchema, outputSchema, annotations })),
      {
        name: "read",
        title: "Read",
        description: "d",
        inputSchema,
        outputSchema,
        annotations,
        taskSupport: "forbidden"
      } as ToolDefinition
    )
  })

  it("what is missing or of the wrong type is as if it were not there", () => {
    assert.deepStrictEqual(value(decodeTool(tool({ title: 1, description: [], annotations: "x" }))), {
      name: "t",
      title: undefined,
      description: "",
      inputSchema: { type: "object" },
      outputSchema: undefined,
      annotations: undefined,
      taskSupport: "forbidden"
    })
  })

  it("says whether a tool can, or must, be called as a task; a word it does not know means no", () => {
    const support = (execution: unknown) => value(decodeTool(tool({ execution }))).taskSupport
    assert.strictEqual(support({ taskSupport: "required" }), "required")
    assert.strictEqual(support({ taskSupport: "optional" }), "optional")
    for (const other of [{ taskSupport: "always" }, {}, null, "required", undefined]) {
      assert.strictEqual(support(other), "forbidden")
    }
  })

  it("a blank title gives way to the title of the annotations", () => {
    assert.strictEqual(value(decodeTool(tool({ title: " ", annotations: { title: "Read" } }))).title, "Read")
  })

  it("a tool without an input schema has no parameters, one whose schema cannot be used is refused, and both are told", () => {
    for (const raw of [{ name: "t" }, { name: "t", inputSchema: null }]) {
      assert.deepStrictEqual(value(decodeTool(raw)).inputSchema, { type: "object", properties: {} })
      const decoding = makeDecoding(decodeTool, ({ name }) => name)
      decoding.add(raw)
      assert.deepStrictEqual(decoding.decoded().diagnostics, [
        'tool "t" has no inputSchema: it is taken as one without parameters'
      ])
    }
    assert.strictEqual(reason(decodeTool(tool({ inputSchema: [] }))), 'tool "t": its inputSchema is not an object')
    assert.strictEqual(reason(decodeTool(tool({ inputSchema: true }))), 'tool "t": its inputSchema is not an object')
  })

  it("an input schema may leave out that it is an object's, and may not say otherwise", () => {
    assert.isTrue(decodeTool(tool({ inputSchema: {} })).ok)
    assert.strictEqual(
      reason(decodeTool(tool({ inputSchema: { type: "array" } }))),
      'tool "t": its inputSchema has the type "array" instead of "object"'
    )
    assert.include(reason(decodeTool(tool({ inputSchema: { type: ["object", "null"] } }))), "instead of")
  })

  it("a schema that is too deep or too large is refused, in bytes rather than characters", () => {
    assert.isTrue(decodeTool(tool({ inputSchema: nested(31) })).ok)
    assert.include(reason(decodeTool(tool({ inputSchema: nested(32) }))), "deeper than 32")
    assert.include(reason(decodeTool(tool({ inputSchema: nested(5000) }))), "deeper than 32")
    const large = (text: string) => tool({ inputSchema: { type: "object", description: text } })
    assert.isTrue(decodeTool(large("a".repeat(60_000))).ok)
    assert.include(reason(decodeTool(large("a".repeat(70_000)))), "larger than 64 KiB")
    assert.include(reason(decodeTool(large("日".repeat(30_000)))), "larger than 64 KiB")
  })

  it("an unusable output schema costs the schema, not the tool", () => {
    assert.isUndefined(value(decodeTool(tool({ outputSchema: nested(100) }))).outputSchema)
    assert.isUndefined(value(decodeTool(tool({ outputSchema: "x" }))).outputSchema)
  })

  it("unbounded annotations are dropped", () => {
    assert.isUndefined(value(decodeTool(tool({ annotations: nested(10) }))).annotations)
  })

  it("a name must be there and have a length that can be handled", () => {
    for (const name of [undefined, 1, "", "  \n", {}]) {
      assert.strictEqual(reason(decodeTool(tool({ name }))), "a tool without a name")
    }
    assert.include(reason(decodeTool(tool({ name: "x".repeat(1025) }))), "too long")
    assert.isTrue(decodeTool(tool({ name: "__proto__" })).ok)
  })

  it.prop("no JSON makes it throw", [Arbitrary.schema(Schema.Json)], ([json]) => {
    for (const raw of [json, tool({ inputSchema: json, outputSchema: json, annotations: json, name: json })]) {
      decodeTool(raw)
      decodePrompt(raw)
      decodeResource("uri")(raw)
    }
  })
})

describe("decodeAll", () => {
  it("a bad tool costs only itself and leaves a diagnostic", () => {
    const { values, diagnostics } = decodeTools([
      tool({ name: "a" }),
      null,
      7,
      { name: "b", inputSchema: "no" },
      tool({ name: "c" })
    ])
    assert.deepStrictEqual(
      values.map(({ name }) => name),
      ["a", "c"]
    )
    assert.deepStrictEqual(diagnostics, [
      "left out a tool that is not an object",
      "left out a tool that is not an object",
      'left out tool "b": its inputSchema is not an object'
    ])
  })

  it("of two tools of one name the first is kept", () => {
    const { values, diagnostics } = decodeTools([tool({ description: "1" }), tool({ description: "2" })])
    assert.deepStrictEqual(
      values.map(({ description }) => description),
      ["1"]
    )
    assert.deepStrictEqual(diagnostics, ['left out a second "t"'])
  })

  it("names of object internals are ordinary names", () => {
    const { values, diagnostics } = decodeTools(["__proto__", "constructor", "toString"].map((name) => tool({ name })))
    assert.strictEqual(values.length, 3)
    assert.deepStrictEqual(diagnostics, [])
  })

  it("a diagnostic quotes a name on one line, short and with nothing invisible in it", () => {
    const [long, hidden] = decodeTools([
      { name: "x".repeat(1000) },
      { name: "a\nb\u202e\u{e0041}\u2028\u001b[31m" }
    ]).diagnostics
    assert.isBelow(long!.length, 150)
    assert.match(hidden!, /^[\x20-\x7e]+$/)
  })
})

describe("decodeResource and decodePrompt", () => {
  it("a resource is known by its URI and named by it when it has no name", () => {
    assert.deepStrictEqual(value(decodeResource("uri")({ uri: "file:///a", name: "" })), {
      uri: "file:///a",
      name: "file:///a",
      title: undefined,
      description: "",
      mimeType: undefined,
      size: undefined
    })
    assert.include(reason(decodeResource("uriTemplate")({ uri: "file:///a" })), "uriTemplate")
    assert.include(reason(decodeResource("uri")({ uri: "x".repeat(9000) })), "uri")
  })

  it("of a prompt's arguments the usable ones are kept", () => {
    const raw = {
      name: "p",
      arguments: [null, { name: "a", required: true }, { name: 1 }, { name: "b", required: "yes" }]
    }
    assert.deepStrictEqual(value(decodePrompt(raw)).arguments, [
      { name: "a", description: "", required: true },
      { name: "b", description: "", required: false }
    ])
    assert.deepStrictEqual(value(decodePrompt({ name: "p", arguments: "x" })).arguments, [])
    assert.isFalse(decodePrompt({ name: " " }).ok)
  })
})
