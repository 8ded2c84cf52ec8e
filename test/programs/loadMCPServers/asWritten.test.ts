/** The interface in the words that programs were promised: types, functions and their results, as they stand in code. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import {
  loadMCPServers,
  MCPToolProvider,
  type MCPServerConfig,
  type MCPServersConfig,
  type Tool,
  type ToolRegistry
} from "../../../src/index.ts"
import { httpServer } from "../../fixtures/httpServer.ts"
import { hostile } from "../../fixtures/servers.ts"

const names = (tools: Iterable<Tool>) => Array.from(tools, ({ name }) => name)

const server = (scenario: string) => ({ type: "stdio" as const, ...hostile(scenario) })
const polite = server("polite")

describe("loadMCPServers, as programs write it", () => {
  it("takes servers of both types with their keys, and gives a provider with refresh, status and close", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const web = await Effect.runPromise(Scope.provide(httpServer("polite"), scope))
    process.env["AS_WRITTEN_KEY"] = "a-key-of-the-host"
    const local: MCPServerConfig = {
      type: "stdio",
      command: polite.command,
      args: [...polite.args],
      env: { GREETING: "hello" },
      workingDir: import.meta.dirname
    }
    const remote = (auth: { type: "bearer"; token: string } | { type: "api-key"; key: string }): MCPServerConfig => ({
      type: "streamable-http",
      url: web.url,
      headers: { "X-Tenant": auth.type },
      auth
    })
    const config: MCPServersConfig = {
      servers: {
        local,
        bearer: remote({ type: "bearer", token: "secret://env/AS_WRITTEN_KEY" }),
        key: remote({ type: "api-key", key: "secret://env/AS_WRITTEN_KEY" }),
        dead: { type: "streamable-http", url: "http://127.0.0.1:1/mcp" }
      }
    }
    const registered = new Map<string, Tool>()
    const registry: ToolRegistry = { register: (tool) => registered.set(tool.name, tool) }
    const changed = Promise.withResolvers<string>()
    const abort = new AbortController()
    const provider: MCPToolProvider = await loadMCPServers(config, registry, {
      onToolsChanged: (serverId: string) => changed.resolve(serverId),
      signal: abort.signal
    })
    assert.instanceOf(provider, MCPToolProvider)
    const status: Readonly<Record<string, "connected" | "connecting" | "disconnected" | "error">> = provider.status()
    assert.deepStrictEqual(status, { bearer: "connected", dead: "error", key: "connected", local: "connected" })
    assert.isNumber(provider.statusDetails()["local"]?.pid)
    const say = async (name: string, params = {}) => {
      const result = await registered.get(name)!.execute("call", params, undefined, () => {})
      assert.isFalse(result.isError)
      return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    }
    assert.include(await say("local__cwd"), import.meta.dirname)
    assert.match(await say("local__env", { names: ["GREETING"] }), /GREETING\W+hello/)
    for (const name of ["bearer", "key"])
      assert.include(await say(`${name}__echo`, { text: `to ${name}` }), `to ${name}`)
    for (const { headers } of web.requests) {
      const found = [headers["x-tenant"], headers.authorization, headers["x-api-key"]]
      const expected =
        headers["x-tenant"] === "bearer"
          ? ["bearer", "Bearer a-key-of-the-host", undefined]
          : ["api-key", undefined, "a-key-of-the-host"]
      assert.deepStrictEqual(found, expected)
    }
    const asked = () => web.requests.filter(({ method }) => method === "tools/list").length
    const before = asked()
    await provider.refresh()
    assert.isAtLeast(asked(), before + 2)
    await say("local__notify_list_changed")
    assert.strictEqual(await changed.promise, "local")
    assert.isTrue(names(registered.values()).some((name) => name.startsWith("local__added_")))
    abort.abort()
    await provider.close()
    assert.deepStrictEqual(new Set(Object.values(provider.status())), new Set(["disconnected"]))
    assert.isTrue((await registered.get("local__cwd")!.execute("call", {})).isError)
    delete process.env["AS_WRITTEN_KEY"]
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("maps a tool of MCP to one of a loop: its schema, its label, what it does, and each kind of content", async () => {
    const weather = {
      name: "get_weather",
      description: "Get current weather information for a location",
      inputSchema: {
        type: "object",
        properties: { location: { type: "string", description: "City name or zip code" } },
        required: ["location"]
      },
      annotations: { destructiveHint: true }
    }
    const content = [
      { type: "text", text: "Temperature: 72°F" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "resource://a", text: "inline text" } },
      { type: "resource", resource: { uri: "resource://b", blob: "AAAA", mimeType: "application/zip" } }
    ]
    const script = `
      require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line)
        const say = (answer) => console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
        if (method === "initialize") say({ result: { protocolVersion: "2025-03-26", capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } } })
        else if (method === "tools/list") say({ result: { tools: ${JSON.stringify([weather])} } })
        else if (method === "tools/call") say(params.arguments.location === "nowhere" ? { result: { content: [], isError: true } } : { result: { content: ${JSON.stringify(content)}, isError: false } })
        else if (id !== undefined) say({ error: { code: -32601, message: "no" } })
      })`
    const provider = await loadMCPServers({
      servers: { sky: { type: "stdio", command: process.execPath, args: ["-e", script] } }
    })
    const [tool, ...others] = provider.tools()
    assert.lengthOf(others, 0)
    assert.strictEqual(tool!.name, "sky__get_weather")
    assert.include(tool!.label, "sky")
    assert.include(tool!.label, "get_weather")
    assert.include(tool!.description, weather.description)
    assert.deepStrictEqual(tool!.parameters as object, weather.inputSchema)
    assert.deepStrictEqual(tool!.annotations, { destructiveHint: true })
    assert.isTrue(tool!.ownerOnly)
    const result = await tool!.execute("call", { location: "New York" })
    assert.isFalse(result.isError)
    const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    for (const words of [
      "Temperature: 72°F",
      "[Audio: audio/wav, 4 B]",
      "resource://a",
      "inline text",
      "resource://b"
    ]) {
      assert.include(text, words)
    }
    assert.deepInclude(result.content, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" })
    assert.isTrue((await tool!.execute("call", { location: "nowhere" })).isError)
    await provider.close()
  })

  it("lists all tools of the servers, and its own tools on request", async () => {
    const many = server("many-tools:100")
    const load = async (more: object, options: object) => {
      const provider = await loadMCPServers({ servers: { many }, ...more }, undefined, options)
      const listed = names(provider.tools())
      await provider.close()
      return listed
    }
    const plain = await load({}, {})
    assert.isAbove(plain.length, 99)
    assert.deepStrictEqual(
      plain.filter((name) => !name.startsWith("many__")),
      []
    )
    assert.include(await load({}, { runtimeTools: true }), "mcp_read_more")
    assert.deepStrictEqual((await load({ toolIndex: { threshold: 10 } }, {})).toSorted(), [
      "mcp_call_tool",
      "mcp_describe_tool",
      "mcp_search_tools"
    ])
  })

  it("puts the separator of the program between server and tool", async () => {
    for (const separator of [":", "/", "-"] as const) {
      const provider = await loadMCPServers({ servers: { own: polite } }, undefined, {
        separator,
        policy: { deny: [`own${separator}fail`] }
      })
      const tool = provider.tools().find(({ name }) => name === `own${separator}echo`)
      assert.isFalse((await tool!.execute("call", { text: "x" })).isError)
      assert.notInclude(names(provider.tools()), `own${separator}fail`)
      await provider.close()
    }
  })

  it("has what is ready, however short it may wait", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(Scope.provide(httpServer("polite"), scope))
    const provider = await loadMCPServers(
      { servers: { fast: { type: "streamable-http", url }, never: server("hang-initialize") } },
      undefined,
      { waitMs: 1_900 }
    )
    assert.deepStrictEqual(provider.status(), { fast: "connected", never: "connecting" })
    assert.include(names(provider.tools()), "fast__echo")
    await provider.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})
