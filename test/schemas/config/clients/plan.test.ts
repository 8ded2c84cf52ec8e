/** Names that collide, credentials that move, places on each system. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import JSON5 from "json5"
import type { ClientName } from "../../../../src/schemas/config/clients/ClientNames.ts"
import { allUserPlaces, clientNamed, projectPlaces } from "../../../../src/schemas/config/clients/ClientPlaces.ts"
import { withServers } from "../../../../src/schemas/config/clients/AddServers.ts"
import { type Entry, type FoundServer, planImport } from "../../../../src/schemas/config/clients/ImportPlan.ts"
import { movableIn } from "../../../../src/schemas/config/clients/MoveCredentials.ts"

const found = (client: ClientName, name: string, entry: Entry, project?: string): FoundServer => ({
  client,
  name,
  entry,
  ...(project !== undefined && { project }),
  file: "/f",
  line: 1,
  remarks: []
})

const planned = (servers: ReadonlyArray<FoundServer>, existing: Readonly<Record<string, Entry>> = {}) => {
  const { take, there } = planImport(servers, new Map(Object.entries(existing)))
  return {
    take: take.map(({ alsoIn, as, client }) => [as, client, ...alsoIn.map((other) => other.client)]),
    there: there.map(({ as, client }) => [as, client])
  }
}

describe("imported servers with the same name", () => {
  const [a, b, c] = [{ command: "a" }, { command: "b" }, { command: "c" }]

  it("are one when their entries are equal, in any order of keys", () => {
    const one = { command: "x", env: { A: "1", B: "2" } }
    const other = { env: { B: "2", A: "1" }, command: "x" }
    assert.deepStrictEqual(planned([found("cursor", "s", one), found("zed", "s", other)]).take, [
      ["s", "cursor", "zed"]
    ])
  })

  it("get the client's name, the project's name, and then a number", () => {
    const servers = [
      found("cursor", "s", a),
      found("zed", "s", b),
      found("zed", "s", c),
      found("claude-code", "s", b, "/code/my app"),
      found("claude-code", "s", c, "/other/my app")
    ]
    assert.deepStrictEqual(planned(servers).take, [
      ["s", "cursor"],
      ["s-zed", "zed"],
      ["s-zed-2", "zed"],
      ["s-myapp", "claude-code"],
      ["s-myapp-2", "claude-code"]
    ])
  })

  it("come last in the file, in their order", () => {
    const text = '{ mcp: { servers: { mine: { command: "m" } } } }'
    const entries = ["one", "two", "three"].map((name) => [name, a] as const)
    const written = Result.getOrThrow(withServers(text, "/f", entries, { env: {}, home: "/" }))
    const { mcp } = JSON5.parse<{ mcp: { servers: object } }>(written)
    assert.deepStrictEqual(Object.keys(mcp.servers), ["mine", "one", "two", "three"])
  })

  it("do not replace a server that has got their name since then", () => {
    const text = '{ mcp: { servers: { s: { command: "theirs" } } } }'
    const written = withServers(text, "/f", [["s", a]], { env: {}, home: "/" })
    assert.isTrue(Result.isFailure(written))
    if (Result.isFailure(written)) assert.include(written.failure, "has a server 's' now: nothing was changed")
  })

  it("do not replace existing servers, and are found again under any of these names", () => {
    const existing = { s: a, "s-zed": { command: "b", env: { T: "Bearer secret://file/x" } } }
    const again = { command: "b", env: { T: "Bearer plain" } }
    assert.deepStrictEqual(planned([found("cursor", "s", a), found("zed", "s", again)], existing), {
      take: [],
      there: [
        ["s", "cursor"],
        ["s-zed", "zed"]
      ]
    })
    assert.deepStrictEqual(planned([found("zed", "s", { command: "b" })], existing).take, [["s-zed-2", "zed"]])
  })
})

describe("servers that a configuration has already", () => {
  const there = (kept: Entry, again: Entry) => planned([found("cursor", "s", again)], { s: kept })

  it("stay when they were switched off, or got rules, limits or a pin of their own", () => {
    const again = { command: "x", args: ["a"], tools: { exclude: ["c"] }, timeout: 5 }
    for (const own of [{ enabled: false }, { tools: { ask: ["*"] } }, { limits: { perMinute: 5 }, pin: "block" }]) {
      assert.deepStrictEqual(there({ command: "x", args: ["a"], ...own }, again), {
        take: [],
        there: [["s", "cursor"]]
      })
    }
  })

  it.each<readonly [Entry, Entry]>([
    [{ command: "x" }, { command: "y" }],
    [
      { command: "x", args: ["a"] },
      { command: "x", args: ["b"] }
    ],
    [
      { command: "x", env: { A: "1" } },
      { command: "x", env: { A: "2" } }
    ],
    [
      { command: "x", cwd: "/a" },
      { command: "x", cwd: "/b" }
    ],
    [{ url: "https://a" }, { url: "https://a", transport: "sse" }],
    [
      { url: "https://a", headers: { K: "1" } },
      { url: "https://a", headers: { K: "2" } }
    ],
    [
      { url: "https://a", auth: { type: "oauth", clientId: "a" } },
      { url: "https://a", auth: { type: "oauth", clientId: "b" } }
    ]
  ])("are others when they are started or reached in another way: %j and %j", (kept, again) =>
    assert.deepStrictEqual(there({ ...kept, enabled: false }, again).take, [["s-cursor", "cursor"]])
  )
})

describe("credentials of imported servers", () => {
  const moved = (entry: Entry): readonly [Entry, ReadonlyArray<string>] => {
    const secrets: Array<string> = []
    let result = entry
    for (let next = movableIn(result)[0]; next !== undefined; next = movableIn(result)[0]) {
      secrets.push(`${next.name}=${next.secret}`)
      result = next.replacedBy(`secret://file/s/${next.name}`)
    }
    return [result, secrets]
  }

  it("are replaced by references, and other values stay", () => {
    const entry = {
      command: "x",
      args: ["--api-key", "k1", "--token=t1", "--max-tokens=5", "API_KEY=e1", "postgres://u:p@h/d", "plain"],
      env: {
        A_TOKEN: "a1",
        B_KEY: "${FROM_ENV}",
        PLAIN: "x",
        C_SECRET: "secret://env/C",
        D_TOKEN: "x$${y}",
        TOKEN_FILE: "/run/t"
      }
    }
    assert.deepStrictEqual(moved(entry), [
      {
        command: "x",
        args: [
          "--api-key",
          "secret://file/s/api-key",
          "--token=secret://file/s/token",
          "--max-tokens=5",
          "API_KEY=secret://file/s/API_KEY",
          "postgres://u:p@h/d",
          "plain"
        ],
        env: {
          A_TOKEN: "secret://file/s/A_TOKEN",
          B_KEY: "${FROM_ENV}",
          PLAIN: "x",
          C_SECRET: "secret://env/C",
          D_TOKEN: "secret://file/s/D_TOKEN",
          TOKEN_FILE: "/run/t"
        }
      },
      ["A_TOKEN=a1", "D_TOKEN=x${y}", "api-key=k1", "token=t1", "API_KEY=e1"]
    ])
    const remote = {
      url: "https://h/mcp?key=q1&team=7&token=q2",
      headers: { Authorization: "Bearer b1", "X-Api-Key": "h1", "X-Team": "red" }
    }
    assert.deepStrictEqual(moved(remote), [
      {
        url: "https://h/mcp?key={secret://file/s/key}&team=7&token=secret://file/s/token",
        headers: {
          Authorization: "Bearer secret://file/s/Authorization",
          "X-Api-Key": "secret://file/s/X-Api-Key",
          "X-Team": "red"
        }
      },
      ["Authorization=b1", "X-Api-Key=h1", "key=q1", "token=q2"]
    ])
  })

  it("are put in braces where the reference has a space", () => {
    const [only] = movableIn({ command: "x", env: { TOKEN: "t" } })
    assert.deepStrictEqual(only!.replacedBy("secret://file/My Home/x"), {
      command: "x",
      env: { TOKEN: "{secret://file/My Home/x}" }
    })
  })
})

describe("places of client files", () => {
  const of = (platform: NodeJS.Platform, home: string, env: Record<string, string> = {}) =>
    Object.fromEntries(allUserPlaces({ platform, home, env }).toReversed())

  it("are known for Linux, macOS and Windows", () => {
    const linux = of("linux", "/home/a", {
      XDG_CONFIG_HOME: "/x",
      CODEX_HOME: "/codex",
      OPENCLAW_CONFIG_PATH: "/oc.json"
    })
    assert.deepInclude(linux, {
      vscode: "/x/Code/User/mcp.json",
      codex: "/codex/config.toml",
      goose: "/x/goose/config.yaml",
      opencode: "/x/opencode/opencode.json",
      openclaw: "/oc.json",
      windsurf: "/home/a/.codeium/windsurf/mcp_config.json"
    })
    const mac = of("darwin", "/Users/a", { XDG_CONFIG_HOME: "/x" })
    assert.deepInclude(mac, {
      cline:
        "/Users/a/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      goose: "/Users/a/.config/goose/config.yaml",
      gemini: "/Users/a/.gemini/settings.json"
    })
    const windows = of("win32", "C:\\Users\\a", { APPDATA: "C:\\R" })
    assert.deepInclude(windows, {
      "claude-desktop": "C:\\R\\Claude\\claude_desktop_config.json",
      goose: "C:\\R\\Block\\goose\\config\\config.yaml",
      codex: "C:\\Users\\a\\.codex\\config.toml",
      opencode: "C:\\Users\\a\\.config\\opencode\\opencode.json"
    })
  })

  it("tell the client by the file's name", () => {
    for (const [file, client] of [
      ["/p/.vscode/mcp.json", "vscode"],
      ["C:\\p\\.cursor\\mcp.json", "cursor"],
      ["/p/.mcp.json", "claude-code"],
      ["mcp_config.json", "windsurf"],
      ["/p/mcp.json", undefined],
      ["/p/openclaw.json", undefined]
    ] as const)
      assert.strictEqual(clientNamed(file), client)
    assert.deepStrictEqual(projectPlaces("opencode", "/p", "linux"), ["/p/opencode.json", "/p/opencode.jsonc"])
    assert.deepStrictEqual(projectPlaces("goose", "/p", "linux"), [])
  })
})
