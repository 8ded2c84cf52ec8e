/** How clients are told of us: the real program, on settings as people have them, and its variants in this process. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { MCP_CLIENTS, placeOf, type McpClientName } from "../../../src/schemas/config/McpClients.ts"
import { MAIN } from "../../support/built.ts"
import { runAt } from "../../support/cli.ts"
import { connected } from "../../support/mcpClients.ts"
import { folder } from "./program.ts"

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const environment = (home: string) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  USERPROFILE: home,
  NO_COLOR: "1"
})

const run = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<Finished>((resume) => {
    execFile(
      process.execPath,
      [MAIN, "mcp-server", ...args],
      { cwd: home, env: environment(home) },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
    )
  })

/** The same in the test's own process, for variants. */
const runHere = (home: string, ...args: ReadonlyArray<string>) =>
  runAt({ cwd: home, env: { ...environment(home), MCP_LIVE_HOME: "" } }, "mcp-server", ...args)

const install = (home: string, client: McpClientName, ...args: ReadonlyArray<string>) =>
  runHere(home, "--install", client, ...args)

const fileOf = (home: string, client: McpClientName) => placeOf(client, process.platform, { HOME: home }, home)

const given = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

interface Entry {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env?: Record<string, string>
  readonly alwaysAllow?: ReadonlyArray<string>
}
const entryIn = (path: string, section: string): Entry =>
  (JSON.parse(readFileSync(path, "utf8")) as Record<string, Record<string, Entry>>)[section]!["openclaw"]!

describe("mcp-server --install", () => {
  it.live.each(MCP_CLIENTS)("writes the settings of %s if they are missing, and only once", (client) =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path, section } = fileOf(home, client)
      const first = yield* install(home, client, "--backend", "embedded")
      assert.strictEqual(first.code, 0, first.stderr)
      assert.include(first.stdout, path)
      const text = readFileSync(path, "utf8")
      assert.deepStrictEqual(entryIn(path, section).args.slice(1), ["mcp-server", "--backend", "embedded"])
      const second = yield* install(home, client, "--backend", "embedded")
      assert.include(second.stdout, "has this server already")
      assert.strictEqual(readFileSync(path, "utf8"), text)
      assert.lengthOf(
        readdirSync(dirname(path)).filter((name) => name.includes("backup")),
        0
      )
    })
  )

  it.live("keeps every other entry, every comment, the rights of the file, and the file as it was", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path } = fileOf(home, "zed")
      const text = `// Zed settings\n{\n  "theme": "One Dark", // dark\n  "context_servers": {\n    "mine": { "command": "x", "args": [], },\n  },\n}\n`
      given(path, text)
      chmodSync(path, 0o640)
      const { code, stdout } = yield* run(home, "--install", "zed")
      assert.strictEqual(code, 0)
      const after = readFileSync(path, "utf8")
      for (const line of text.trimEnd().split("\n")) assert.include(after, line)
      assert.include(after, '"openclaw": {')
      assert.strictEqual(statSync(path).mode & 0o777, 0o640)
      const backup = readdirSync(dirname(path)).find((name) => name.endsWith(".backup"))
      assert.strictEqual(readFileSync(join(dirname(path), backup!), "utf8"), text)
      assert.include(stdout, backup!)
    })
  )

  it.live.each(MCP_CLIENTS)("takes nothing from the settings of %s that were there", (client) =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path, section } = fileOf(home, client)
      const others = {
        [section]: { one: { command: "a" }, two: { url: "https://x.example" } },
        more: [1, { of: "it" }]
      }
      const text = `${JSON.stringify(others, undefined, 4)}\n`
      given(path, text)
      const { code, stderr } = yield* install(home, client)
      assert.strictEqual(code, 0, stderr)
      const { [section]: servers, ...rest } = JSON.parse(readFileSync(path, "utf8")) as Record<string, object>
      const { openclaw, ...kept } = servers as Record<string, Entry>
      assert.deepStrictEqual({ [section]: kept, ...rest }, others as object)
      assert.include(openclaw!.args, "mcp-server")
      const backups = readdirSync(dirname(path)).filter((name) => name.endsWith(".backup"))
      assert.deepStrictEqual(
        backups.map((name) => readFileSync(join(dirname(path), name), "utf8")),
        [text]
      )
    })
  )

  it.live("changes its own entry and no other", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path, section } = fileOf(home, "cursor")
      yield* install(home, "cursor")
      yield* install(home, "cursor", "--verbose")
      assert.deepStrictEqual(entryIn(path, section).args.slice(1), ["mcp-server", "--verbose"])
      const others = JSON.stringify({ mcpServers: { openclaw: { command: "openclaw", args: ["mcp-server"] } } })
      writeFileSync(path, others)
      const { code, stderr } = yield* install(home, "cursor")
      assert.strictEqual(code, 1)
      assert.include(stderr, "something else: nothing was changed")
      assert.strictEqual(readFileSync(path, "utf8"), others)
    })
  )

  it.live("keeps additions of the user to its own entry", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path, section } = fileOf(home, "cursor")
      yield* install(home, "cursor")
      const added = { env: { MINE: "kept", MCP_LIVE_HOME: "/gone" }, alwaysAllow: ["order_status"] }
      given(path, JSON.stringify({ [section]: { openclaw: { ...entryIn(path, section), ...added } } }))
      assert.strictEqual((yield* install(home, "cursor", "--verbose")).code, 0)
      const { args, ...rest } = entryIn(path, section)
      assert.deepStrictEqual(args.slice(1), ["mcp-server", "--verbose"])
      assert.deepInclude(rest, { env: { MINE: "kept" }, alwaysAllow: ["order_status"] })
      assert.include((yield* install(home, "cursor", "--verbose")).stdout, "has this server already")
    })
  )

  it.live("leaves alone a file that is not UTF-8, and a link that leads nowhere", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path } = fileOf(home, "cursor")
      mkdirSync(dirname(path), { recursive: true })
      const latin = Buffer.from('{"mcpServers": {"caf\xe9": {"command": "x"}}}', "latin1")
      writeFileSync(path, latin)
      const unread = yield* install(home, "cursor")
      assert.strictEqual(unread.code, 1)
      assert.include(unread.stderr, "it is not UTF-8")
      assert.isTrue(readFileSync(path).equals(latin))
      rmSync(path)
      symlinkSync(join(home, "nothing-there"), path)
      const dangling = yield* install(home, "cursor")
      assert.strictEqual(dangling.code, 1)
      assert.include(dangling.stderr, "a link that leads nowhere")
      assert.isTrue(lstatSync(path).isSymbolicLink())
    })
  )

  it.live("leaves alone what it cannot read", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path } = fileOf(home, "claude-desktop")
      for (const text of ["{ broken", '{"mcpServers": []}', "[]"]) {
        given(path, text)
        const { code, stderr } = yield* install(home, "claude-desktop")
        assert.strictEqual(code, 1)
        assert.include(stderr, "cannot be changed safely")
        assert.strictEqual(readFileSync(path, "utf8"), text)
      }
    })
  )

  it.live("follows a link, and leaves it one", () =>
    Effect.gen(function* () {
      const [home, dotfiles] = [yield* folder, yield* folder]
      const { path } = fileOf(home, "cursor")
      const real = join(dotfiles, "mcp.json")
      given(real, '{"mcpServers": {"a": {"command": "b"}}}')
      mkdirSync(dirname(path), { recursive: true })
      symlinkSync(real, path)
      assert.strictEqual((yield* install(home, "cursor")).code, 0)
      assert.include(readFileSync(real, "utf8"), "mcp-server")
      assert.include(readFileSync(real, "utf8"), '"a": {"command": "b"}')
    })
  )

  it.live("only shows it with --print", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const { path } = fileOf(home, "vscode")
      const { code, stdout } = yield* install(home, "vscode", "--print", "--config", "my.json")
      assert.strictEqual(code, 0)
      const [json = "", where] = stdout.split("\n\n")
      assert.strictEqual(where?.trim(), `This goes into ${path}`)
      const { servers } = JSON.parse(json) as { servers: { openclaw: Entry & { type: string } } }
      assert.strictEqual(servers.openclaw.type, "stdio")
      assert.strictEqual(servers.openclaw.args.at(-1), join(home, "my.json"))
      assert.throws(() => statSync(path))
    })
  )

  it.live("writes an entry that a client can start", () =>
    Effect.gen(function* () {
      const home = yield* folder
      yield* run(home, "--install", "claude-code", "--backend", "embedded")
      const { path, section } = fileOf(home, "claude-code")
      const { args, command, env } = entryIn(path, section)
      // Nothing has been built here: the sources are what the launcher would start.
      const started = [MAIN, ...args.slice(1)]
      assert.match(args[0]!, /bin[/\\]mcp-live\.js$/)
      const client = yield* connected("2025-11-25", {
        command,
        args: started,
        cwd: home,
        env: { ...environment(home), ...env }
      })
      const { tools } = yield* Effect.promise(() => client.request("tools/list"))
      assert.include(JSON.stringify(tools), "order_openclaw")
    })
  )

  it.live.each([
    [["--print"], "--print is for --install"],
    [["--install", "emacs"], "emacs"],
    [["--install", "cursor", "--http"], "--install is for stdio"],
    [["--install", "cursor", "--print", "--port", "1"], "--install is for stdio"],
    [["--install", "cursor", "--print", "--clients", "x"], "--install is for stdio"],
    [["--port", "1"], "--port is for --http"],
    [["--http", "70000"], "70000 is not a port"],
    [["--clients", "x"], "--clients is for --http"],
    [["--json"], "leave --json out"]
  ] as const)("says what is wrong with %j", ([args, why]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* runHere(yield* folder, ...args)
      assert.strictEqual(code, 2)
      assert.include(stderr, why)
    })
  )
})
