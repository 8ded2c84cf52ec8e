/** What OpenClaw's own MCP leaves open, configuration by configuration. */
import { assert, describe, it } from "@effect/vitest"
import JSON5 from "json5"
import { at } from "../../../../src/schemas/agent/openclaw/doctor/read.ts"
import { examine } from "../../../../src/schemas/agent/openclaw/Doctor.ts"
import type { DoctorReport } from "../../../../src/schemas/agent/openclaw/doctor/report.ts"

const SECRET = "sk-live-0123456789abcdefghij"

const look = (value: unknown): DoctorReport =>
  examine(value, {
    env: { INNER: "10.0.0.9" },
    hasCommand: (command) => command !== "nowhere",
    hasPlugin: (path) => path === "/there/openclaw-plugin",
    pluginFolder: "/there/openclaw-plugin"
  })

const ids = (value: unknown) => look(value).findings.map(({ id }) => id)

const server = (entry: object) => ({ mcp: { servers: { docs: entry } } })
const withPlugin = (config: object = {}, more: object = {}) => ({
  plugins: { entries: { "mcp-live": { enabled: true, config } }, ...more }
})

/** Of an entry, what is found beside what is always so. */
const USUAL = new Set(["uncleaned-results", "no-restart", "process-per-session", "all-tools"])
const about = (entry: object, root: object = {}) =>
  look({ ...server(entry), ...root })
    .findings.filter(({ id }) => !USUAL.has(id))
    .map(({ id, paths }) => `${id} ${paths.join(" ")}`)

const node = { command: "node" }

const ENTRIES: ReadonlyArray<readonly [why: string, entry: object, expected: ReadonlyArray<string>]> = [
  ["a plain entry", { ...node, args: ["server.js", "/srv"] }, []],
  [
    "a credential in a variable",
    { ...node, env: { API_KEY: SECRET } },
    ["plaintext-secret mcp.servers.docs.env.API_KEY"]
  ],
  [
    "a credential in a header",
    { url: "https://x.example/mcp", transport: "streamable-http", headers: { "X-Api-Key": SECRET } },
    ["plaintext-secret mcp.servers.docs.headers.X-Api-Key"]
  ],
  ["a credential behind a flag", { ...node, args: ["--token", SECRET] }, ["plaintext-secret mcp.servers.docs.args[1]"]],
  ["a credential in a flag", { ...node, args: [`--api-key=${SECRET}`] }, ["plaintext-secret mcp.servers.docs.args[0]"]],
  [
    "a password in an argument",
    { ...node, args: [`postgres://ada:${SECRET}@db/x`] },
    ["plaintext-secret mcp.servers.docs.args[0]"]
  ],
  [
    "a credential in the address",
    { url: `https://x.example/mcp?token=${SECRET}`, transport: "sse" },
    ["plaintext-secret mcp.servers.docs.url"]
  ],
  ["a variable in place of it", { ...node, env: { API_KEY: "${API_KEY}" }, args: ["--token", "${TOKEN}"] }, []],
  ["the file of a credential", { ...node, env: { TOKEN_FILE: "/run/secrets/token" } }, []],
  ["a reference", { ...node, env: { API_KEY: "secret://env/KEY" } }, ["secret-reference mcp.servers.docs.env.API_KEY"]],
  [
    "a reference within an argument",
    { ...node, args: ["--dsn=secret://gcp/dsn"] },
    ["secret-reference mcp.servers.docs.args[0]"]
  ],
  [
    "a reference that mcp-live exec resolves, and what it starts",
    {
      command: "mcp-live",
      args: ["exec", "--config", "x.json", "--", "node", "--token=secret://file/t"],
      env: { API_KEY: "secret://env/KEY" }
    },
    []
  ],
  [
    "mcp-live exec by its package or its file",
    { command: "npx", args: ["-y", "mcp-live@0.1.0", "exec", "--", "node"], env: { API_KEY: "secret://env/KEY" } },
    []
  ],
  [
    "a reference to mcp-live exec itself, or to another program's exec",
    { command: "mcp-live", args: ["exec", "--config", "secret://file/x", "--", "node"] },
    ["secret-reference mcp.servers.docs.args[2]"]
  ],
  [
    "the exec of something else",
    { command: "docker", args: ["exec", "--", "node"], env: { API_KEY: "secret://env/KEY" } },
    ["secret-reference mcp.servers.docs.env.API_KEY"]
  ],
  [
    "a credential behind mcp-live exec",
    { command: "mcp-live", args: ["exec", "--", "node", "--token", SECRET] },
    ["plaintext-secret mcp.servers.docs.args[4]"]
  ],
  [
    "a package without a version behind mcp-live exec",
    { command: "mcp-live", args: ["exec", "--", "npx", "-y", "@acme/docs"] },
    ["unpinned-package mcp.servers.docs.args"]
  ],
  [
    "a command behind mcp-live exec that is not there",
    { command: "mcp-live", args: ["exec", "--", "nowhere"] },
    ["command-missing mcp.servers.docs.args"]
  ],
  [
    "an object in place of a secret",
    { ...node, env: { API_KEY: { source: "env", id: "X" } } },
    ["secret-object mcp.servers.docs.env.API_KEY"]
  ],
  ["agents", { ...node, agents: ["other"] }, ["agents-ignored mcp.servers.docs.agents"]],
  ["agents of Codex", { ...node, codex: { agents: ["other"] } }, ["codex-agents-only mcp.servers.docs.codex.agents"]],
  [
    "http to somewhere else",
    { url: "http://x.example/mcp", transport: "streamable-http" },
    ["plaintext-http mcp.servers.docs.url"]
  ],
  ["http to this machine", { url: "http://127.0.0.1:9/mcp", transport: "streamable-http" }, []],
  [
    "https to a private address",
    { url: "https://192.168.1.4/mcp", transport: "sse" },
    ["private-address mcp.servers.docs.url"]
  ],
  [
    "https to a private address of a variable",
    { url: "https://${INNER}/mcp", transport: "sse" },
    ["private-address mcp.servers.docs.url"]
  ],
  [
    "the credentials of a cloud",
    { url: "http://169.254.169.254/x", transport: "sse" },
    ["plaintext-http mcp.servers.docs.url", "private-address mcp.servers.docs.url"]
  ],
  ["an address of a variable that is not set", { url: "http://${NOT_SET}/mcp", transport: "sse" }, []],
  [
    "a certificate that nobody checks",
    { url: "https://x.example", transport: "sse", sslVerify: false },
    ["tls-unverified mcp.servers.docs.sslVerify"]
  ],
  ["no transport", { url: "https://x.example" }, ["sse-by-default mcp.servers.docs.transport"]],
  ["neither command nor url", {}, ["nothing-to-start mcp.servers.docs"]],
  ["a command that is not there", { command: "nowhere" }, ["command-missing mcp.servers.docs.command"]],
  [
    "a package without a version",
    { command: "npx", args: ["-y", "@acme/docs"] },
    ["unpinned-package mcp.servers.docs.args"]
  ],
  [
    "a package with a tag",
    { command: "/usr/bin/npx", args: ["@acme/docs@latest"] },
    ["unpinned-package mcp.servers.docs.args"]
  ],
  [
    "a package with a range",
    { command: "npx", args: ["-p", "docs@^1.2.3", "docs"] },
    ["unpinned-package mcp.servers.docs.args"]
  ],
  ["a package of uv", { command: "uvx", args: ["mcp-server-fetch"] }, ["unpinned-package mcp.servers.docs.args"]],
  ["a package of pnpm", { command: "pnpm", args: ["dlx", "docs"] }, ["unpinned-package mcp.servers.docs.args"]],
  ["an exact version", { command: "npx", args: ["-y", "@acme/docs@1.2.3"] }, []],
  ["an exact version of uv", { command: "uvx", args: ["--from", "docs==1.2", "docs"] }, []],
  ["npm for something else", { command: "npm", args: ["start"] }, []],
  ["a key that means another", { ...node, comand: "x" }, ["unknown-key mcp.servers.docs.comand"]],
  ["a key that is rejected", { ...node, timeout: 5 }, ["rejected-key mcp.servers.docs.timeout"]],
  [
    "a transport that is rejected",
    { url: "https://x.example", transport: "http" },
    ["rejected-key mcp.servers.docs.transport"]
  ],
  ["a server that is switched off", { command: "nowhere", enabled: false, env: { API_KEY: SECRET } }, []]
]

describe("examine", () => {
  for (const [why, entry, expected] of ENTRIES) {
    it(`finds the problems of an entry with ${why}`, () => assert.deepStrictEqual(about(entry), expected))
  }

  it("finds nothing in a configuration without servers", () => {
    assert.deepStrictEqual(look({ gateway: { port: 1 } }), {
      servers: [],
      plugin: { enabled: false, frames: false, agents: false },
      findings: [],
      advice: null
    })
  })

  it("finds nothing for one filtered Streamable HTTP server with the plugin loaded", () => {
    const docs = { url: "https://x.example/mcp", transport: "streamable-http", toolFilter: { include: ["read_*"] } }
    const loaded = withPlugin({}, { load: { paths: ["/there/openclaw-plugin"] } })
    assert.deepStrictEqual(ids({ ...server(docs), ...loaded }), [])
  })

  it("reports unframed results exactly in the modes in which OpenClaw lists tools by name", () => {
    const inMode = (toolSearch: unknown, more: object = {}) =>
      ids({ ...server(node), tools: { toolSearch }, ...more }).filter((id) => id.endsWith("-results"))
    assert.deepStrictEqual(inMode(false), ["unframed-results"])
    assert.deepStrictEqual(inMode({ enabled: false }), ["unframed-results"])
    assert.deepStrictEqual(inMode({}), ["unframed-results"])
    assert.deepStrictEqual(inMode({ mode: "directory" }), ["unframed-results"])
    assert.deepStrictEqual(inMode({ mode: "tools" }), ["uncleaned-results"])
    assert.deepStrictEqual(inMode(true), ["uncleaned-results"])
    assert.deepStrictEqual(inMode(undefined), ["uncleaned-results"])
    assert.deepStrictEqual(inMode(false, withPlugin()), [])
    assert.deepStrictEqual(inMode(false, withPlugin({ native: { frame: false } })), ["unframed-results"])
  })

  it("treats the plugin as off when any setting keeps it from loading", () => {
    const isOn = (plugins: object) => look({ ...server(node), plugins }).plugin.enabled
    const entries = { "mcp-live": { enabled: true } }
    assert.isTrue(isOn({ entries }))
    assert.isTrue(isOn({ entries, allow: ["mcp-live"] }))
    assert.isFalse(isOn({ entries, enabled: false }))
    assert.isFalse(isOn({ entries, allow: ["other"] }))
    assert.isFalse(isOn({ entries, deny: ["mcp-live"] }))
    assert.isFalse(isOn({ entries: { "mcp-live": {} } }))
    assert.include(ids({ plugins: { entries, enabled: false } }), "plugin-off")
  })

  it("reports where OpenClaw rejects servers of agents", () => {
    const mcp = { servers: {} }
    const agents = { defaults: { mcp }, entries: { a: { mcp }, b: {} }, list: [{ id: "c" }, { id: "d", mcp }] }
    const [finding] = look({ agents }).findings
    assert.deepStrictEqual(finding?.paths, ["agents.defaults.mcp", "agents.entries.a.mcp", "agents.list[1].mcp"])
  })

  it("reports a plugin path that does not exist, and plugin servers that cannot be used", () => {
    const paths = (path: string) => ({ load: { paths: [path] } })
    assert.include(ids(withPlugin({}, paths("/gone/openclaw-plugin"))), "plugin-path")
    assert.notInclude(ids(withPlugin({}, paths("/there/openclaw-plugin"))), "plugin-path")
    assert.include(ids(withPlugin({}, paths("/gone/under-another-name"))), "plugin-path")
    assert.include(ids(withPlugin()), "plugin-path")
    const bad = look(withPlugin({ agents: { list: [{ id: "main", mcp: { servers: { x: { comand: "y" } } } }] } }))
    assert.strictEqual(bad.findings[0]?.id, "plugin-config")
    assert.include(bad.findings[0]?.what, "agents.list[0].mcp.servers.x")
  })

  it("does not report a reference that the plugin resolves for OpenClaw", () => {
    const docs = { url: "https://x.example", transport: "sse", headers: { Authorization: "secret://env/X" } }
    const config = { native: { connections: { docs: { url: "https://x.example" } } } }
    assert.include(ids(server(docs)), "secret-reference")
    assert.notInclude(ids({ ...server(docs), ...withPlugin(config) }), "secret-reference")
  })

  it("reports a finding of several servers once, and the most severe first", () => {
    const { findings } = look({ mcp: { servers: { a: { ...node, agents: [] }, b: { ...node, agents: [] } } } })
    assert.deepStrictEqual(findings[0]?.servers, ["a", "b"])
    assert.deepStrictEqual(findings[0]?.id, "agents-ignored")
    assert.deepStrictEqual(
      findings.map(({ severity }) => severity),
      ["high", "medium", "low", "low", "low"]
    )
  })

  it("never shows a value, neither in findings nor in advice", () => {
    const entry = {
      command: `/opt/${SECRET}/run`,
      args: ["--token", SECRET, SECRET],
      env: { API_KEY: SECRET, NAME: SECRET },
      url: `https://ada:${SECRET}@x.example/${SECRET}?token=${SECRET}`,
      headers: { Authorization: `Bearer ${SECRET}`, Accept: SECRET },
      cwd: SECRET
    }
    const npx = { command: "npx", args: [`git+https://${SECRET}@x.example/y`] }
    const runner = { command: "npx", args: ["--token", SECRET, "@acme/docs"] }
    const text = JSON.stringify(look({ mcp: { servers: { docs: entry, npx, runner } } }))
    assert.notInclude(text, SECRET)
    assert.include(text, "plaintext-secret")
  })

  it("advises valid JSON5 with references in place of credentials", () => {
    const docs = { command: "node", args: ["x"], env: { API_KEY: SECRET, MODE: "fast", OLD: "secret://gcp/old" } }
    const advice = look(server(docs)).advice!
    const read: unknown = JSON5.parse(`{${advice}}`)
    const entry = ["plugins", "entries", "mcp-live"]
    const [, behindExec = ""] = /^\/\/ ("docs": .*)$/m.exec(advice) ?? []
    const there: unknown = JSON5.parse(`{${behindExec}}`)
    assert.deepStrictEqual(at(there, ["docs", "command"]), "mcp-live")
    assert.deepStrictEqual(at(there, ["docs", "env"]), {
      API_KEY: "secret://file/run/secrets/api_key",
      MODE: "…",
      OLD: "…"
    })
    assert.deepStrictEqual(at(read, ["plugins", "load", "paths"]), ["/there/openclaw-plugin"])
    assert.isTrue(at(read, [...entry, "enabled"]))
    assert.deepStrictEqual(at(read, [...entry, "config", "agents", "defaults", "mcp", "servers", "docs", "env"]), {
      API_KEY: "secret://env/API_KEY",
      MODE: "…",
      OLD: "…"
    })
  })

  const carried = (read: unknown) => at(read, ["plugins", "entries", "mcp-live", "config", "agents"])

  it("moves servers of agents to the same agents, and those of the defaults to the defaults", () => {
    const agents = {
      defaults: { mcp: { servers: { docs: { command: "node", toolTimeout: 5, lazy: true, toolPrefix: "d" } } } },
      list: [
        { id: "main", default: true },
        { id: "work", mcp: { servers: { tickets: { url: "https://x.example", headers: { "X-Api-Key": SECRET } } } } }
      ],
      entries: { home: { mcp: { servers: { lamp: { command: "lamp", env: { LAMP_TOKEN: SECRET, ROOM: "hall" } } } } } }
    }
    const { advice, findings } = look({ agents, ...server({ command: "node", agents: ["work"] }) })
    assert.deepStrictEqual(findings.find(({ id }) => id === "agents-mcp-rejected")?.servers, [
      "docs",
      "lamp",
      "tickets"
    ])
    assert.notInclude(advice, SECRET)
    assert.include(advice, "and as they were: toolPrefix")
    assert.deepStrictEqual(carried(JSON5.parse(`{${advice}}`)), {
      list: [
        {
          id: "home",
          mcp: { servers: { lamp: { command: "…", env: { LAMP_TOKEN: "secret://env/LAMP_TOKEN", ROOM: "…" } } } }
        },
        { id: "main", default: true },
        {
          id: "work",
          mcp: { servers: { tickets: { url: "…", headers: { "X-Api-Key": "secret://env/TICKETS_X_API_KEY" } } } }
        }
      ],
      defaults: { mcp: { servers: { docs: { command: "…" } } } }
    })
  })

  it("moves servers into a plugin configuration that exists", () => {
    const agents = { list: [{ id: "work", mcp: { servers: { tickets: { command: "node" } } } }] }
    const there = withPlugin({ mcp: { servers: {} } })
    const { advice } = look({ agents, ...there })
    const line = advice!.split("\n").find((text) => text.startsWith("{"))
    assert.deepStrictEqual(JSON5.parse(line!), { id: "work", mcp: { servers: { tickets: { command: "…" } } } })
    assert.isNull(look({ agents: { list: [{ id: "work" }] }, ...there }).advice)
  })

  it("lists every agent of OpenClaw beside the servers that it moves", () => {
    const agents = { entries: { main: { default: true }, work: {} } }
    const { advice } = look({ agents, ...server({ command: "node", agents: ["work"] }) })
    assert.deepStrictEqual(at(carried(JSON5.parse(`{${advice}}`)), ["list"]), [
      { id: "main", default: true },
      { id: "work" }
    ])
  })

  it("reports that resources are not in prompts until allowConversationAccess is set", () => {
    const there = (hooks: object) => ({
      plugins: { entries: { "mcp-live": { enabled: true, hooks, config: { mcp: { servers: {} } } } } }
    })
    assert.include(ids(there({})), "resources-not-in-prompt")
    assert.notInclude(ids(there({ allowConversationAccess: true })), "resources-not-in-prompt")
    assert.notInclude(ids(there({ allowConversationAccess: false })), "resources-not-in-prompt")
    assert.notInclude(ids(withPlugin()), "resources-not-in-prompt")
  })

  it("escapes control and invisible characters in advice, and keeps the server's name", () => {
    const name = "a\u009b2J\u202e\u{e0041}"
    const { advice } = look({ mcp: { servers: { [name]: { command: "node", env: { "X\u200b_TOKEN": SECRET } } } } })
    assert.notMatch(advice!.replaceAll("\n", ""), /\p{C}/u)
    const read: unknown = JSON5.parse(`{${advice}}`)
    const servers = ["plugins", "entries", "mcp-live", "config", "agents", "defaults", "mcp", "servers"]
    assert.deepStrictEqual(Object.keys(at(read, servers) as object), [name])
  })

  it("accepts configurations of any shape", () => {
    const odd: ReadonlyArray<unknown> = [
      null,
      [],
      "x",
      { mcp: [] },
      { mcp: { servers: { a: null, b: 3, c: [], d: { args: 4, env: [1], headers: "x", url: {}, command: [] } } } },
      { plugins: { entries: { "mcp-live": 5 }, load: { paths: [1, null] } }, agents: { list: [null], entries: [] } }
    ]
    for (const value of odd) assert.isArray(look(value).findings)
  })
})
