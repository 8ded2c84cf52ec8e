/** What a client cannot say is said: keys, servers, variables, patterns. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { ClientName } from "../../../../src/schemas/config/clients/ClientNames.ts"
import { ourServers } from "../../../../src/schemas/config/clients/OurServers.ts"
import { giveServer } from "../../../../src/schemas/config/clients/WriteClient.ts"

const exec = Result.succeed({ command: "/node", args: ["/my ${app}/mcp-live.js", "exec"], env: {} })
const context = { home: "/home/ada", directory: "/etc/live", file: "/etc/live/${x}.json", exec }
const give = (client: ClientName, entry: Readonly<Record<string, unknown>>) => {
  const given = giveServer(client, "x", entry, context)
  return "left" in given ? { left: given.left } : given
}
const entryOf = (client: ClientName, entry: Readonly<Record<string, unknown>>) => {
  const given = give(client, entry)
  return "entry" in given ? given.entry : assert.fail(given.left)
}

describe("what a client file cannot hold", () => {
  it("is listed by the names of our keys", () => {
    const entry = { command: "x", lazy: true, pin: "block", limits: { perMinute: 5 }, tools: { ask: ["a"] } }
    assert.deepStrictEqual(give("claude-code", entry), {
      entry: { type: "stdio", command: "x" },
      lost: ["lazy", "pin", "limits.perMinute", "tools.ask"]
    })
  })

  it("includes patterns where a client takes exact names only", () => {
    assert.deepStrictEqual(give("codex", { command: "x", tools: { include: ["a", "b_*"], exclude: ["c"] } }), {
      entry: { disabled_tools: ["c"], command: "x" },
      lost: ["tools.include (this client takes exact names only)"]
    })
    assert.deepStrictEqual(give("openclaw", { command: "x", tools: { include: ["a", "b_*"] } }), {
      entry: { toolFilter: { include: ["a", "b_*"] }, command: "x" },
      lost: []
    })
  })
})

describe("servers that a client could not start", () => {
  it.each([
    ["zed", { command: "x", env: { A: "${A}" } }, /it needs \$\{A\}, which the file of this client cannot hold/],
    ["cursor", { command: "x", args: ["${A:-b}"] }, /it needs \$\{A:-b\}/],
    ["cursor", { command: "x", args: ["$${A}"] }, /a literal \$\{/],
    ["gemini", { command: "x", args: ["$HOME"] }, /looks like a variable/],
    ["opencode", { type: "x", command: "x", args: ["{env:A}"] }, /looks like a variable/],
    ["codex", { command: "x", env: { A: "${B}" } }, /needs \$\{B\} under another name/],
    ["goose", { command: "x", env: { A: "${B}" } }, /under another name/],
    ["goose", { url: "https://a", transport: "sse" }, /no SSE/],
    ["claude-desktop", { url: "https://a" }, /starts programs only/],
    ["claude-desktop", { command: "x", enabled: false }, /disabled here/],
    ["cursor", { command: "x", enabled: false }, /disabled here/],
    ["openclaw", { command: "x", env: { A: "${lower}" } }, /it needs \$\{lower\}/],
    ["vscode", { url: "https://a", headers: { K: "secret://env/K" } }, /use --serve/]
  ] as const)("%s: %j", (client, entry, why) => {
    const given = give(client, entry)
    assert.match("left" in given ? given.left : "", why)
  })
})

describe("entries written for a client", () => {
  it("have absolute paths, and start through mcp-live exec when they have secrets", () => {
    assert.deepStrictEqual(entryOf("zed", { command: "./bin/x", args: ["~/notes", "--dir", "./y"], cwd: undefined }), {
      source: "custom",
      command: "/etc/live/bin/x",
      args: ["/home/ada/notes", "--dir", "./y"]
    })
    assert.deepStrictEqual(entryOf("zed", { command: "x", env: { T: "secret://env/T" } }), {
      source: "custom",
      command: "/node",
      args: ["/my ${app}/mcp-live.js", "exec", "--", "x"],
      env: { T: "secret://env/T" }
    })
    const inFolder = { command: "./x", cwd: "sub" }
    assert.deepStrictEqual(entryOf("codex", inFolder), { command: "/etc/live/sub/x", cwd: "/etc/live/sub" })
    assert.deepStrictEqual(give("cursor", inFolder), { entry: { command: "/etc/live/sub/x" }, lost: ["cwd"] })
  })

  it("name our configuration to mcp-live exec, if it describes the provider, and our data directory", () => {
    const launch = { command: "/node", args: ["/m.js", "exec"], env: { MCP_LIVE_HOME: "/data" } }
    const elsewhere = { ...context, file: "/etc/live/my.json", exec: Result.succeed(launch) }
    for (const reference of [
      "exec/tok",
      "gcp/github-${STAGE}",
      "vault/a#b:secret://env/T",
      "file/a:secret://op/b/c/d"
    ]) {
      const env = { T: `secret://${reference}` }
      assert.deepStrictEqual(giveServer("claude-code", "x", { command: "x", args: ["a"], env }, elsewhere), {
        entry: {
          type: "stdio",
          command: "/node",
          args: ["/m.js", "exec", "--config", "/etc/live/my.json", "--", "x", "a"],
          env: { ...env, MCP_LIVE_HOME: "/data" }
        },
        lost: []
      })
    }
    for (const [env, args] of [
      [{ T: "secret://file/~/t" }, []],
      [undefined, ["secret://keychain/a/b"]]
    ] as const) {
      const given = giveServer("cursor", "x", { command: "x", args, ...(env && { env }) }, elsewhere)
      assert.deepStrictEqual(given, {
        entry: {
          command: "/node",
          args: ["/m.js", "exec", "--", "x", ...args],
          env: { ...env, MCP_LIVE_HOME: "/data" }
        },
        lost: []
      })
    }
  })

  it("are those without secrets where nothing can start mcp-live exec", () => {
    const nowhere = { ...context, exec: Result.fail("install it first") }
    const secret = { command: "x", env: { T: "secret://env/T" } }
    assert.deepStrictEqual(giveServer("cursor", "x", secret, nowhere), { left: "install it first" })
    assert.deepStrictEqual(giveServer("cursor", "x", { command: "x" }, nowhere), { entry: { command: "x" }, lost: [] })
  })

  it("have literal text where the client does not expand variables", () => {
    assert.deepStrictEqual(entryOf("codex", { command: "sh", args: ["-c", "echo $${HOME}"] })["args"], [
      "-c",
      "echo ${HOME}"
    ])
  })

  it("are those of an agent, merged, with variables and references", () => {
    const root = {
      mcpServers: { a: { command: "a", env: { A: "${A}" }, disabled: true } },
      agents: {
        defaults: {
          mcp: {
            servers: {
              a: { args: ["x"], connectionTimeoutMs: 5 },
              b: { url: "https://b", auth: { type: "bearer", token: "t" } }
            }
          }
        },
        list: [
          { id: "main", mcp: { servers: { a: { env: { B: 2 }, tools: { ask: ["z"] } } } } },
          {
            id: "other",
            mcp: { servers: { c: { url: "https://c", auth: { type: "oauth", scopes: "r w", dpop: true } } } }
          }
        ]
      }
    }
    const none = { home: "/", folder: "/", workspace: "/", readText: () => undefined }
    assert.deepStrictEqual(Object.fromEntries(ourServers(root, "main", "openclaw.json", none)), {
      a: { command: "a", enabled: false, args: ["x"], timeout: 5, tools: { ask: ["z"] }, env: { A: "${A}", B: "2" } },
      b: { url: "https://b", headers: { Authorization: "Bearer t" } }
    })
    assert.deepStrictEqual(ourServers(root, "other", "openclaw.json", none).get("c"), {
      url: "https://c",
      auth: { type: "oauth", scopes: ["r w"], dpop: true }
    })
  })
})
