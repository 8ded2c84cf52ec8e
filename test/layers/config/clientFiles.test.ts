/** Files of clients as the configuration, and as they are found in a home directory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as ClientFilesLayer from "../../../src/layers/config/ClientFiles.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { CLIENTS } from "../../../src/schemas/config/clients/ClientNames.ts"
import { formatIssue } from "../../../src/schemas/config/ConfigIssue.ts"
import { ClientFiles } from "../../../src/services/config/ClientFiles.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"
import { writeHome } from "../../fixtures/clients/home.ts"
import { inFolder } from "../../support/folder.ts"

const load = (path: string, home: string, cwd: string, env: Record<string, string> = {}) =>
  ConfigSource.use((source) => source.load).pipe(
    Effect.provide(ConfigSourceLayer.layer({ path, cwd, env: { HOME: home, ...env } }))
  )

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const SERVERS = {
  "claude-desktop": ["filesystem", "github"],
  "claude-code": ["sentry", "tracker"],
  cursor: ["company", "github", "notes"],
  vscode: ["context7", "perplexity"],
  windsurf: ["figma", "filesystem", "old"],
  cline: ["remote", "weather"],
  zed: ["make", "older", "web"],
  codex: ["issues", "search"],
  gemini: ["events", "python", "sleeping", "stream"],
  opencode: ["everything", "jira"],
  goose: ["hosted", "tickets"],
  openclaw: ["docs"]
}

describe("a client's file as the configuration", () => {
  it.live.each(CLIENTS)("of %s has its servers", (client) =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { files } = writeHome(home)
      const { agents } = yield* load(files[client], home, home)
      assert.deepStrictEqual(
        agents[0]!.servers.map(({ name }) => name),
        SERVERS[client]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is recognized under another name, too, by what only that client writes", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { files } = writeHome(home)
      const { readFileSync } = yield* Effect.promise(() => import("node:fs"))
      for (const client of ["claude-code", "cursor", "vscode", "windsurf", "zed", "gemini", "opencode"] as const) {
        const copy = join(home, "copies", `${client}-copy.json`)
        put(copy, readFileSync(files[client], "utf8"))
        const { agents } = yield* load(copy, home, home)
        assert.deepStrictEqual(
          agents[0]!.servers.map(({ name }) => name),
          SERVERS[client]
        )
      }
      const ours = join(home, "ours.json")
      put(ours, `{ agents: { list: [{ id: "a" }] }, mcpServers: { x: { httpUrl: "https://a" } } }`)
      assert.include((yield* Effect.flip(load(ours, home, home))).message, "httpUrl: unknown key")
    }).pipe(Effect.scoped)
  )

  it.live("has its variables from the environment, with the line of the client's file where one is missing", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { files } = writeHome(home)
      const { agents } = yield* load(files.codex, home, home, { SEARCH_API_KEY: "key" })
      const search = agents[0]!.servers[1]!
      assert.deepInclude(search.launch, { env: { SEARCH_API_KEY: "key", MODE: "fast" } })
      assert.strictEqual(search.toolTimeout, 90500)
      const { faults = [] } = yield* load(files.codex, home, home)
      assert.deepStrictEqual(faults.map(formatIssue), [
        ".codex/config.toml:7: mcp_servers.search.env_vars[0]: environment variable SEARCH_API_KEY is not set: set it, or give a default with ${SEARCH_API_KEY:-value}"
      ])
      const goose = yield* load(files.goose, home, home)
      assert.match(
        formatIssue(goose.faults![0]!),
        /^\.config\/goose\/config\.yaml:16: extensions\.tickets\.env_keys\[0\]: /
      )
      const escaped = yield* load(files.zed, home, home)
      assert.deepInclude(escaped.agents[0]!.servers[0]!.launch, { args: ["--price", "$5 ${each}"] })
    }).pipe(Effect.scoped)
  )

  it.live("of Claude Code has the servers of the project in which it is used", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { files, project } = writeHome(home)
      mkdirSync(join(project, "src"))
      const { agents } = yield* load(files["claude-code"], home, join(project, "src"))
      assert.deepStrictEqual(
        agents[0]!.servers.map(({ name }) => name),
        ["db", "sentry", "tracker"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("loses only the servers that are wrong; they are faults, and what stays with the client is a warning", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const file = join(home, ".cursor", "mcp.json")
      put(
        file,
        `{
  "mcpServers": {
    "good": { "command": "good", "odd": 1 },
    "bad": { "command": "x", "args": "y" },
    "dangerous": { "command": "x", "env": { "NODE_OPTIONS": "--require ./x" } },
    "theirs": { "command": "\${command:ask}" }
  },
  "audit": { "enabled": false }
}`
      )
      const { agents, audit, faults = [], warnings } = yield* load(file, home, home)
      assert.deepStrictEqual(
        agents[0]!.servers.map(({ name }) => name),
        ["good"]
      )
      assert.strictEqual(audit!.enabled, false)
      assert.deepStrictEqual(
        faults.map(({ line, path }) => [line, path]),
        [
          [4, "mcpServers.bad.args"],
          [5, "mcpServers.dangerous.env.NODE_OPTIONS"]
        ]
      )
      assert.deepStrictEqual(
        warnings.map(({ line, message, path }) => [line, path, message]),
        [
          [3, "mcpServers.good.odd", "unknown key (it was left out)"],
          [6, "mcpServers.theirs", "is left to Cursor: uses ${command:ask}, which only Cursor can fill in"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("that is broken says where, and nothing of what is in it", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const problem = (name: string, text: string) => {
        const file = join(home, name)
        put(file, text)
        return Effect.map(Effect.flip(load(file, home, home)), ({ message }) => message)
      }
      assert.match(
        yield* problem("a.toml", "[mcp_servers.a]\ncommand = canary\n"),
        /^a\.toml:2: syntax error at column \d+: /
      )
      assert.match(yield* problem("b.toml", "a = 1\na = 2\n"), /^b\.toml:2: syntax error/)
      assert.match(
        yield* problem("a.yaml", "extensions:\n  a: {type: stdio, cmd: [canary\n"),
        /^a\.yaml:3: is not valid YAML/
      )
      assert.match(yield* problem("b.yaml", "a: 1\n\tcanary: 2\n"), /^b\.yaml:2: is not valid YAML/)
      assert.match(yield* problem("c.yaml", `a: ${"[".repeat(200)}`), /nested more than 128 levels/)
      const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
      for (let i = 0; i < 12; i++)
        bomb.push(`${"bcdefghijklm"[i]}: &${"bcdefghijklm"[i]} [${Array(9).fill(`*${"abcdefghijkl"[i]}`).join(", ")}]`)
      assert.match(yield* problem("d.yaml", bomb.join("\n")), /used too often/)
      assert.match(yield* problem("e.toml", `a = ${"[".repeat(200)}`), /^e\.toml/)
      assert.strictEqual(yield* problem("f.toml", " "), "f.toml: is empty")
      assert.strictEqual(yield* problem("f.yaml", "\n"), "f.yaml: is empty")
      assert.match(yield* problem("g.yaml", "- 1"), /must be an object at the top, is a list/)
      for (const name of ["h.toml", "h.yaml"]) {
        const said = yield* problem(name, `key: = "canary-value" canary-value: [\n`)
        assert.notInclude(said, "canary")
      }
    }).pipe(Effect.scoped)
  )
})

describe("files of clients", () => {
  const find = (home: string, search: { project?: string } = {}) =>
    ClientFiles.use((files) => files.find({ clients: CLIENTS, ...search })).pipe(
      Effect.provide(ClientFilesLayer.layer({ home, env: {}, platform: "linux", workspace: home }))
    )

  it.live("of a project that Claude Code knows are taken as far as the person has allowed them", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const project = join(home, "p")
      put(
        join(project, ".mcp.json"),
        `{ "mcpServers": { "a": { "command": "a" }, "b": { "command": "b" }, "c": { "command": "c" } } }`
      )
      put(join(home, ".claude.json"), JSON.stringify({ projects: { [project]: { enabledMcpjsonServers: ["a"] } } }))
      const names = (found: Effect.Success<ReturnType<typeof find>>) =>
        found.files
          .filter(({ file }) => file.endsWith(".mcp.json"))
          .flatMap(({ servers }) => servers.map(({ name }) => name))
      assert.deepStrictEqual(names(yield* find(home)), ["a"])
      put(
        join(project, ".claude", "settings.local.json"),
        `{ "enableAllProjectMcpServers": true, "disabledMcpjsonServers": ["c"] }`
      )
      assert.deepStrictEqual(names(yield* find(home)), ["a"])
      const trusted = { enabledMcpjsonServers: ["a"], hasTrustDialogAccepted: true }
      put(join(home, ".claude.json"), JSON.stringify({ projects: { [project]: trusted } }))
      assert.deepStrictEqual(names(yield* find(home)), ["a", "b"])
      assert.deepStrictEqual(names(yield* find(home, { project })), ["a", "b", "c"])
    }).pipe(Effect.scoped)
  )

  it.live("of a project that is named are read for every client that has some", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const project = join(home, "p")
      put(
        join(project, ".cursor", "mcp.json"),
        `{ "mcpServers": { "cur": { "command": "./x", "args": ["\${workspaceFolder}"] } } }`
      )
      put(join(project, ".codex", "config.toml"), `[mcp_servers.cod]\ncommand = "y"\ncwd = "sub"\n`)
      put(join(project, "opencode.jsonc"), `{ "mcp": { "open": { "type": "local", "command": ["z"] } } } // end`)
      const { files } = yield* find(home, { project })
      assert.deepStrictEqual(
        files.flatMap(({ servers }) => servers.map(({ entry, name }) => [name, entry])),
        [
          ["cur", { command: "./x", args: [project], cwd: project }],
          ["cod", { command: "y", cwd: join(project, "sub") }],
          ["open", { command: "z", cwd: project }]
        ]
      )
      assert.deepStrictEqual((yield* find(home)).files, [])
    }).pipe(Effect.scoped)
  )

  it.live("that need permission for a variable get it, with a note", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(
        join(home, ".cursor", "mcp.json"),
        `{ "mcpServers": { "a": { "command": "a", "env": { "NODE_OPTIONS": "--x", "B": "1" } } } }`
      )
      const [file] = (yield* find(home)).files
      assert.deepStrictEqual(file!.servers[0]!.entry["allowEnv"], ["NODE_OPTIONS"])
      assert.include(file!.servers[0]!.remarks[0]!.message, "it is allowed with allowEnv, because Cursor sets it")
      assert.strictEqual(file!.servers[0]!.remarks[0]!.path, "mcpServers.a.env.NODE_OPTIONS")
    }).pipe(Effect.scoped)
  )
})
