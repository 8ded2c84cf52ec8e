import { assert, describe, it } from "@effect/vitest"
import { decode, warningsOf } from "./decoding.ts"

/** Warnings, each without the file and its line. */
const warningsFor = (
  tools: string,
  servers = `files: { command: "a" }, "my web": { command: "b", toolPrefix: "web" }`
) =>
  warningsOf(`{ gateway: { tools: ${tools} }, mcpServers: { ${servers} } }`).map((line) =>
    line.replace("openclaw.json:1: gateway.tools.", "")
  )

const NO_TOOL = "matches no tool of any server that is configured"

describe("a rule that matches no server", () => {
  for (const list of ["allow", "deny", "ask"]) {
    it(`has a warning in ${list}, with a suggestion`, () => {
      assert.deepStrictEqual(warningsFor(`{ ${list}: ["files/read", "fils/x"] }`), [
        `${list}[1]: ${NO_TOOL}, did you mean "files/x"?`
      ])
      assert.deepStrictEqual(warningsFor(`{ ${list}: ["nosuchserver/*"] }`), [`${list}[0]: ${NO_TOOL}`])
    })
  }

  for (const [rule, meant] of [
    ["FILS/Read_*", "files/Read_*"],
    ["fil?/x", "files/x"],
    ["my_web/x", "my web/x"],
    ["mcp_fils_read", "mcp_files_*"],
    ["mcp_files", "mcp_files_*"],
    ["mcp_wep_*", "mcp_web_*"]
  ] as const) {
    it(`${rule} has the suggestion ${meant}`, () => {
      assert.deepStrictEqual(warningsFor(`{ deny: ["${rule}"] }`), [`deny[0]: ${NO_TOOL}, did you mean "${meant}"?`])
    })
  }

  it("has a warning when it names a server without its tools", () => {
    assert.deepStrictEqual(warningsFor(`{ deny: ["Files"] }`), [
      'deny[0]: matches no tool of the server "files": for all of them write "files/*"'
    ])
  })

  it("is matched by the prefix of exposed names, and by the server's name before a slash", () => {
    const [first, ...more] = warningsFor(`{ deny: ["web/x", "mcp_my_web_x"] }`)
    assert.match(first!, /^deny\[0\]: matches no tool of any server/)
    assert.lengthOf(more, 1)
  })

  it("is used as it is written", () => {
    const config = decode(`{ gateway: { tools: { deny: ["fils/x"] } }, mcpServers: { files: { command: "a" } } }`)
    assert.deepStrictEqual(config.agents[0]!.rules, [{ allow: undefined, deny: ["fils/x"] }])
  })
})

describe("a rule has no warning", () => {
  for (const rule of [
    "*",
    "*/*",
    "*/delete",
    "f*",
    "f*s/delete_*",
    "FILES/x",
    "my web/x",
    "mcp_*",
    "mcp_*_delete",
    "MCP_FILES_READ",
    "mcp_web_x",
    "mcp__files__read",
    "files__read",
    "mcp_read_more",
    "mcp_search_*",
    "mcp/call_tool"
  ]) {
    it(`such as ${rule}`, () => assert.deepStrictEqual(warningsFor(`{ deny: ["${rule}"], ask: ["${rule}"] }`), []))
  }

  for (const rule of ["exec", "group:fs", "browser", "web_search", "delete_file"]) {
    const text = `{ gateway: { tools: { deny: ["${rule}"] } }, mcp: { servers: { files: { command: "a" } } } }`

    it(`in an openclaw.json, where OpenClaw's own tools have no name of ours: ${rule}`, () =>
      assert.isEmpty(warningsOf(text)))

    it(`unless no file of OpenClaw has it: ${rule}`, () => {
      const ours = [
        warningsOf(text, {}, "/etc/gateway/mcp-live.json"),
        warningsFor(`{ deny: ["${rule}"] }`, `files: { command: "a" }`)
      ]
      for (const [warning, ...more] of ours) {
        assert.match(warning!, /deny\[0\]: matches no tool of any server/)
        assert.isEmpty(more)
      }
      assert.isEmpty(warningsOf(text, { OPENCLAW_CONFIG_PATH: "/x.json" }, "/etc/gateway/mcp-live.json"))
    })
  }

  it("has a sentence with what to write, where it names a tool without its server", () =>
    assert.deepStrictEqual(warningsFor(`{ deny: ["delete_file"] }`), [
      `deny[0]: ${NO_TOOL}: write "files/delete_file", or "*/delete_file" for all servers`
    ]))

  it("about a disabled server, or one with a slash or a long name", () => {
    const long = "a".repeat(64)
    const servers = `off: { command: "a", enabled: false }, "@scope/fs": { command: "a" }, ${long}: { command: "a" }`
    const rules = `["off/x", "@scope/fs/read", "@scope/*", "${long}/x", "mcp_${"a".repeat(40)}*"]`
    assert.deepStrictEqual(warningsFor(`{ deny: ${rules} }`, servers), [])
  })

  it("where no server is configured, which has a warning of its own", () => {
    assert.deepStrictEqual(
      warningsOf(`{ gateway: { tools: { deny: ["a/x"] } } }`).filter((line) => line.includes("matches")),
      []
    )
  })
})

describe("the servers that a rule may match", () => {
  const text = `{
    tools: { deny: ["a/x", "b/x", "c/x"] },
    agents: {
      defaults: { tools: { ask: ["a/x", "b/x", "c/x"] } },
      list: [
        { id: "one", mcp: { servers: { a: { command: "a" } } }, tools: { deny: ["a/x", "b/x"] } },
        { id: "two", mcp: { servers: { b: { command: "b" } } }, tools: { allow: ["a/x", "b/x"] } }
      ]
    }
  }`

  it("are the agent's for its own rules, and those of all agents for other rules", () => {
    assert.deepStrictEqual(
      warningsOf(text).map((line) => line.replace(/^openclaw\.json:\d+: /, "")),
      [
        `tools.deny[2]: ${NO_TOOL}`,
        `agents.defaults.tools.ask[2]: ${NO_TOOL}`,
        `agents.list[0].tools.deny[1]: ${NO_TOOL}`,
        `agents.list[1].tools.allow[0]: ${NO_TOOL}`
      ]
    )
  })
})
