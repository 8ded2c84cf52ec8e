/** The configuration that native MCP was asked for, as it stands in its requirements and its design, key by key. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ToolPolicyLayer from "../../../src/layers/call/ToolPolicy.ts"
import { exposeNames } from "../../../src/schemas/call/Names.ts"
import { serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import { ToolPolicy } from "../../../src/services/call/ToolPolicy.ts"
import { REQUIRED } from "../../fixtures/nativeMcp.ts"
import { decode, errorsOf, httpOf, serverOf, stdioOf } from "./decoding.ts"

const config = decode(REQUIRED, { TAVILY_API_KEY: "tvly-1" })

const entry = (text: string) => `{ agents: { defaults: { mcp: { servers: { x: ${text} } } } } }`

/** Every key of the design, none of them at its default. */
const EVERY_KEY = `{
  enabled: false, transport: "stdio", command: "a", args: ["b"], env: { C: "d" }, cwd: "/e", timeout: 1000, toolTimeout: 2000,
  restartOnCrash: false, maxRestarts: 1, toolPrefix: "f", lazy: true, resources: false, resourceFilter: ["g://*"],
  resourceRefreshMs: 3000
}`

describe("the required configuration of native MCP", () => {
  it("gives an agent the servers of the defaults and its own", () => {
    assert.deepStrictEqual(
      config.agents.map(({ id, servers }) => [id, servers.map(({ name }) => name)]),
      [["research", ["filesystem", "linkedin", "tavily"]]]
    )
    const { args, command, env } = stdioOf(serverOf(config, "linkedin"))
    assert.deepStrictEqual(
      { args, command, env },
      {
        args: ["--from", "git+https://github.com/adhikasp/mcp-linkedin", "mcp-linkedin"],
        command: "uvx",
        env: { LINKEDIN_EMAIL: "secret://gcp/linkedin-email", LINKEDIN_PASSWORD: "secret://gcp/linkedin-password" }
      }
    )
    assert.deepStrictEqual(stdioOf(serverOf(config, "filesystem")).args, [
      "-y",
      "@modelcontextprotocol/server-filesystem",
      "/home/user/docs"
    ])
    assert.deepStrictEqual(httpOf(serverOf(config, "tavily")), {
      kind: "sse",
      url: "https://mcp.tavily.com/mcp",
      headers: { Authorization: "Bearer tvly-1" }
    })
  })

  it("has the required defaults", () => {
    const server = serverOf(config, "filesystem")
    const { enabled, lazy, maxRestarts, resourceFilter, resourceRefreshMs, resources, restartOnCrash } = server
    assert.deepStrictEqual(
      { enabled, lazy, maxRestarts, resourceFilter, resourceRefreshMs, resources, restartOnCrash },
      {
        enabled: true,
        lazy: false,
        maxRestarts: 5,
        resourceFilter: [],
        resourceRefreshMs: 300_000,
        resources: true,
        restartOnCrash: true
      }
    )
    assert.deepStrictEqual([server.timeout, server.toolTimeout, server.toolPrefix], [30_000, 60_000, "filesystem"])
  })

  it("accepts every key", () => {
    const given = serverOf(decode(entry(EVERY_KEY)))
    const launch = { kind: "stdio", command: "a", args: ["b"], env: { C: "d" }, cwd: "/e" } as const
    assert.deepInclude(given.launch, launch)
    assert.deepStrictEqual(
      { ...given, launch },
      serverConfig("x", launch, {
        enabled: false,
        timeout: 1000,
        toolTimeout: 2000,
        restartOnCrash: false,
        maxRestarts: 1,
        toolPrefix: "f",
        lazy: true,
        resources: false,
        resourceFilter: ["g://*"],
        resourceRefreshMs: 3000
      })
    )
  })

  it("refuses a server without a command or url, and an unknown transport", () => {
    for (const wrong of [`{ transport: "stdio" }`, `{ transport: "sse" }`, `{ transport: "http" }`, `{}`])
      assert.lengthOf(errorsOf(entry(wrong)), 1, wrong)
    assert.lengthOf(errorsOf(entry(`{ command: "a", transport: "carrier" }`)), 1)
  })

  it.effect("gives tools the required names, and rules apply to these names", () =>
    Effect.gen(function* () {
      const { decide } = yield* ToolPolicy
      const servers = `{ linkedin: { command: "a" }, filesystem: { command: "b" } }`
      const tools = [
        { server: "linkedin", prefix: "linkedin", tool: "get_feed" },
        { server: "filesystem", prefix: "filesystem", tool: "write_file" }
      ]
      const names = exposeNames("gateway", tools)
      assert.deepStrictEqual(names, ["mcp_linkedin_get_feed", "mcp_filesystem_write_file"])
      for (const rules of [
        `allow: ["mcp_linkedin_*"], deny: ["mcp_filesystem_write_file"]`,
        `allow: ["mcp_linkedin_*"]`,
        `deny: ["mcp_filesystem_write_file"]`
      ]) {
        const [agent] = decode(`{ gateway: { tools: { ${rules} } }, mcp: { servers: ${servers} } }`).agents
        assert.deepStrictEqual(
          tools.map(({ server, tool }, i) => decide(agent!.rules, { exposed: names[i]!, server, tool }).allowed),
          [true, false],
          rules
        )
      }
    }).pipe(Effect.provide(ToolPolicyLayer.layer))
  )
})
