import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../../src/schemas/data/Json.ts"
import {
  argumentsOf,
  lackingWords,
  renderMeant,
  renderTool,
  toolNamed,
  typingOf,
  wrap
} from "../../../src/schemas/call/ToolSignature.ts"

const tool = (properties: Record<string, Json>, required: ReadonlyArray<string> = []) => ({
  name: "mcp_fs_edit",
  label: "Edit",
  description: "[MCP server: fs] Edits a file. It writes what is given.",
  parameters: { type: "object", properties, required, $defs: { mode: { enum: ["r", "w"] } } },
  server: "fs",
  tool: "edit"
})

const typeOf = (schema: Json) => argumentsOf(tool({ x: schema }))[0]!.type

describe("a tool's signature", () => {
  it.each<[Json, string]>([
    [{ type: "string" }, "string"],
    [{ enum: ["a", 2, null] }, '"a" | 2 | null'],
    [{ const: "x" }, '"x"'],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "array", items: { type: "number" } }, "number[]"],
    [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
    [{ type: "array" }, "any[]"],
    [{ anyOf: [{ type: "integer" }, { type: "boolean" }] }, "integer | boolean"],
    [{ $ref: "#/$defs/mode" }, '"r" | "w"'],
    [{ $ref: "#/$defs/none" }, "any"],
    [{ $ref: "http://example.com/x" }, "any"],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "object", properties: { c: {} } } },
        required: ["a"]
      },
      "{ a: string, b?: object }"
    ],
    [{}, "any"],
    [true, "any"]
  ])("%j is %s", (schema, type) => assert.strictEqual(typeOf(schema), type))

  it("has required arguments first, with defaults and descriptions, and fits the terminal", () => {
    const edit = tool(
      {
        dry: {
          type: "boolean",
          default: false,
          description: "Only says what would be written, and how the file would look."
        },
        path: { type: "string", description: "Where the file is." }
      },
      ["path"]
    )
    const shown = renderTool(edit, 60)
    assert.strictEqual(
      shown,
      [
        "mcp_fs_edit(path: string, dry?: boolean)",
        "",
        "  Edits a file. It writes what is given.",
        "",
        "  server  fs",
        "  tool    edit",
        "",
        "  path  string",
        "      Where the file is.",
        "  dry  boolean, optional",
        "      Only says what would be written, and how the file",
        "      would look. Default: false"
      ].join("\n")
    )
    assert.include(renderTool(edit, 30), "mcp_fs_edit(\n  path: string,\n  dry?: boolean,\n)")
  })

  it("is found by the exposed name and by server/tool", () => {
    const edit = tool({})
    assert.strictEqual(toolNamed([edit], "mcp_fs_edit"), edit)
    assert.strictEqual(toolNamed([edit], "fs/edit"), edit)
    assert.isUndefined(toolNamed([edit], "edit"))
  })

  it("is wrapped between words only", () => {
    assert.deepStrictEqual(wrap("one two three-and-more\n\nfour", 8), ["one two", "three-and-more", "", "four"])
  })
})

describe("the missing arguments of a call", () => {
  it("are named with the command that shows the arguments", () => {
    const given = tool({ path: { type: "string" }, text: { type: "string" } }, ["path", "text"])
    assert.strictEqual(
      lackingWords(given, { text: "x" }, "/tools"),
      "fs/edit needs path, which the call left out: '/tools fs/edit' shows its arguments"
    )
    assert.include(lackingWords(given, {}, "mcp-live tools"), "needs path, text, which")
    assert.match(
      lackingWords(given, { pth: "x" }, "/tools")!,
      /which the call left out, and has no argument pth: '\/tools/
    )
    assert.isUndefined(lackingWords(given, { path: "", text: undefined }, "/tools"))
    assert.isUndefined(lackingWords(tool({}), {}, "/tools"))
    assert.isUndefined(lackingWords({ ...given, parameters: { required: "path" } }, {}, "/tools"))
  })
})

describe("a typed value", () => {
  const of = (schema: Json, text: string, read: unknown) => typingOf(tool({ x: schema }))("x", text, read)

  it("is a string where the schema takes a string only", () => {
    assert.strictEqual(of({ type: "string" }, "5", 5), "5")
    assert.strictEqual(of({ type: "string" }, "true", true), "true")
    assert.strictEqual(of({ enum: ["1", "2"] }, "1", 1), "1")
    assert.strictEqual(of({ anyOf: [{ type: "string" }, { type: "null" }] }, "5", 5), "5")
  })

  it("is JSON where the schema takes that too or has no type", () => {
    assert.strictEqual(of({ type: ["string", "integer"] }, "5", 5), 5)
    assert.isNull(of({ anyOf: [{ type: "string" }, { type: "null" }] }, "null", null))
    assert.strictEqual(of({ type: "number" }, "5", 5), 5)
    assert.deepStrictEqual(of({ type: "array" }, "[1]", [1]), [1])
    assert.strictEqual(of({}, "5", 5), 5)
    assert.strictEqual(typingOf(tool({}))("other", "5", 5), 5)
  })

  it("that names tools shows one tool or a list, and a typo gets a suggestion", () => {
    const all = [tool({}), { ...tool({}), name: "mcp_fs_read", tool: "read", description: "Reads" }]
    assert.include(renderMeant(all, "fs/edit", 80), "mcp_fs_edit()")
    assert.match(renderMeant(all, "mcp_fs", 80), /^TOOL .*\nmcp_fs_edit .*\nmcp_fs_read /)
    const none = (word: string) => `No tool has '${word}' in its name or description`
    assert.strictEqual(renderMeant(all, "fs/edti", 80), `${none("fs/edti")}; did you mean 'fs/edit'?`)
    assert.strictEqual(renderMeant(all, "weather", 80), none("weather"))
    assert.strictEqual(renderMeant([], "weather", 80), "No tools.")
  })
})
