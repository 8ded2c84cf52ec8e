import { assert, describe, it } from "@effect/vitest"
import { launchWith } from "../../../src/programs/mcpServer/install.ts"

const started = { bin: "/opt/mcp-live/bin/mcp-live.js", node: "/opt/node", platform: "linux", env: {} } as const

describe("how a client starts us", () => {
  it("is in full: the Node that runs, and the file that it runs", () => {
    assert.deepStrictEqual(launchWith(["--verbose"], started), {
      command: "/opt/node",
      args: ["/opt/mcp-live/bin/mcp-live.js", "mcp-server", "--verbose"],
      env: {}
    })
  })

  it("is by npx where npx has fetched us: what it fetched may be gone tomorrow", () => {
    const bin = "/home/a/.npm/_npx/1234/node_modules/mcp-live/bin/mcp-live.js"
    assert.deepStrictEqual(launchWith([], { ...started, bin }), {
      command: "npx",
      args: ["-y", "mcp-live", "mcp-server"],
      env: {}
    })
    const windows = launchWith([], { ...started, bin: bin.replaceAll("/", "\\"), platform: "win32" })
    assert.deepStrictEqual([windows.command, ...windows.args], ["cmd", "/c", "npx", "-y", "mcp-live", "mcp-server"])
  })

  it("has our data directory with it, where it is not the usual one", () => {
    assert.deepStrictEqual(launchWith([], { ...started, env: { MCP_LIVE_HOME: "/data" } }).env, {
      MCP_LIVE_HOME: "/data"
    })
    assert.deepStrictEqual(launchWith([], { ...started, env: { MCP_LIVE_HOME: "", OTHER: "x" } }).env, {})
  })
})
