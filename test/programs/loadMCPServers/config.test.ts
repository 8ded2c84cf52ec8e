import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Config from "../../../src/programs/loadMCPServers/config.ts"
import type { MCPSecrets, MCPServersConfig } from "../../../src/programs/loadMCPServers/config.ts"
import { ConfigError } from "../../../src/schemas/config/ConfigError.ts"
import { formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import { DEFAULT_SECRETS } from "../../../src/schemas/secret/SecretsConfig.ts"
import type { HttpLaunch } from "../../../src/schemas/connection/ServerConfig.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"

const NO_RULES: Config.ProgramRules = { policy: undefined, sampling: false }

const load = (config: unknown, rules: Config.ProgramRules = NO_RULES) =>
  ConfigSource.use((source) => source.load).pipe(Effect.provide(Config.layer(config, rules)))

const serversOf = (config: unknown, rules?: Config.ProgramRules) =>
  Effect.map(load(config, rules), ({ agents }) => agents[0]!.servers)

const problemsOf = (config: unknown) =>
  load(config).pipe(
    Effect.flip,
    Effect.map((error) => {
      assert.instanceOf(error, ConfigError)
      return error.message.split("\n")
    })
  )

const inFolder = <A, E>(use: (folder: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-test-"))),
    use,
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const headersOf = (launch: unknown) => (launch as HttpLaunch).headers
const http = (entry: object) => ({
  servers: { web: { type: "streamable-http", url: "https://mcp.example/mcp", ...entry } }
})

describe("{ servers }", () => {
  it.effect("takes all three ways to reach a server, with the keys of any other dialect", () =>
    Effect.gen(function* () {
      const config: MCPServersConfig = {
        servers: {
          files: { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "b" }, workingDir: "/srv" },
          web: { type: "streamable-http", url: "https://mcp.example/mcp", toolTimeout: 5 },
          old: { type: "sse", url: "https://mcp.example/sse" }
        }
      }
      const servers = yield* serversOf(config)
      assert.deepStrictEqual(
        servers.map(({ launch, name, toolTimeout }) => [name, launch, toolTimeout]),
        [
          ["files", { kind: "stdio", command: "npx", args: ["-y", "x"], env: { A: "b" }, cwd: "/srv" }, 60_000],
          ["old", { kind: "sse", url: "https://mcp.example/sse", headers: {} }, 60_000],
          ["web", { kind: "http", url: "https://mcp.example/mcp", headers: {} }, 5]
        ]
      )
    })
  )

  it.effect("a bearer token becomes its header, beside the others; a reference stays one", () =>
    Effect.gen(function* () {
      const auth = { type: "bearer", token: "secret://env/TOKEN" }
      const [web] = yield* serversOf(http({ auth, headers: { "X-Tenant": "7" } }))
      assert.deepStrictEqual(headersOf(web?.launch), {
        "X-Tenant": "7",
        Authorization: "Bearer secret://env/TOKEN"
      })
    })
  )

  it.effect("an API key becomes X-API-Key", () =>
    Effect.gen(function* () {
      const [web] = yield* serversOf(http({ auth: { type: "api-key", key: "secret://env/KEY" } }))
      assert.deepStrictEqual(headersOf(web?.launch), { "X-API-Key": "secret://env/KEY" })
    })
  )

  it.effect("OAuth stays what it is", () =>
    Effect.gen(function* () {
      const [web] = yield* serversOf(http({ auth: { type: "oauth", clientId: "me" } }))
      assert.deepInclude(web?.launch, { auth: { grant: "authorization_code", clientId: "me" } })
      assert.deepStrictEqual(headersOf(web?.launch), {})
    })
  )

  for (const [what, entry, problem] of [
    [
      "auth that is no object",
      { auth: "token" },
      'servers.web.auth: must be an object with a "type" of "bearer", "api-key" or "oauth", is "token"'
    ],
    [
      "an unknown type",
      { auth: { type: "basic" } },
      'servers.web.auth.type: must be "bearer", "api-key" or "oauth", is "basic"'
    ],
    ["no type", { auth: {} }, 'servers.web.auth: needs a "type": "bearer", "api-key" or "oauth"'],
    ["a type that every object has", { auth: { type: "constructor" } }, 'servers.web.auth.type: must be "bearer"'],
    [
      "an empty token",
      { auth: { type: "bearer", token: " " } },
      "servers.web.auth.token: must be a string that is not empty"
    ],
    ["a token under another name", { auth: { type: "bearer", tokn: "x" } }, "servers.web.auth.tokn: unknown key"],
    [
      "the same header twice",
      { auth: { type: "bearer", token: "secret://env/A" }, headers: { AUTHORIZATION: "secret://env/B" } },
      'servers.web.auth: sets the header Authorization, which "headers" also sets: keep one'
    ],
    [
      "a token that no header can carry, by the place where it was written",
      { auth: { type: "bearer", token: "a\nb" } },
      "servers.web.auth.token: contains a character that a header cannot carry"
    ]
  ] as const) {
    it.effect(`refuses ${what}`, () =>
      Effect.gen(function* () {
        const problems = yield* problemsOf(http(entry))
        assert.isTrue(
          problems.some((line) => line.startsWith(`configuration: ${problem}`)),
          problems.join("\n")
        )
      })
    )
  }

  it.effect("refuses auth for a process, which has no headers", () =>
    Effect.gen(function* () {
      const config = { servers: { fs: { command: "x", auth: { type: "bearer", token: "t" } } } }
      const [problem] = yield* problemsOf(config)
      assert.include(problem, 'servers.fs.auth: is for servers with a "url"')
    })
  )

  it.effect("names every problem at once, each with its path, and never a token", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({
        servers: {
          fs: { type: "stdio", comand: "npx" },
          web: { type: "streamable-http", url: "https://x", auth: { type: "bearer", token: 7 } },
          two: { type: "streamable-http", url: "https://x", auth: { type: "bearer", token: "hush\0", more: 1 } }
        }
      })
      const text = problems.join("\n")
      assert.include(text, 'servers.fs.comand: unknown key, did you mean "command"?')
      assert.include(text, "servers.web.auth.token: must be a string")
      assert.include(text, "servers.two.auth.more: unknown key")
      assert.notInclude(text, "hush")
    })
  )

  it.effect("names the place of a credential in plain text", () =>
    Effect.gen(function* () {
      const { warnings } = yield* load(http({ auth: { type: "bearer", token: "plain" } }))
      assert.deepStrictEqual(
        warnings.map(({ path }) => path),
        ["servers.web.auth.token"]
      )
    })
  )
})

describe("the top of a configuration", () => {
  const PLACES = 'servers stand under one of "servers", "mcpServers", "mcp", "agents"'
  const entries = { fs: { command: "x" } }

  for (const [what, config, problem] of [
    ["server", { server: entries }, `server: unknown key, did you mean "servers"? (${PLACES})`],
    ["mcpServer", { mcpServer: entries }, `mcpServer: unknown key, did you mean "mcpServers"? (${PLACES})`],
    ["no word that is near", { a: { command: "x" } }, `describes no servers: ${PLACES}`],
    ["an entry alone", { type: "stdio", command: "x" }, `describes no servers: ${PLACES}`],
    ["nothing", {}, `describes no servers: ${PLACES}`],
    ["servers that are undefined", { servers: undefined }, `describes no servers: ${PLACES}`],
    ["a slip beside servers", { servers: {}, toolindex: {} }, 'toolindex: unknown key, did you mean "toolIndex"?'],
    ["a stranger beside servers", { servers: {}, colours: 1 }, "colours: unknown key"]
  ] as const) {
    it.effect(`with ${what} is refused, as an object and as a file`, () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* problemsOf(config), [`configuration: ${problem}`])
          const file = join(folder, "servers.json")
          writeFileSync(file, JSON.stringify(config))
          assert.deepStrictEqual(yield* problemsOf(file), [`${file}: ${problem}`])
        })
      )
    )
  }

  it.effect("may have no servers, where it says so", () =>
    Effect.gen(function* () {
      for (const config of [{ servers: {} }, { mcpServers: {} }, { mcp: {} }, { agents: {} }]) {
        assert.deepStrictEqual(yield* serversOf(config), [])
      }
    })
  )

  it.effect("has room for rules, and for what editors put beside servers", () =>
    Effect.gen(function* () {
      const config = { $schema: "https://x", inputs: [], servers: entries, tools: { deny: ["fs/rm"] } }
      assert.lengthOf(yield* serversOf(config), 1)
    })
  )

  it.effect("of files for other programs may have keys of those programs", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* serversOf({ mcpServers: entries, globalShortcut: "", toolindex: 1 }), 1)
    })
  )

  for (const [toolIndex, expected] of [
    [{ threshold: 7 }, 7],
    [{ threshold: false }, 0],
    [false, 0]
  ] as const) {
    it.effect(`takes toolIndex ${JSON.stringify(toolIndex)} beside servers, as an object and as a file`, () =>
      inFolder((folder) =>
        Effect.gen(function* () {
          const config: MCPServersConfig = { servers: entries, toolIndex }
          const file = join(folder, "servers.json")
          writeFileSync(file, JSON.stringify(config))
          for (const source of [config, file]) {
            const { agents } = yield* load(source)
            assert.strictEqual(agents[0]?.toolIndexThreshold, expected)
            assert.lengthOf(agents[0]!.servers, 1)
          }
        })
      )
    )
  }

  it.effect("takes secrets beside servers and mcpServers, as an object and as a file, and hands them on", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const secrets: MCPSecrets = {
          ttlMs: 7,
          exec: { db: { command: "pass", args: ["db"] } },
          op: { account: "acme" }
        }
        const entry = { command: "x", env: { KEY: "secret://exec/db" } }
        const file = join(folder, "servers.json")
        for (const config of [
          { servers: { fs: entry }, secrets },
          { servers: { fs: entry }, secrets, toolIndex: false },
          { mcpServers: { fs: entry }, secrets },
          { mcp: { servers: { fs: entry }, secrets } }
        ] satisfies ReadonlyArray<MCPServersConfig>) {
          writeFileSync(file, JSON.stringify(config))
          for (const source of [config, file]) {
            const loaded = yield* load(source, { policy: { deny: ["x"] }, sampling: true })
            assert.deepInclude(loaded.secrets, {
              ttlMs: 7,
              exec: { db: { command: "pass", args: ["db"], env: {} } },
              op: { account: "acme" }
            })
          }
        }
      })
    )
  )

  it.effect("leaves OpenClaw's own secrets alone, beside servers too", () =>
    Effect.gen(function* () {
      const openclaws = { providers: { default: { source: "env" } }, defaults: { env: "default" } }
      for (const config of [
        { servers: entries, secrets: openclaws },
        { mcp: { servers: entries }, secrets: openclaws }
      ]) {
        const { secrets, warnings } = yield* load(config)
        assert.deepStrictEqual([secrets, warnings], [DEFAULT_SECRETS, []])
      }
    })
  )

  it.effect("names what is wrong with secrets, and with a reference, by the place where it was written", () =>
    Effect.gen(function* () {
      const auth = { type: "bearer", token: "secret://vualt/kv/a/b" }
      const problems = yield* problemsOf({
        servers: { web: { url: "https://x", auth } },
        secrets: { vault: { adress: "https://v" } }
      })
      assert.deepStrictEqual(problems.toSorted(), [
        'configuration: secrets.vault.adress: unknown key, did you mean "address"?',
        "configuration: servers.web.auth.token: there is no secret provider 'vualt', did you mean 'vault'?"
      ])
      assert.deepStrictEqual(yield* problemsOf({ secrets: {} }), [`configuration: describes no servers: ${PLACES}`])
    })
  )

  it.effect("names what is wrong with toolIndex by the place where it was written", () =>
    Effect.gen(function* () {
      const [number] = yield* problemsOf({ servers: entries, toolIndex: 7 })
      assert.isTrue(number?.startsWith("configuration: toolIndex: must be an object"), number)
      const [threshold] = yield* problemsOf({ servers: entries, toolIndex: { threshold: -1 } })
      assert.isTrue(threshold?.startsWith("configuration: toolIndex.threshold: "), threshold)
      const [slip] = yield* problemsOf({ servers: entries, toolIndex: { treshold: 7 } })
      assert.strictEqual(slip, 'configuration: toolIndex.treshold: unknown key, did you mean "threshold"?')
    })
  )
})

describe("the other forms", () => {
  for (const [name, config] of [
    ["mcpServers", { mcpServers: { fs: { command: "x" } } }],
    ["openclaw.json", { agents: { defaults: { mcp: { servers: { fs: { command: "x" } } } } } }],
    ["mcp.servers", { mcp: { servers: { fs: { command: "x" } } } }]
  ] as const) {
    it.effect(`takes ${name} as an object`, () =>
      Effect.gen(function* () {
        const servers = yield* serversOf(config)
        assert.deepStrictEqual(
          servers.map((server) => server.name),
          ["fs"]
        )
      })
    )
  }

  for (const value of [undefined, null, 7, []]) {
    it.effect(`refuses ${JSON.stringify(value)}`, () =>
      Effect.gen(function* () {
        assert.include((yield* problemsOf(value))[0], "must be an object at the top")
      })
    )
  }

  it.effect("takes a file in the form of { servers }, with its auth; paths count from the file", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const file = join(folder, "servers.json")
        const servers = {
          web: { type: "streamable-http", url: "https://x", auth: { type: "bearer", token: "secret://env/A" } },
          fs: { type: "stdio", command: "x", workingDir: "sub" }
        }
        writeFileSync(file, JSON.stringify({ servers }))
        const [fs, web] = yield* serversOf(file)
        assert.deepInclude(fs?.launch, { cwd: join(folder, "sub") })
        assert.deepStrictEqual(headersOf(web?.launch), { Authorization: "Bearer secret://env/A" })
        writeFileSync(file, JSON.stringify({ servers: { web: { url: "https://x", auth: { type: "basic" } } } }))
        assert.include((yield* problemsOf(file))[0], "servers.json:1: servers.web.auth.type: ")
      })
    )
  )

  it.effect("a path that does not exist is named", () =>
    Effect.gen(function* () {
      assert.include((yield* problemsOf("/nowhere/mcp.json"))[0], "/nowhere/mcp.json")
    })
  )
})

describe("the rules of the program", () => {
  it.effect("come on top of those of the configuration", () =>
    Effect.gen(function* () {
      const config = { tools: { deny: ["fs/rm"] }, mcpServers: { fs: { command: "x" } } }
      const { agents } = yield* load(config, { policy: { allow: ["fs/*"] }, sampling: false })
      assert.deepStrictEqual(agents[0]?.rules.slice(1), [{ allow: ["fs/*"], deny: [] }])
      assert.deepStrictEqual(agents[0]?.rules[0]?.deny, ["fs/rm"])
      const asking = yield* load(config, { policy: { ask: ["fs/*"] }, sampling: false })
      assert.deepStrictEqual(asking.agents[0]?.rules.slice(1), [{ allow: undefined, deny: [], ask: ["fs/*"] }])
      const policy = { ask: ["fs/*"], approvers: ["group:leads"] }
      const named = yield* load(config, { policy, sampling: false })
      assert.deepStrictEqual(named.agents[0]?.rules.slice(1), [{ allow: undefined, deny: [], ...policy }])
    })
  )

  it.effect(
    "that can match no tool are told, with the server that was meant; what the configuration warns of stays",
    () =>
      Effect.gen(function* () {
        const config = { tools: { deny: ["gihub/rm"] }, mcpServers: { fs: { command: "x" }, github: { command: "y" } } }
        const policy = {
          allow: ["fs/*"],
          deny: ["fss/rm", "*"],
          ask: ["mcp_gihub_push"],
          ownerOnly: ["github/x", "github"]
        }
        const { warnings } = yield* load(config, { policy, sampling: false })
        const none = "matches no tool of any server that is configured"
        assert.deepStrictEqual(warnings.map(formatIssue), [
          `configuration: tools.deny[0]: ${none}, did you mean "github/rm"?`,
          `options: policy.deny[0]: ${none}, did you mean "fs/rm"?`,
          `options: policy.ask[0]: ${none}, did you mean "mcp_github_*"?`,
          'options: policy.ownerOnly[1]: matches no tool of the server "github": for all of them write "github/*"'
        ])
        assert.lengthOf((yield* load(config, NO_RULES)).warnings, 1)
        assert.deepStrictEqual(
          (yield* load({ mcpServers: { fs: { command: "x" } } }, { policy: {}, sampling: false })).warnings,
          []
        )
      })
  )

  const entries = { asks: { command: "x" }, never: { command: "x", sampling: "deny" } }
  const samplings = (config: unknown, sampling: boolean) =>
    Effect.map(serversOf(config, { policy: undefined, sampling }), (servers) =>
      Object.fromEntries(servers.map((server) => [server.name, server.sampling]))
    )

  for (const [name, config] of [
    ["servers", { servers: entries }],
    ["mcpServers", { mcpServers: entries }],
    ["agents.defaults", { agents: { defaults: { mcp: { servers: entries } } } }],
    ["agents.list", { agents: { list: [{ id: "main", mcp: { servers: entries } }] } }]
  ] as const) {
    it.effect(`a program that answers samplings lets servers ask, but for those that may not (${name})`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* samplings(config, true), { asks: true, never: false })
        assert.deepStrictEqual(yield* samplings(config, false), { asks: false, never: false })
      })
    )
  }

  it.effect("a program whose configuration is a file, and that answers samplings, lets servers ask", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const file = join(folder, "mcp.json")
        writeFileSync(file, `{ /* JSON5 */ mcpServers: ${JSON.stringify(entries)} }`)
        assert.deepStrictEqual(yield* samplings(file, true), { asks: true, never: false })
      })
    )
  )
})
