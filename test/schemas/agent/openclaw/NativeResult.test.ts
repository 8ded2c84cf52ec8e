/** Which results of OpenClaw's tools are words of an MCP server. The shapes are those of OpenClaw 2026.9. */
import { assert, describe, it } from "@effect/vitest"
import {
  nestedCallPrefix,
  seenResult,
  type HostResultEvent
} from "../../../../src/programs/openclawPlugin/nativeResult.ts"

const text = (words: string) => [{ type: "text", text: words }]

const event = (toolName: string, content: unknown, details: unknown, more: Partial<HostResultEvent> = {}) => ({
  toolName,
  toolCallId: "c1",
  args: {},
  result: { content, details },
  ...more
})

const seen = (given: HostResultEvent, nested?: { toolName: string; content: unknown; details: unknown }) =>
  seenResult(given, { pluginId: "mcp-live", isOurs: (name) => name === "mcp_live", nested })

const native = { mcpServer: "docs", mcpTool: "read" }
const target = (details: object = native) => ({
  tool: { id: "mcp:docs:docs__read", name: "docs__read", source: "mcp" },
  result: { content: text("hi"), details }
})

describe("seenResult", () => {
  it("recognises a server's result by its details", () => {
    const result = seen(event("docs__read", text("hi"), { ...native, structuredContent: { a: 1 } }))
    assert.deepStrictEqual(result, {
      _tag: "Native",
      server: "docs",
      tool: "read",
      content: text("hi"),
      isError: false,
      kept: native
    })
  })

  it("recognises a server's result by the tool's name when details are missing", () => {
    for (const details of [{ truncated: true, originalSizeBytes: 200_000 }, null, undefined, "x"]) {
      const result = seen(event("docs__read__page", text("hi"), details))
      assert.deepInclude(result, { _tag: "Native", server: "docs", tool: "read__page", kept: {} })
    }
  })

  it("recognises results of resources and prompts", () => {
    const details = { mcpServer: "docs", mcpOperation: "resources_read", untrustedMcpOutput: true }
    assert.deepInclude(seen(event("docs__resources_read", text("{}"), details)), {
      _tag: "Native",
      tool: "resources_read",
      kept: details
    })
  })

  it("reports an error by the server's status or by OpenClaw's", () => {
    assert.deepInclude(seen(event("docs__read", text("no"), { ...native, status: "error" })), { isError: true })
    assert.deepInclude(seen(event("docs__read", text("no"), native, { isError: true })), { isError: true })
  })

  it("leaves OpenClaw's own message about a failed call unchanged", () => {
    const failed = event(
      "docs__read",
      text("…"),
      { status: "error", tool: "docs__read", error: "…" },
      { isError: true }
    )
    assert.deepStrictEqual(seen(failed), { _tag: "Failed", server: "docs", tool: "read" })
  })

  it("ignores results of OpenClaw's own tools, whatever their details", () => {
    for (const details of [{}, null, { truncated: true }, { status: "error" }]) {
      assert.deepStrictEqual(seen(event("exec", text("hi"), details)), { _tag: "Other" })
    }
    assert.deepStrictEqual(seen(event("x__y", text("hi"), {})), { _tag: "Other" })
  })

  it("unpacks the result of a tool search", () => {
    const result = seen(event("tool_call", text("JSON"), target()))
    assert.deepInclude(result, { _tag: "Native", server: "docs", tool: "read", content: text("hi") })
  })

  it("uses the nested result where details are missing, and describes lost images", () => {
    const image = { type: "image", mimeType: "image/png", bytes: 70, omitted: true }
    const told = { toolName: "docs__read", content: [...text("told"), image], details: native }
    assert.deepInclude(seen(event("tool_call", text("JSON"), target()), told), { content: text("hi") })
    const cut = seen(event("tool_call", text("JSON"), { truncated: true }), told)
    assert.deepInclude(cut, { _tag: "Native", server: "docs", tool: "read" })
    assert.deepStrictEqual(cut._tag === "Native" && cut.content, [
      ...text("told"),
      ...text("[An image of 70 bytes, too large for OpenClaw's tool search]")
    ])
  })

  it("uses the nested result for our own tool and for OpenClaw's tools", () => {
    const cut = event("tool_call", text("JSON"), { truncated: true }, { args: { id: "x" } })
    const ours = { toolName: "mcp_live", content: text("whole"), details: {} }
    assert.deepStrictEqual(seen(cut, ours), { _tag: "Ours", result: ours })
    assert.deepStrictEqual(seen(cut, { ...ours, toolName: "web_search" }), { _tag: "Other" })
  })

  it("ignores a nested result of another tool", () => {
    const other = { toolName: "other__x", content: text("other"), details: {} }
    assert.deepInclude(seen(event("tool_call", text("JSON"), target()), other), { content: text("hi") })
  })

  it("treats a tool search that cannot be unpacked as a server's text", () => {
    const args = { id: "mcp:docs:docs__read" }
    const cut = event("tool_call", text("JSON"), { truncated: true }, { args })
    assert.deepInclude(seen(cut), { _tag: "Native", server: "docs", tool: "read", content: text("JSON") })
    const framed = event("tool_call", text('<<<EXTERNAL_UNTRUSTED_CONTENT id="1">>>'), null, { args: { id: 4 } })
    assert.deepInclude(seen(framed), { _tag: "Native", server: "unknown" })
    const unreadable = { ...target(), result: "x" }
    assert.deepInclude(seen(event("tool_call", text("JSON"), unreadable)), { _tag: "Native", content: text("JSON") })
  })

  it("ignores OpenClaw's own tools in a tool search", () => {
    const own = { tool: { name: "web_search", source: "openclaw", sourceName: "core" }, result: { content: text("x") } }
    assert.deepStrictEqual(seen(event("tool_call", text("JSON"), own)), { _tag: "Other" })
    assert.deepStrictEqual(seen(event("tool_call", text("big file"), null, { args: { id: "read" } })), {
      _tag: "Other"
    })
  })

  it("keeps the result of our own tool, but not of a tool that only claims its name", () => {
    const inner = { content: text("wrapped"), details: {} }
    const whole = { toolName: "mcp_live", content: text("whole"), details: {} }
    const ours = (sourceName: string, source = "openclaw") => ({
      tool: { name: "mcp_live", source, sourceName },
      result: inner
    })
    assert.deepStrictEqual(seen(event("tool_call", text("JSON"), ours("mcp-live"))), { _tag: "Ours", result: inner })
    assert.deepStrictEqual(seen(event("tool_call", text("JSON"), ours("mcp-live")), whole), {
      _tag: "Ours",
      result: whole
    })
    assert.deepStrictEqual(seen(event("tool_call", text("JSON"), ours("another"))), { _tag: "Other" })
    assert.deepInclude(seen(event("tool_call", text("JSON"), ours("mcp-live", "mcp"))), { _tag: "Native" })
  })

  it("rewrites a listing of servers' tools, and no other listing", () => {
    const listing = [{ id: "mcp:docs:docs__read", source: "mcp", description: "reads" }]
    const result = seen(event("tool_search", text("framed by OpenClaw"), listing))
    assert.deepInclude(result, { _tag: "Native", server: "tool-search", tool: "tool_search" })
    assert.deepStrictEqual(result._tag === "Native" && result.content, text(JSON.stringify(listing, null, 2)))
    assert.deepStrictEqual(seen(event("tool_search", text("x"), [{ id: "exec", source: "openclaw" }])), {
      _tag: "Other"
    })
    assert.deepInclude(seen(event("tool_describe", text("x"), { truncated: true })), {
      _tag: "Native",
      content: text("x")
    })
  })

  it("treats a script's answer as a server's text where OpenClaw has framed it", () => {
    const framed = text('a <<<EXTERNAL_UNTRUSTED_CONTENT id="1">>> b')
    assert.deepInclude(seen(event("tool_search_code", framed, {})), { _tag: "Native", content: framed })
    assert.deepStrictEqual(seen(event("tool_search_code", text("4"), {})), { _tag: "Other" })
  })

  it("accepts content of any shape", () => {
    for (const content of [undefined, null, "x", 4, {}]) {
      assert.deepInclude(seen(event("docs__read", content, native)), { _tag: "Native", content: [] })
    }
  })
})

describe("nestedCallPrefix", () => {
  it("is the prefix that OpenClaw gives to calls of a tool search", () => {
    assert.strictEqual(nestedCallPrefix("call_1"), "tool_search_code:call_1:")
    assert.strictEqual(nestedCallPrefix(" a b|c "), "tool_search_code:a_b_c:")
    assert.strictEqual(nestedCallPrefix("x".repeat(200)), `tool_search_code:${"x".repeat(120)}:`)
    assert.strictEqual(nestedCallPrefix(""), "tool_search_code:call:")
  })
})
