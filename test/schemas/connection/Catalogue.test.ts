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
  it("keeps the fields of a definition", () => {
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

  it("ignores fields that are missing or of the wrong type", () => {
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

  it("reads taskSupport, and an unknown value means forbidden", () => {
    const support = (execution: unknown) => value(decodeTool(tool({ execution }))).taskSupport
    assert.strictEqual(support({ taskSupport: "required" }), "required")
    assert.strictEqual(support({ taskSupport: "optional" }), "optional")
    for (const other of [{ taskSupport: "always" }, {}, null, "required", undefined]) {
      assert.strictEqual(support(other), "forbidden")
    }
  })

  it("takes the title of the annotations for a blank title", () => {
    assert.strictEqual(value(decodeTool(tool({ title: " ", annotations: { title: "Read" } }))).title, "Read")
  })

  it("reports a missing input schema and takes it as empty, and refuses an unusable one", () => {
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

  it("accepts an input schema without a type, and refuses one of another type", () => {
    assert.isTrue(decodeTool(tool({ inputSchema: {} })).ok)
    assert.strictEqual(
      reason(decodeTool(tool({ inputSchema: { type: "array" } }))),
      'tool "t": its inputSchema has the type "array" instead of "object"'
    )
    assert.include(reason(decodeTool(tool({ inputSchema: { type: ["object", "null"] } }))), "instead of")
  })

  it("refuses a schema that is too deep, or too large in bytes", () => {
    assert.isTrue(decodeTool(tool({ inputSchema: nested(31) })).ok)
    assert.include(reason(decodeTool(tool({ inputSchema: nested(32) }))), "deeper than 32")
    assert.include(reason(decodeTool(tool({ inputSchema: nested(5000) }))), "deeper than 32")
    const large = (text: string) => tool({ inputSchema: { type: "object", description: text } })
    assert.isTrue(decodeTool(large("a".repeat(60_000))).ok)
    assert.include(reason(decodeTool(large("a".repeat(70_000)))), "larger than 64 KiB")
    assert.include(reason(decodeTool(large("日".repeat(30_000)))), "larger than 64 KiB")
  })

  it("drops an unusable output schema and keeps the tool", () => {
    assert.isUndefined(value(decodeTool(tool({ outputSchema: nested(100) }))).outputSchema)
    assert.isUndefined(value(decodeTool(tool({ outputSchema: "x" }))).outputSchema)
  })

  it("drops annotations that are nested too deeply", () => {
    assert.isUndefined(value(decodeTool(tool({ annotations: nested(10) }))).annotations)
  })

  it("needs a name that is not blank and not too long", () => {
    for (const name of [undefined, 1, "", "  \n", {}]) {
      assert.strictEqual(reason(decodeTool(tool({ name }))), "a tool without a name")
    }
    assert.include(reason(decodeTool(tool({ name: "x".repeat(1025) }))), "too long")
    assert.isTrue(decodeTool(tool({ name: "__proto__" })).ok)
  })

  it.prop("does not throw for any JSON", [Arbitrary.schema(Schema.Json)], ([json]) => {
    for (const raw of [json, tool({ inputSchema: json, outputSchema: json, annotations: json, name: json })]) {
      decodeTool(raw)
      decodePrompt(raw)
      decodeResource("uri")(raw)
    }
  })
})

describe("decodeAll", () => {
  it("leaves out a bad tool with a diagnostic and keeps the others", () => {
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

  it("keeps the first of two tools with the same name", () => {
    const { values, diagnostics } = decodeTools([tool({ description: "1" }), tool({ description: "2" })])
    assert.deepStrictEqual(
      values.map(({ description }) => description),
      ["1"]
    )
    assert.deepStrictEqual(diagnostics, ['left out a second "t"'])
  })

  it("accepts names such as __proto__ and constructor", () => {
    const { values, diagnostics } = decodeTools(["__proto__", "constructor", "toString"].map((name) => tool({ name })))
    assert.strictEqual(values.length, 3)
    assert.deepStrictEqual(diagnostics, [])
  })

  it("quotes a name in a diagnostic short, on one line and in printable ASCII", () => {
    const [long, hidden] = decodeTools([
      { name: "x".repeat(1000) },
      { name: "a\nb\u202e\u{e0041}\u2028\u001b[31m" }
    ]).diagnostics
    assert.isBelow(long!.length, 150)
    assert.match(hidden!, /^[\x20-\x7e]+$/)
  })
})

describe("decodeResource and decodePrompt", () => {
  it("a resource needs a URI, which is also its name when it has none", () => {
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

  it("a prompt keeps its usable arguments", () => {
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
