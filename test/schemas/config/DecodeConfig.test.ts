import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeConfig } from "../../../src/schemas/config/DecodeConfig.ts"
import { noLines } from "../../../src/schemas/config/KeyLines.ts"
import { SERVER_KEY_NAMES } from "../../../src/schemas/config/ServerKeys.ts"
import { fingerprint } from "../../../src/schemas/connection/ServerConfig.ts"
import { decode, errorsOf, httpOf, serverOf, stdioOf, warningsOf } from "./decoding.ts"

const X = `x: { command: "a" }`
const namesOf = (text: string, agent = "main") =>
  decode(text)
    .agents.find(({ id }) => id === agent)
    ?.servers.map(({ name }) => name)
const decodeValue = (value: unknown) =>
  decodeConfig(value, { file: "/f", shownFile: "f", lines: noLines, directory: "/", home: "/h", env: {} })

describe("formats of a configuration file", () => {
  it("openclaw.json is read, and foreign keys are ignored", () => {
    const text = `{
      meta: { lastTouchedVersion: "2026.9.6" }, channels: { telegram: { enabled: true } }, session: { scope: "x" },
      gateway: { mode: "local", port: 18789, auth: { token: "t" } }, models: { providers: {} }, acp: {}, env: {},
      tools: { profile: "coding", byProvider: {}, exec: { host: "gateway" }, fs: {}, media: {}, web: {}, elevated: {} },
      agents: {
        ownership: "explicit",
        defaults: { workspace: "~/w", model: { primary: "anthropic/claude", fallbacks: ["b"] }, skipBootstrap: true },
        list: [{ id: "main", name: "Main", identity: {}, tools: { profile: "full" }, model: { fallbacks: [] } }]
      },
      mcp: { servers: { docs: { url: "https://docs.example/mcp", transport: "streamable-http" } } }
    }`
    const config = decode(text)
    assert.deepStrictEqual(httpOf(serverOf(config, "docs")), {
      kind: "http",
      url: "https://docs.example/mcp",
      headers: {}
    })
    assert.deepStrictEqual(config.agents[0]?.model, { id: "anthropic/claude", baseUrl: undefined, apiKey: undefined })
    assert.deepStrictEqual(config.agents[0]?.rules, [])
  })

  it("mcpServers of Claude Desktop, Claude Code and Cursor are read", () => {
    const text = `{ "mcpServers": { "fs": { "command": "npx", "args": ["-y", "fs"] },
      "web": { "type": "http", "url": "https://a.example" } }, "globalShortcut": "", "projects": {} }`
    assert.deepStrictEqual(namesOf(text), ["fs", "web"])
  })

  it("servers of VS Code are read", () => {
    assert.deepStrictEqual(namesOf(`{ inputs: [], servers: { fs: { type: "stdio", command: "npx" } } }`), ["fs"])
  })

  it("mcpServers are the base for mcp.servers and the servers of agents", () => {
    const text = `{
      servers: { x: { command: "1", args: ["1"], timeout: 1, toolTimeout: 1, maxRestarts: 1, idleTtlMs: 1 } },
      mcpServers: { x: { args: ["2"], timeout: 2, toolTimeout: 2, maxRestarts: 2, idleTtlMs: 2 } },
      mcp: { servers: { x: { timeout: 3, toolTimeout: 3, maxRestarts: 3, idleTtlMs: 3 } } },
      agents: {
        defaults: { mcp: { servers: { x: { toolTimeout: 4, maxRestarts: 4, idleTtlMs: 4 } } } },
        list: [{ id: "a", mcp: { servers: { x: { maxRestarts: 5 } } } }]
      }
    }`
    const read = serverOf(decode(text))
    assert.deepInclude(read, { timeout: 3, toolTimeout: 4, idleTtlMs: 4, maxRestarts: 5 })
    assert.deepInclude(stdioOf(read), { command: "1", args: ["2"] })
  })

  it("a file of another shape is refused", () => {
    for (const [text, kind] of [
      ["[]", "a list"],
      ["null", "null"],
      ["3", "a number"],
      ["'x'", "a string"]
    ] as const) {
      assert.deepStrictEqual(errorsOf(text), [`openclaw.json:1: must be an object at the top, is ${kind}`])
    }
    assert.deepStrictEqual(
      errorsOf(`{ mcpServers: [], mcp: 1, agents: "", gateway: null, servers: true }`).toSorted(),
      [
        "openclaw.json:1: agents: must be an object, is empty",
        "openclaw.json:1: gateway: must be an object, is null",
        "openclaw.json:1: mcp: must be an object, is a number",
        "openclaw.json:1: mcpServers: must be an object, is a list",
        "openclaw.json:1: servers: must be an object, is true"
      ]
    )
  })

  it("a key that is nearly one of ours has a warning, beside others that are read", () => {
    const slips = (others: string, first = "mcp: { servers: { x: { command: 'a' } } }") =>
      warningsOf(`{ ${first}, ${others} }`).map((line) => line.replace("openclaw.json:1: ", ""))
    for (const [key, meant] of [
      ["mpc", "mcp"],
      ["MCP", "mcp"],
      ["mcpServer", "mcpServers"],
      ["agnts", "agents"],
      ["gatway", "gateway"]
    ] as const) {
      assert.deepStrictEqual(slips(`${key}: { a: 1 }`), [`${key}: did you mean "${meant}"? This key is not read`])
    }
    assert.lengthOf(slips(`client: { rules: [] }`, "servers: { x: { command: 'a' } }"), 1)
    const others = [
      "channels",
      "session",
      "models",
      "plugins",
      "hooks",
      "skills",
      "cron",
      "env",
      "ui",
      "acp",
      "messages",
      "client",
      "meta",
      "auth"
    ]
    assert.isEmpty(slips(others.map((key) => `${key}: { a: 1 }`).join(", ")))
    assert.isEmpty(slips(`mpc: "a"`))
  })

  it("a file without servers has a warning that suggests a similar key", () => {
    assert.deepStrictEqual(warningsOf("{}"), [
      "openclaw.json:1: no MCP server is configured: they belong under agents.defaults.mcp.servers, mcp.servers, mcpServers or servers"
    ])
    assert.match(warningsOf(`{ mpc: { servers: { ${X} } } }`)[0]!, /mpc: .*did you mean "mcp"\?$/)
    assert.deepStrictEqual(warningsOf(`{ mcp_servers: { ${X} } }`), [
      'openclaw.json:1: mcp_servers: no MCP server is configured; did you mean "mcpServers"?'
    ])
    for (const [slip, meant] of [
      ["mcpServer", "mcpServers"],
      ["mcpservers", "mcpServers"],
      ["server", "servers"],
      ["servr", "servers"],
      ["agent", "agents"]
    ]) {
      assert.deepStrictEqual(warningsOf(`{ ${slip}: { ${X} } }`), [
        `openclaw.json:1: ${slip}: no MCP server is configured; did you mean "${meant}"?`
      ])
    }
  })
})

describe("the mcp object", () => {
  it("warns that OpenClaw's own keys have no effect", () => {
    assert.deepStrictEqual(warningsOf(`{ mcp: { sessionIdleTtlMs: 1, apps: {}, servers: { ${X} } } }`), [
      "openclaw.json:1: mcp.sessionIdleTtlMs: has no effect here",
      "openclaw.json:1: mcp.apps: has no effect here"
    ])
  })

  it("refuses other keys", () => {
    assert.deepStrictEqual(errorsOf(`{ mcp: { server: {} }, agents: { defaults: { mcp: { apps: {} } } } }`), [
      'openclaw.json:1: mcp.server: unknown key, did you mean "servers"?',
      "openclaw.json:1: agents.defaults.mcp.apps: unknown key"
    ])
  })

  it("is where servers of agents belong", () => {
    const message = 'unknown key: servers of agents belong under "mcp.servers"'
    assert.deepStrictEqual(errorsOf(`{ agents: { defaults: { mcpServers: {} }, list: [{ id: "a", servers: {} }] } }`), [
      `openclaw.json:1: agents.list[0].servers: ${message}`,
      `openclaw.json:1: agents.defaults.mcpServers: ${message}`
    ])
  })
})

describe("merging servers", () => {
  const text = `{
    agents: {
      defaults: { mcp: { servers: {
        web: { url: "https://a.example", headers: { Authorization: "\${A:-a}", "X-Keep": "k" }, timeout: 5 },
        fs: { command: "fs", args: ["one", "two"], env: { KEEP: "k", OVER: "o" },
              tools: { include: ["a"], exclude: ["b"] }, budget: { bytes: 1, blocks: 2 } }
      } } },
      list: [
        { id: "plain" },
        { id: "own", mcp: { servers: {
          web: { headers: { authorization: "\${B:-b}" } },
          fs: { args: ["three"], env: { OVER: "n", ADD: 1 }, tools: { exclude: [] }, budget: { bytes: 9 } },
          mail: { command: "mail" }
        } } },
        { id: "off", mcp: { servers: { fs: { enabled: false } } } }
      ]
    }
  }`

  it("gives an agent without own servers the defaults", () => {
    const fs = serverOf(decode(text), "fs", "plain")
    assert.deepInclude(stdioOf(fs), { args: ["one", "two"], env: { KEEP: "k", OVER: "o" } })
    assert.deepStrictEqual(namesOf(text, "plain"), ["fs", "web"])
  })

  it("goes field by field: env by key, lists as a whole", () => {
    const fs = serverOf(decode(text), "fs", "own")
    assert.deepStrictEqual(stdioOf(fs), {
      kind: "stdio",
      command: "fs",
      args: ["three"],
      env: { KEEP: "k", OVER: "n", ADD: "1" },
      cwd: undefined
    })
    assert.deepInclude(fs, { tools: { include: ["a"], exclude: [] }, budget: { bytes: 9, blocks: 2 } })
  })

  it("joins the ask lists of all places", () => {
    const text = `{
      mcp: { servers: { fs: { command: "a", tools: { ask: ["gateway_*"] } } } },
      agents: { defaults: { mcp: { servers: { fs: { tools: { ask: ["default"] } } } } },
        list: [{ id: "main", mcp: { servers: { fs: { tools: { ask: ["own"] } } } } },
               { id: "none", mcp: { servers: { fs: { tools: { ask: [] } } } } },
               { id: "other", mcp: { servers: { fs: { tools: { exclude: ["x"] } } } } }] }
    }`
    const askOf = (id: string) => decode(text).agents.find((agent) => agent.id === id)?.servers[0]?.tools.ask
    assert.deepStrictEqual(askOf("main"), ["gateway_*", "default", "own"])
    assert.deepStrictEqual(askOf("none"), ["gateway_*", "default"])
    assert.deepStrictEqual(askOf("other"), ["gateway_*", "default"])
  })

  it("merges headers without regard to case", () => {
    const web = serverOf(decode(text), "web", "own")
    assert.deepStrictEqual(httpOf(web).headers, { authorization: "b", "X-Keep": "k" })
    assert.strictEqual(web.timeout, 5)
  })

  it("disables a server for one agent with enabled: false, and keeps it in the list", () => {
    const config = decode(text)
    assert.deepStrictEqual(
      ["plain", "own", "off"].map((agent) => serverOf(config, "fs", agent).enabled),
      [true, true, false]
    )
  })

  it("sorts servers by name", () => {
    assert.deepStrictEqual(namesOf(text, "own"), ["fs", "mail", "web"])
  })

  it("refuses to disable a server that does not exist", () => {
    const slip = text.replace("fs: { enabled: false }", "sf: { enabled: false }, webb: { disabled: true }")
    assert.deepStrictEqual(errorsOf(slip), [
      "openclaw.json:15: agents.list[2].mcp.servers.sf: disables a server that is not configured",
      'openclaw.json:15: agents.list[2].mcp.servers.webb: disables a server that is not configured, did you mean "web"?'
    ])
  })

  it("reports a problem of the merge where the agent caused it", () => {
    const both = text.replace("fs: { enabled: false }", 'fs: { url: "https://a.example" }')
    assert.deepStrictEqual(errorsOf(both), [
      'openclaw.json:15: agents.list[2].mcp.servers.fs: has both "command" and "url": keep one, or choose with "transport"'
    ])
  })

  it("reports a problem of the defaults once for all agents", () => {
    assert.lengthOf(errorsOf(text.replace('command: "fs"', 'command: "${UNSET}"')), 1)
  })
})

describe("problems of a configuration", () => {
  it("are all reported, in the order of the text, with line and path", () => {
    const text = `{
  agents: {
    list: [
      { id: "a b" },
    ],
  },
  mcp: {
    servers: {
      one: {
        comand: "node",
      },
      two: {
        url: "https://a.example",
        timeout: "5s",
        headers: { A: "\${MISSING}" },
      },
    },
  },
}`
    assert.deepStrictEqual(errorsOf(text), [
      'openclaw.json:4: agents.list[0].id: must be 1 to 64 letters, digits, "_" or "-", is "a b"',
      'openclaw.json:10: mcp.servers.one.comand: unknown key, did you mean "command"?',
      'openclaw.json:14: mcp.servers.two.timeout: must be a positive number of milliseconds, is "5s"',
      "openclaw.json:15: mcp.servers.two.headers.A: environment variable MISSING is not set: set it, or give a default with ${MISSING:-value}"
    ])
  })

  it("include a warning about one of our keys that is given twice", () => {
    const text = `{\n mcpServers: { x: { command: "a" },\n x: { command: "b" } },\n other: 1, other: 2 }`
    assert.deepStrictEqual(warningsOf(text), ["openclaw.json:3: mcpServers.x: is also on line 2; the last one counts"])
    assert.strictEqual(stdioOf(serverOf(decode(text))).command, "b")
  })
})

describe("a server's reference that cannot be resolved", () => {
  const text = (entry: string, more = "") => `{
  mcp: { servers: {
    good: { command: "a" },
    x: ${entry},
  } },
  agents: { list: [{ id: "main" }, { id: "other", mcp: { servers: { x: { env: { T: "given" } } } } }] }, ${more}
}`

  it("is a fault of that server for that agent only, with file, line and path", () => {
    for (const [value, why] of [
      ["${UNSET}", "environment variable UNSET is not set: set it, or give a default with ${UNSET:-value}"],
      ["${", "contains a ${ that is not a reference: write ${NAME} or ${NAME:-default}, or $${ for itself"],
      ["secret://nowhere/x", /^there is no secret provider 'nowhere'/],
      ["secret://env", /^holds a secret:\/\/ reference that cannot be read/],
      ["secret://env/HOME#3", /^holds a reference that can never work/]
    ] as const) {
      const config = decode(text(`{ command: "b", env: { T: ${JSON.stringify(value)} } }`))
      const { fault } = serverOf(config, "x")
      assert.deepInclude(fault, { file: "openclaw.json", line: 4, path: "mcp.servers.x.env.T" })
      if (typeof why === "string") assert.strictEqual(fault!.message, why)
      else assert.match(fault!.message, why)
      assert.deepStrictEqual(config.faults, [fault!])
      assert.isUndefined(serverOf(config, "good").fault)
      assert.isUndefined(serverOf(config, "x", "other").fault)
    }
  })

  it("keeps the server from sharing a process with one that has no fault", () => {
    const config = decode(`{ mcp: { servers: { x: { command: "a", protocol: "\${P}" } } }, agents: { list: [
      { id: "main" }, { id: "other", mcp: { servers: { x: { protocol: "auto" } } } }] } }`)
    assert.notStrictEqual(fingerprint(serverOf(config)), fingerprint(serverOf(config, "x", "other")))
  })

  it("is listed among the errors when there are others", () => {
    const errors = errorsOf(text(`{ command: "\${UNSET}" }`, `mcpServers: { y: { command: "a", comand: "a" } }`))
    assert.deepStrictEqual(
      errors.map((line) => line.slice(0, 40)),
      ["openclaw.json:4: mcp.servers.x.command: ", "openclaw.json:6: mcpServers.y.comand: un"]
    )
  })

  it("is ignored for a disabled server", () => {
    assert.deepStrictEqual(decode(text(`{ enabled: false, command: "\${UNSET}" }`)).faults, [])
  })
})

describe("a configuration of any shape", () => {
  const CANARY = "canary-hunter2"
  const keys = (
    "agents defaults list entries id default mcp servers mcpServers gateway tools allow deny model primary baseUrl " +
    `apiKey include bytes __proto__ x secrets ttlMs exec vault token appRole secretId gcp pattern NODE_OPTIONS ` +
    SERVER_KEY_NAMES.join(" ")
  ).split(" ")
  const word = Arbitrary.schema(Schema.Literals(keys))
  const leaf: Arbitrary.Arbitrary<unknown> = Arbitrary.schema(
    Schema.NullOr(
      Schema.Literals([
        "",
        "a",
        "stdio",
        "https://a.example",
        "${A}",
        "${",
        "\0",
        "auto",
        "secret://x/y",
        "***",
        0,
        1,
        -1,
        1.5,
        true,
        false
      ])
    )
  )
  const grow = (child: Arbitrary.Arbitrary<unknown>): Arbitrary.Arbitrary<unknown> =>
    Arbitrary.map(
      Arbitrary.all({
        keys: Arbitrary.array(word, { minLength: 1, maxLength: 6 }),
        children: Arbitrary.array(child, { minLength: 6, maxLength: 6 }),
        shape: Arbitrary.schema(Schema.Literals(["object", "object", "object", "list", "leaf"]))
      }),
      ({ children, keys, shape }): unknown =>
        shape === "object"
          ? Object.fromEntries(keys.map((key, i) => [key, children[i]]))
          : shape === "list"
            ? children.slice(0, keys.length)
            : children[0]
    )
  const server = grow(grow(leaf))
  const mcp = Arbitrary.map(Arbitrary.array(server, { maxLength: 3 }), (servers) => ({ servers: { ...servers } }))
  const plausible = Arbitrary.map(
    Arbitrary.all({ mcp, agent: mcp, anything: grow(server), other: grow(server) }),
    ({ agent, anything, mcp, other }) => ({
      agents: { defaults: { mcp, tools: anything }, list: [{ id: "a", mcp: agent, model: other }, anything] },
      secrets: {
        vault: { token: CANARY, appRole: anything },
        exec: { c: other, d: { command: "d", env: { E: CANARY } } }
      },
      mcpServers: { s: { command: "a", env: { TOKEN: [CANARY, anything], OTHER: `${CANARY}\0` } }, t: other }
    })
  )

  it.prop("gives a result, and issues never show a value of env", [plausible, server], ([likely, odd]) => {
    assert.isTrue(Result.isFailure(decodeValue(likely)))
    for (const value of [likely, odd]) {
      const result = decodeValue(value)
      const issues = Result.isFailure(result) ? result.failure.issues : result.success.warnings
      for (const issue of issues) assert.notInclude(issue.message, CANARY)
      if (Result.isSuccess(result)) {
        assert.include(
          result.success.agents.map(({ id }) => id),
          result.success.defaultAgent
        )
      } else assert.isNotEmpty(issues)
    }
  })
})
