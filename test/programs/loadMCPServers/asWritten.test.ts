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
    const local: MCPServerConfig = {
      type: "stdio",
      command: polite.command,
      args: [...polite.args],
      env: { GREETING: "hello" },
      workingDir: import.meta.dirname
    }
    const remote = (auth: { type: "bearer"; token: string } | { type: "api-key"; key: string }): MCPServerConfig => ({
      type: "streamable-http",
      url: "http://127.0.0.1:1/mcp",
      headers: { "X-Tenant": "7" },
      auth
    })
    const config: MCPServersConfig = {
      servers: {
        local,
        bearer: remote({ type: "bearer", token: "secret://env/HOME" }),
        key: remote({ type: "api-key", key: "secret://env/HOME" })
      }
    }
    const registered = new Map<string, Tool>()
    const registry: ToolRegistry = { register: (tool) => registered.set(tool.name, tool) }
    const changed: Array<string> = []
    const provider: MCPToolProvider = await loadMCPServers(config, registry, {
      onToolsChanged: (serverId: string) => void changed.push(serverId),
      signal: new AbortController().signal
    })
    assert.instanceOf(provider, MCPToolProvider)
    const status: Readonly<Record<string, "connected" | "connecting" | "disconnected" | "error">> = provider.status()
    assert.deepStrictEqual(status, { bearer: "error", key: "error", local: "connected" })
    assert.isNumber(provider.statusDetails()["local"]?.pid)
    assert.include(names(registered.values()), "local__echo")
    const result = await registered.get("local__echo")!.execute("call", { text: "hello" }, undefined, () => {})
    assert.isFalse(result.isError)
    await provider.refresh()
    await provider.close()
    assert.deepStrictEqual(new Set(Object.values(provider.status())), new Set(["disconnected"]))
  })

  it("lists the tools of servers, all of them, and of its own those that are asked for", async () => {
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
