import { assert, describe, it } from "@effect/vitest"
import { entryOf, isOurs, MCP_CLIENTS, placeOf } from "../../../src/schemas/config/McpClients.ts"

const paths = (platform: NodeJS.Platform, env: Record<string, string>, home: string) =>
  MCP_CLIENTS.map((client) => placeOf(client, platform, env, home).path)

describe("settings files of MCP clients", () => {
  it("have their paths on macOS", () => {
    assert.deepStrictEqual(paths("darwin", { XDG_CONFIG_HOME: "/no" }, "/Users/a"), [
      "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
      "/Users/a/.claude.json",
      "/Users/a/.cursor/mcp.json",
      "/Users/a/Library/Application Support/Code/User/mcp.json",
      "/Users/a/.config/zed/settings.json"
    ])
  })

  it("have their paths on Linux", () => {
    assert.deepStrictEqual(paths("linux", {}, "/home/a"), [
      "/home/a/.config/Claude/claude_desktop_config.json",
      "/home/a/.claude.json",
      "/home/a/.cursor/mcp.json",
      "/home/a/.config/Code/User/mcp.json",
      "/home/a/.config/zed/settings.json"
    ])
    const env = { XDG_CONFIG_HOME: "/x", CLAUDE_CONFIG_DIR: "/c" }
    assert.deepStrictEqual(paths("linux", env, "/home/a").slice(0, 2), [
      "/x/Claude/claude_desktop_config.json",
      "/c/.claude.json"
    ])
  })

  it("have their paths on Windows", () => {
    assert.deepStrictEqual(paths("win32", { APPDATA: "C:\\R" }, "C:\\Users\\a"), [
      "C:\\R\\Claude\\claude_desktop_config.json",
      "C:\\Users\\a\\.claude.json",
      "C:\\Users\\a\\.cursor\\mcp.json",
      "C:\\R\\Code\\User\\mcp.json",
      "C:\\R\\Zed\\settings.json"
    ])
    assert.include(paths("win32", {}, "C:\\Users\\a")[0], "C:\\Users\\a\\AppData\\Roaming\\Claude")
  })

  it("have their section", () => {
    assert.deepStrictEqual(
      MCP_CLIENTS.map((client) => placeOf(client, "linux", {}, "/h").section),
      ["mcpServers", "mcpServers", "mcpServers", "servers", "context_servers"]
    )
  })
})

describe("our entry for an MCP client", () => {
  const launch = { command: "/n/node", args: ["/b/mcp-live.js", "mcp-server"], env: {} }

  it("has the keys that the client needs, and env where it is not empty", () => {
    assert.deepStrictEqual(
      MCP_CLIENTS.map((client) => Object.keys(entryOf(client, launch)).join()),
      ["command,args", "type,command,args", "command,args", "type,command,args", "command,args"]
    )
    assert.deepStrictEqual(entryOf("cursor", { ...launch, env: { A: "b" } })["env"], { A: "b" })
  })

  it("is recognised as ours, and other entries are not", () => {
    assert.isTrue(isOurs(entryOf("zed", launch)))
    assert.isTrue(isOurs({ command: "npx", args: ["-y", "mcp-live", "mcp-server", "-v"] }))
    for (const other of [
      undefined,
      null,
      "mcp-live mcp-server",
      {},
      { args: "mcp-server" },
      { command: "openclaw", args: ["mcp-server"] },
      { command: "mcp-live", args: ["serve"] }
    ]) {
      assert.isFalse(isOurs(other))
    }
  })
})
