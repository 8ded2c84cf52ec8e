import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { launchWith } from "../../../src/programs/mcpServer/install.ts"

const started = { bin: "/opt/mcp-live/bin/mcp-live.js", node: "/opt/node", env: {} }

const launchOf = (flags: ReadonlyArray<string>, more: object = {}) =>
  Result.getOrThrow(launchWith(flags, { ...started, ...more }))

describe("how a client starts us", () => {
  it("is in full: the Node that runs, and the file that it runs", () => {
    assert.deepStrictEqual(launchOf(["--verbose"]), {
      command: "/opt/node",
      args: ["/opt/mcp-live/bin/mcp-live.js", "mcp-server", "--verbose"],
      env: {}
    })
  })

  it("is refused where npx has fetched us: that may be gone tomorrow, and the name alone is another's package", () => {
    const bin = "/home/a/.npm/_npx/1234/node_modules/mcp-live/bin/mcp-live.js"
    for (const one of [bin, bin.replaceAll("/", "\\")]) {
      const { message } = Result.getOrThrow(Result.flip(launchWith([], { ...started, bin: one })))
      assert.include(message, "install it first ('npm install --global'")
    }
  })

  it("has our data directory with it, where it is not the usual one", () => {
    assert.deepStrictEqual(launchOf([], { env: { MCP_LIVE_HOME: "/data" } }).env, {
      MCP_LIVE_HOME: "/data"
    })
    assert.deepStrictEqual(launchOf([], { env: { MCP_LIVE_HOME: "", OTHER: "x" } }).env, {})
  })
})
