import { assert, describe, it } from "@effect/vitest"
import {
  clip,
  formatBytes,
  renderContent,
  renderFailures,
  renderStatus,
  renderTools,
  table
} from "../../src/schemas/Rendering.ts"
import type { ServerStatus } from "../../src/schemas/ServerState.ts"

const ready: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 12,
  resources: 3,
  prompts: 0,
  pid: 7,
  connectMs: 81.6,
  restarts: 0,
  lastError: null
}

const failed: ServerStatus = {
  ...ready,
  state: "Failed",
  protocolVersion: null,
  tools: 0,
  resources: 0,
  pid: null,
  connectMs: null,
  lastError: "MCP server 'db': cannot start 'nope': ENOENT"
}

describe("Rendering", () => {
  it("columns line up and lines carry no blanks at the end", () => {
    assert.strictEqual(
      table([
        ["A", "LONG"],
        ["longer", "x"],
        ["é", ""]
      ]),
      "A       LONG\nlonger  x\né"
    )
  })

  it("a server is one line; what is not known is a dash", () => {
    assert.deepStrictEqual(renderStatus({ fs: ready, db: failed }).split("\n"), [
      "SERVER  TRANSPORT  PROTOCOL    STATE   TOOLS  RESOURCES  CONNECT",
      "fs      stdio      2025-11-25  Ready   12     3          82 ms",
      "db      stdio      -           Failed  0      0          -"
    ])
  })

  it("no servers is said, not shown as an empty table", () => {
    assert.strictEqual(renderStatus({}), "No MCP servers are configured.")
  })

  it("only servers that cannot be used now have a reason: a past error of a ready one is history", () => {
    assert.deepStrictEqual(renderFailures({ db: failed, fs: { ...ready, lastError: "exited" } }), [
      "db: MCP server 'db': cannot start 'nope': ENOENT"
    ])
  })

  it("an image is shown as its type and decoded size", () => {
    const data = Buffer.alloc(12 * 1024).toString("base64")
    assert.strictEqual(
      renderContent([
        { type: "text", text: "two\nlines" },
        { type: "image", data, mimeType: "image/png" }
      ]),
      "two\nlines\n[image/png, 12 KB]"
    )
  })

  it("sizes have the unit that suits them", () => {
    assert.deepStrictEqual([5, 2048, 3 * 1024 * 1024].map(formatBytes), ["5 B", "2 KB", "3.0 MB"])
  })

  it("descriptions take one line and the room that is left", () => {
    const tool = {
      name: "mcp_fs_read",
      label: "Read",
      description: `First line.\nSecond ${"x".repeat(200)}`,
      parameters: { type: "object" },
      server: "fs",
      tool: "read"
    }
    const lines = renderTools([tool], 60).split("\n")
    assert.strictEqual(lines.length, 2)
    assert.isAtMost(lines[1]!.length, 60)
    assert.match(lines[1]!, /First line\. Second x+…$/)
    assert.strictEqual(renderTools([], 80), "No tools.")
  })

  it("clipping never splits a character in two", () => {
    assert.strictEqual(clip("😀😀😀", 2), "😀…")
  })
})
