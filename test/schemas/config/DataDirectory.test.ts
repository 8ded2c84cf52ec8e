import { assert, describe, it } from "@effect/vitest"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { dataDirectory } from "../../../src/schemas/config/DataDirectory.ts"

describe("dataDirectory", () => {
  it("is MCP_LIVE_HOME, or a folder in the home directory", () => {
    assert.strictEqual(dataDirectory({ HOME: "/home/a" }), "/home/a/.mcp-live")
    assert.strictEqual(dataDirectory({ HOME: "/home/a", MCP_LIVE_HOME: "" }), "/home/a/.mcp-live")
    assert.strictEqual(dataDirectory({ HOME: "/home/a", MCP_LIVE_HOME: "/srv/data" }), "/srv/data")
    assert.strictEqual(dataDirectory({ HOME: "/home/a", MCP_LIVE_HOME: "~/data" }), "/home/a/data")
    assert.strictEqual(dataDirectory({ MCP_LIVE_HOME: "data" }), resolve("data"))
    assert.strictEqual(dataDirectory({}), join(homedir(), ".mcp-live"))
  })
})
