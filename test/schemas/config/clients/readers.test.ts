/** What each client's file may hold besides the usual: other words, variables, wrong values, parts of the client itself. */
import { assert, describe, it } from "@effect/vitest"
import type { ClientName } from "../../../../src/schemas/config/clients/ClientNames.ts"
import { readClientFile } from "../../../../src/schemas/config/clients/ReadClient.ts"
import { formatKeyPath } from "../../../../src/schemas/config/KeyPath.ts"

const context = {
  home: "/home/ada",
  folder: "/home/ada/.config/client",
  workspace: "/code/app",
  readText: (path: string) => (path === "/code/app/.env" ? 'A=1\nB="two ${words}"\n' : undefined)
}

const SECTIONS: Readonly<Record<string, string>> = {
  vscode: "servers",
  zed: "context_servers",
  codex: "mcp_servers",
  opencode: "mcp",
  goose: "extensions"
}

const read = (client: ClientName, servers: unknown, beside: object = {}) =>
  readClientFile(client, { ...beside, [SECTIONS[client] ?? "mcpServers"]: servers }, context)

/** One server: its entry, or why it is left, and the remarks with their paths. */
const one = (client: ClientName, entry: unknown, beside: object = {}) => {
  const { left, servers } = read(client, { x: entry }, beside)
  const remarks = (servers[0]?.remarks ?? []).map(({ message, path }) => `${formatKeyPath(path)}: ${message}`)
  return { entry: servers[0]?.entry, left: left[0]?.message, isBroken: left[0]?.isBroken, remarks }
}
const entryOf = (client: ClientName, entry: unknown, beside: object = {}) => one(client, entry, beside).entry

describe("transports in client files", () => {
  it("are left out where the rest of the entry implies them", () => {
    for (const [type, rest] of [
      ["stdio", { command: "a" }],
      ["http", { url: "https://a" }],
      ["streamable-http", { url: "https://a" }]
    ] as const)
      assert.deepStrictEqual(entryOf("claude-code", { type, ...rest }), rest)
    assert.deepStrictEqual(entryOf("cline", { transportType: "sse", url: "https://a" }), {
      url: "https://a",
      transport: "sse"
    })
    assert.deepStrictEqual(entryOf("vscode", { type: "http", url: "https://a", command: "b" }), {
      transport: "http",
      url: "https://a",
      command: "b"
    })
  })

  it("are a reason to leave the server out when mcp-live does not have them", () => {
    assert.include(one("claude-code", { type: "ws", url: "wss://a" }).left, `its type "ws" is no transport`)
    assert.include(one("gemini", { tcp: "wss://a" }).left, "no WebSocket transport")
    assert.include(one("vscode", { url: "pipe:///pipe/x" }).left, "local socket")
    assert.isFalse(one("goose", { type: "frontend" }).isBroken)
    assert.include(one("goose", { type: "odd" }).left, `its type "odd" is not known`)
  })

  it("in Gemini CLI are SSE for url, and httpUrl comes first", () => {
    assert.deepStrictEqual(entryOf("gemini", { url: "https://a/sse" }), { url: "https://a/sse", transport: "sse" })
    assert.deepStrictEqual(entryOf("gemini", { url: "https://a", type: "http" }), { url: "https://a" })
    assert.deepStrictEqual(entryOf("gemini", { url: "https://a", httpUrl: "https://b" }), { url: "https://b" })
  })
})

describe("variables in client files", () => {
  it("of editors are replaced or become variables and references", () => {
    const { entry, remarks } = one("cursor", {
      command: "${userHome}/bin/x",
      args: ["${workspaceFolder}/a", "${workspaceFolderBasename}", "a${/}b${pathSeparator}c", "${PLAIN} ${D:-d}"],
      env: { A: "${env:TOKEN}", B: "Bearer ${input:my key}!" }
    })
    assert.deepStrictEqual(entry, {
      command: "/home/ada/bin/x",
      args: ["/code/app/a", "app", "a/b/c", "${PLAIN} ${D:-d}"],
      env: { A: "${TOKEN}", B: "Bearer {secret://env/MY_KEY}!" }
    })
    assert.deepStrictEqual(remarks, [
      'mcpServers.x.args: "${workspaceFolder}" is taken as /code/app',
      'mcpServers.x.env.B: asks for the input "my key": set the environment variable MY_KEY'
    ])
  })

  it("are a reason to leave the server out when only the client can fill them in", () => {
    const { isBroken, left } = one("vscode", { command: "${command:pick.it}" })
    assert.strictEqual(left, "uses ${command:pick.it}, which only VS Code can fill in")
    assert.isFalse(isBroken)
  })

  it("of inputs become references for passwords, and keep defaults", () => {
    const inputs = [
      { id: "key", type: "promptString", password: true, description: "The key" },
      { id: "2nd", type: "pickString", default: "a}b", options: ["a"] },
      { id: 7 },
      null
    ]
    const entry = { command: "x", env: { K: "${input:key}", L: "${input:2nd}" } }
    assert.deepStrictEqual(entryOf("vscode", entry, { inputs }), {
      command: "x",
      env: { K: "secret://env/KEY", L: "${INPUT_2ND:-ab}" }
    })
    const settings = { mcp: { inputs, servers: { y: entry } } }
    assert.strictEqual(readClientFile("vscode", settings, context).servers[0]?.name, "y")
  })

  it("that VS Code removes from its own environment are left out", () => {
    const { entry, remarks } = one("vscode", { command: "x", env: { A: null, B: "b" } })
    assert.deepStrictEqual(entry, { command: "x", env: { B: "b" } })
    assert.include(remarks[0], "servers.x.env.A: was left out: it only removes a variable")
  })

  it("of Gemini CLI, OpenCode and Windsurf become variables and references", () => {
    assert.deepStrictEqual(
      entryOf("gemini", { command: "x", args: ["$HOME/a ${B} ${C:-d} $5 ${no such}"] })?.["args"],
      ["${HOME}/a ${B} ${C:-d} $5 $${no such}"]
    )
    const headers = {
      A: "{env:TOKEN} {env:no such} ${LITERAL}",
      B: "{file:/run/secrets/b}",
      C: "x {file:~/c d}",
      D: "{file:./d}"
    }
    assert.deepStrictEqual(entryOf("opencode", { type: "remote", url: "https://a", headers })?.["headers"], {
      A: "${TOKEN} {env:no such} $${LITERAL}",
      B: "secret://file/run/secrets/b",
      C: "x {secret://file/~/c d}",
      D: "secret://file/~/.config/client/d"
    })
    assert.deepStrictEqual(
      entryOf("windsurf", { serverUrl: "https://a", headers: { A: "Bearer ${file:tok}" } })?.["headers"],
      {
        A: "Bearer {secret://file/code/app/tok}"
      }
    )
  })

  it("are literal text where a client does not expand them", () => {
    for (const client of ["zed", "codex"] as const) {
      assert.deepStrictEqual(entryOf(client, { command: "sh", args: ["-c", "echo ${HOME}"] })?.["args"], [
        "-c",
        "echo $${HOME}"
      ])
    }
    assert.deepStrictEqual(entryOf("goose", { type: "stdio", cmd: "sh", args: ["${A}"], env_keys: ["K", 3] }), {
      env: { K: "${K}" },
      command: "sh",
      args: ["$${A}"]
    })
  })

  it("from an envFile are added to env, and a missing file has a remark", () => {
    const { entry, remarks } = one("vscode", { command: "x", envFile: "${workspaceFolder}/.env", env: { A: "own" } })
    assert.deepStrictEqual(entry, { command: "x", env: { A: "own", B: "two $${words}" } })
    assert.include(remarks[0], "1 variable is taken from /code/app/.env")
    const missing = one("cursor", { command: "x", envFile: "~/none.env" })
    assert.deepStrictEqual(missing.entry, { command: "x" })
    assert.include(missing.remarks[0], "names a file that cannot be read, /home/ada/none.env")
    assert.include(one("cursor", { command: "x", envFile: 7 }).remarks[0], "must be a path")
  })
})

describe("tools in client files", () => {
  it("are none for an empty list, except in Goose", () => {
    assert.deepStrictEqual(entryOf("codex", { command: "x", enabled_tools: [] }), {
      command: "x",
      tools: { exclude: ["*"] }
    })
    assert.deepStrictEqual(entryOf("goose", { type: "stdio", cmd: "x", available_tools: [] }), { command: "x" })
    assert.deepStrictEqual(entryOf("goose", { type: "stdio", cmd: "x", available_tools: ["a"] }), {
      command: "x",
      tools: { include: ["a"] }
    })
  })

  it("that need approval in Codex need approval here", () => {
    const asked = { command: "x", tools: { a: { approval_mode: "prompt" }, b: { approval_mode: "auto" } } }
    assert.deepStrictEqual(entryOf("codex", asked), { command: "x", tools: { ask: ["a"] } })
    const { entry, remarks } = one("codex", { ...asked, default_tools_approval_mode: "prompt" })
    assert.deepStrictEqual(entry, { command: "x", tools: { ask: ["*"] } })
    assert.include(remarks[0], "tools that need no approval in Codex need one here")
  })

  it("that Gemini CLI and OpenCode disable outside the entry are disabled", () => {
    const mcp = { allowed: ["y"] }
    assert.deepStrictEqual(entryOf("gemini", { command: "x" }, { mcp }), { command: "x", enabled: false })
    assert.deepStrictEqual(
      entryOf("opencode", { type: "local", command: ["x"] }, { tools: { "x*": false, y_z: false } }),
      {
        command: "x",
        tools: { exclude: ["*"] }
      }
    )
  })

  it("that OpenCode denies or asks about are denied and asked about here, as its last rule for them says", () => {
    const x = { type: "local", command: ["x"] }
    const tools = (beside: object): Record<string, unknown> => {
      const { entry, remarks } = one("opencode", x, beside)
      return { ...(entry?.["tools"] as object | undefined), ...(remarks.length > 0 && { remarks }) }
    }
    assert.deepStrictEqual(tools({ permission: { "x_*": "ask", x_drop: "deny", bash: { "*": "deny" } } }), {
      exclude: ["drop"],
      ask: ["*"]
    })
    assert.deepStrictEqual(tools({ permission: "ask" }), { ask: ["*"] })
    assert.deepStrictEqual(tools({ tools: { x: false } }), { exclude: ["*"] })
    // Another server, whose name begins like this one.
    assert.deepStrictEqual(tools({ tools: { x2_y: false }, permission: { "x2*": "deny" } }), {})
    assert.deepStrictEqual(tools({ permission: { "*": "ask", "x_*": "allow" } }), {})
    assert.deepStrictEqual(tools({ tools: { "x_*": false }, permission: { "x_*": "ask" } }), { ask: ["*"] })
    // A rule with ? is no exception to all of what * matches.
    assert.deepStrictEqual(tools({ permission: { "x_a*": "deny", "x_a?": "allow" } })["exclude"], ["a*"])
    assert.deepStrictEqual(tools({ permission: { "*": "ask", x_get: "allow" } }), {
      ask: ["*"],
      remarks: [
        "permission: has an exception to a wider rule, which mcp-live does not have: the wider one counts for all its tools"
      ]
    })
    const odd = read("opencode", { "a.b": x }, { permission: { "a_b_*": "ask" } }).servers[0]
    assert.deepStrictEqual(odd?.entry["tools"], { ask: ["*"] })
  })
})

describe("logins in client files", () => {
  it("become auth with the keys that mcp-live needs", () => {
    assert.deepStrictEqual(entryOf("claude-code", { url: "https://a", oauth: { clientId: "c", callbackPort: 8080 } }), {
      url: "https://a",
      auth: { type: "oauth", clientId: "c", redirectPort: 8080 }
    })
    const { entry, remarks } = one("gemini", {
      httpUrl: "https://a",
      oauth: { enabled: true, clientId: "c", redirectUri: "http://localhost:7777/cb", tokenUrl: "https://t" }
    })
    assert.deepStrictEqual(entry, { url: "https://a", auth: { type: "oauth", clientId: "c", redirectPort: 7777 } })
    assert.include(remarks[0], "mcpServers.x.oauth.tokenUrl: was left out")
    assert.deepStrictEqual(entryOf("codex", { url: "https://a", scopes: ["r"], oauth: { client_id: "c" } }), {
      url: "https://a",
      auth: { type: "oauth", clientId: "c", scopes: ["r"] }
    })
    assert.deepStrictEqual(entryOf("opencode", { type: "remote", url: "https://a", oauth: false }), {
      url: "https://a"
    })
  })

  it("are left out beside an Authorization header", () => {
    const { entry, remarks } = one("cursor", {
      url: "https://a",
      headers: { authorization: "Bearer x" },
      auth: { CLIENT_ID: "c" }
    })
    assert.deepStrictEqual(entry, { url: "https://a", headers: { authorization: "Bearer x" } })
    assert.include(remarks.join(), "the header Authorization says who you are")
  })
})

describe("entries in client files", () => {
  it("with wrong types are passed on, and those that are not objects are broken", () => {
    assert.deepStrictEqual(entryOf("cline", { command: 7, args: "a", timeout: "soon", env: [1] }), {
      command: 7,
      args: "a",
      toolTimeout: "soon",
      env: [1]
    })
    assert.deepStrictEqual(entryOf("zed", { command: { path: 1 } }), { command: 1 })
    for (const value of [7, "x", [], true]) assert.isTrue(one("cursor", value).isBroken)
  })

  it("with unknown keys keep the others, and have a remark", () => {
    const { entry, remarks } = one("cursor", { command: "x", comand: "y", frobnicate: 1, lazy: true })
    assert.deepStrictEqual(entry, { command: "x", lazy: true })
    assert.deepStrictEqual(remarks, [
      'mcpServers.x.comand: unknown key, did you mean "command"? (it was left out)',
      "mcpServers.x.frobnicate: unknown key (it was left out)"
    ])
  })

  it("with two keys for the same value keep the first, and have a remark", () => {
    const { entry, remarks } = one("windsurf", { serverUrl: "https://a", url: "https://b" })
    assert.deepStrictEqual(entry, { url: "https://a" })
    assert.deepStrictEqual(remarks, ["mcpServers.x.url: was left out: another key of this entry sets the same"])
  })

  it("that are disabled stay disabled, and an invalid value is passed on", () => {
    for (const client of ["cursor", "windsurf", "cline", "claude-code"] as const) {
      assert.deepStrictEqual(entryOf(client, { command: "x", disabled: true }), { command: "x", enabled: false })
      assert.deepStrictEqual(entryOf(client, { command: "x", disabled: false }), { command: "x" })
      assert.deepStrictEqual(entryOf(client, { command: "x", disabled: "yes" }), { command: "x", enabled: "yes" })
    }
  })

  it("with null values are read as without them", () => {
    assert.deepStrictEqual(entryOf("claude-code", { command: "x", url: null, env: null }), { command: "x" })
  })

  it("that start mcp-live are left out, and mcp-live exec is replaced by its command", () => {
    for (const args of [
      ["serve"],
      ["/opt/mcp-live/bin/mcp-live.js", "mcp-server"],
      ["-y", "mcp-live@1.0.0", "serve"]
    ]) {
      const command = args.length === 1 ? "mcp-live" : args.length === 2 ? "/usr/bin/node" : "npx"
      assert.strictEqual(one("cursor", { command, args }).left, "it is mcp-live itself")
    }
    assert.deepStrictEqual(
      entryOf("zed", { command: "mcp-live", args: ["exec", "--", "npx", "-y", "s"], env: { T: "secret://env/T" } }),
      {
        command: "npx",
        args: ["-y", "s"],
        env: { T: "secret://env/T" }
      }
    )
    assert.deepStrictEqual(entryOf("zed", { command: "mcp-live", args: ["exec", "--", "bare"] }), { command: "bare" })
    for (const flags of [["--config", "x"], ["-c", "x"], ["--config=x"], ["-c", "--config"]]) {
      const args = ["/opt/mcp-live/bin/mcp-live.js", "exec", ...flags, "--", "npx", "--", "--unset"]
      assert.deepStrictEqual(entryOf("zed", { command: "/node", args, env: { MCP_LIVE_HOME: "/data" } }), {
        command: "npx",
        args: ["--", "--unset"]
      })
    }
    const other = { command: "mcp-live", args: ["exec", "--config", "x", "--unset", "Y", "--", "npx"] }
    assert.deepStrictEqual(entryOf("zed", other), other)
  })

  it("get names that are valid in openclaw.json", () => {
    const { servers } = read("cursor", {
      "a\u0007b\u202e": { command: "x" },
      " ": { command: "y" },
      ["n".repeat(100)]: { command: "z" },
      constructor: { command: "c" }
    })
    assert.deepStrictEqual(
      servers.map(({ name }) => name),
      ["ab", "server", "n".repeat(64), "constructor_"]
    )
    assert.include(servers[0]!.remarks[0]!.message, `it is now "ab"`)
  })

  it("of projects start in the project's folder", () => {
    const projects = {
      "/p/one": { mcpServers: { a: { command: "x" }, off: { command: "y" } }, disabledMcpServers: ["off"] },
      "/p/two": {
        mcpServers: { a: { command: "x", args: ["${workspaceFolder}"], cwd: "/elsewhere" }, web: { url: "https://a" } }
      },
      "/p/three": null
    }
    const { servers } = readClientFile("claude-code", { projects }, context)
    assert.deepStrictEqual(
      servers.map(({ entry, name, project }) => [project, name, entry]),
      [
        ["/p/one", "a", { command: "x", cwd: "/p/one" }],
        ["/p/one", "off", { command: "y", cwd: "/p/one", enabled: false }],
        ["/p/two", "a", { command: "x", args: ["${workspaceFolder}"], cwd: "/elsewhere" }],
        ["/p/two", "web", { url: "https://a" }]
      ]
    )
  })

  it("do not change the prototype of objects", () => {
    const text =
      '{"mcpServers": {"x": {"command": "a", "__proto__": {"polluted": 1}, "env": {"__proto__": "p", "constructor": "c"}}}}'
    const { servers } = readClientFile("cursor", JSON.parse(text), context)
    assert.isUndefined(({} as { polluted?: unknown }).polluted)
    assert.strictEqual(servers[0]?.entry["command"], "a")
    assert.deepStrictEqual(
      servers[0]?.remarks.map(({ path }) => formatKeyPath(path)),
      ["mcpServers.x.__proto__", "mcpServers.x.env.__proto__", "mcpServers.x.env.constructor"]
    )
  })
})

describe("client files", () => {
  it.each([
    [[], "must be an object at the top, is a list"],
    ["x", "must be an object at the top, is a string"],
    [{ mcpServers: [] }, "must be an object, is a list"],
    [{ mcpServers: "x" }, "must be an object, is a string"]
  ])("that are no such file: %j", (value, message) => {
    const { left, servers } = readClientFile("cursor", value, context)
    assert.deepStrictEqual(servers, [])
    assert.deepStrictEqual(
      left.map((one) => [one.message, one.isBroken]),
      [[message, true]]
    )
  })

  it("without servers are empty", () => {
    for (const value of [{}, { mcpServers: {} }, { mcpServers: null }]) {
      assert.deepStrictEqual(readClientFile("windsurf", value, context), { client: "windsurf", servers: [], left: [] })
    }
  })
})
