/**
 * `mcp-live import` and `mcp-live export` in a home directory of their own: each as a process, and what is tried many times in this
 * process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import JSON5 from "json5"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { CLIENTS } from "../../src/schemas/config/clients/ClientNames.ts"
import { inFolder } from "../support/folder.ts"
import { expected, TOKENS, writeHome } from "../fixtures/clients/home.ts"
import { runHere } from "./here.ts"
import { run, saidBesides } from "./program.ts"
import { hasTerminals, onTerminalAt } from "./terminal.ts"
import { isFull } from "../support/full.ts"

const VARIABLES = {
  LEVEL: "debug",
  GITHUB_PAT: "x",
  PERPLEXITY_KEY: "x",
  SEARCH_API_KEY: "x",
  ISSUES_TOKEN: "x",
  ISSUES_ORG: "x",
  DB_URL: "x",
  EVERYTHING_TOKEN: "x",
  TICKETS_TOKEN: "x",
  HOSTED_TOKEN: "x"
}

const MEMORY = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-memory/dist/index.js", import.meta.url)
)

/** The program with this home, in an empty folder below it. */
const machine = Effect.map(inFolder, (home) => {
  const cwd = join(home, "here")
  mkdirSync(cwd)
  const env = {
    HOME: home,
    MCP_LIVE_HOME: "",
    XDG_CONFIG_HOME: "",
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    COLUMNS: "80"
  }
  const live = (args: ReadonlyArray<string>, more: Record<string, string> = {}) =>
    run(args, { cwd, env: { ...env, ...more }, stdin: "" })
  const here = (args: ReadonlyArray<string>, more: Record<string, string> = {}) =>
    runHere(args, { cwd, env: { ...env, ...more } })
  return { home, cwd, live, here, target: join(home, ".mcp-live", "openclaw.json") }
})

const serversOf = (file: string): Record<string, unknown> =>
  (JSON5.parse(readFileSync(file, "utf8")) as { mcp: { servers: Record<string, unknown> } }).mcp.servers

describe("mcp-live import", () => {
  it.live("makes one valid configuration of the files of twelve clients, and loses nothing", () =>
    Effect.gen(function* () {
      const { cwd, here, home, live, target } = yield* machine
      const { files, project } = writeHome(home)
      const before = Object.values(files).map((file) => readFileSync(file, "utf8"))
      const made = yield* live(["import", "--yes"])
      const { code, stdout } = made
      assert.strictEqual(saidBesides(made), "")
      assert.strictEqual(code, 0, stdout)
      assert.deepStrictEqual(serversOf(target), expected(home, project, cwd) as Record<string, unknown>)
      assert.strictEqual(statSync(target).mode & 0o777, 0o600)
      assert.deepStrictEqual(
        Object.values(files).map((file) => readFileSync(file, "utf8")),
        before
      )
      for (const token of Object.values(TOKENS)) assert.notInclude(stdout, token)
      const validated = yield* here(["validate"], VARIABLES)
      assert.strictEqual(validated.code, 0, validated.stderr + validated.stdout)
      const again = yield* here(["import", "--yes", "--json"])
      assert.strictEqual(again.code, 0)
      for (const token of Object.values(TOKENS)) assert.notInclude(again.stdout, token)
      const { take, there } = JSON.parse(again.stdout) as {
        take: ReadonlyArray<unknown>
        there: ReadonlyArray<unknown>
      }
      assert.deepStrictEqual(take, [])
      // One that two clients have is there for both.
      assert.strictEqual(there.length, Object.keys(expected(home, project, cwd)).length + 1)
    }).pipe(Effect.scoped)
  )

  it.live("says what it leaves and why, in 80 columns", () =>
    Effect.gen(function* () {
      const { here, home, live, target } = yield* machine
      writeHome(home)
      const { code, stdout } = yield* live(["import", "--dry-run"])
      assert.strictEqual(code, 0)
      assert.isFalse(existsSync(target))
      const json = yield* here(["import", "--dry-run", "--json"])
      for (const token of Object.values(TOKENS)) assert.notInclude(json.stdout, token)
      const text = stdout.replace(/\s+/g, " ")
      for (const said of [
        "an extension of Zed brings its program",
        "it is a part of Goose",
        "mcp-live reaches no server over a local socket",
        "you have not allowed Claude Code to start it",
        `its name there is "github", which another server has here`,
        "set the environment variable PERPLEXITY_KEY",
        "mcp-live asks before a call only where tools.ask says so",
        "1 variable is taken from"
      ])
        assert.include(text, said)
      const paths = new RegExp(home.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      for (const line of stdout.split("\n"))
        if (!paths.test(line) && /\S \S/.test(line)) assert.isAtMost(line.length, 80, line)
    }).pipe(Effect.scoped)
  )

  it.live("asks, and without a terminal says which flag answers", () =>
    Effect.gen(function* () {
      const { here, home, target } = yield* machine
      writeHome(home)
      const { code, stderr } = yield* here(["import"])
      assert.strictEqual(code, 1)
      assert.include(stderr, "nothing was written: there is no terminal to ask at; add --yes to write, or --dry-run")
      assert.isFalse(existsSync(target))
      const json = yield* here(["import", "--json"])
      assert.strictEqual(json.code, 2)
      assert.include(json.stderr, "add --yes to write, or --dry-run")
      assert.strictEqual(json.stdout, "")
    }).pipe(Effect.scoped)
  )

  it.live("says where it looked when there is no client", () =>
    Effect.gen(function* () {
      const { here } = yield* machine
      const { code, stdout } = yield* here(["import"])
      assert.strictEqual(code, 0)
      assert.include(stdout, "No other program has a file with MCP servers here.")
      // A name is never broken, also one with blanks.
      for (const line of stdout.split("\n").slice(1, -1)) assert.match(line, /^ {2}\S[^~]*:( ~.*)?$|^ {4}~/, line)
      for (const place of ["~/.cursor/mcp.json", "~/.codex/config.toml", "~/.config/goose/config.yaml"]) {
        assert.include(stdout, place)
      }
    }).pipe(Effect.scoped)
  )

  it.live("moves credentials into files that the configuration refers to", () =>
    Effect.gen(function* () {
      const { here, home, live, target } = yield* machine
      writeHome(home)
      const { code, stdout } = yield* live(["import", "--yes", "--secrets", "file"])
      assert.strictEqual(code, 0, stdout)
      const text = readFileSync(target, "utf8")
      for (const token of Object.values(TOKENS)) assert.notInclude(text, token)
      const servers = serversOf(target) as Record<string, { env: object; headers: object; url: string }>
      assert.deepStrictEqual(servers["github"]!.env, {
        GITHUB_TOKEN: "secret://file/~/.mcp-live/secrets/github/GITHUB_TOKEN"
      })
      assert.deepStrictEqual(servers["tracker"]!.headers, {
        Authorization: "Bearer secret://file/~/.mcp-live/secrets/tracker/Authorization"
      })
      assert.strictEqual(
        servers["figma"]!.url,
        "https://figma.dev/mcp?key={secret://file/~/.mcp-live/secrets/figma/key}&team=7"
      )
      const folder = join(home, ".mcp-live", "secrets")
      assert.strictEqual(readFileSync(join(folder, "github", "GITHUB_TOKEN"), "utf8").trim(), TOKENS.desktop)
      for (const server of readdirSync(folder)) {
        assert.strictEqual(statSync(join(folder, server)).mode & 0o777, 0o700)
        for (const name of readdirSync(join(folder, server))) {
          assert.strictEqual(statSync(join(folder, server, name)).mode & 0o777, 0o600)
        }
      }
      writeFileSync(join(home, ".jira-token"), "jira-token-value")
      writeFileSync(join(home, ".config", "opencode", "everything.key"), "everything-key-value")
      const { code: valid, stdout: trials } = yield* here(["validate", "--secrets"], VARIABLES)
      assert.strictEqual(valid, 0, trials)
      const again = yield* here(["import", "--dry-run", "--json"])
      assert.deepStrictEqual((JSON.parse(again.stdout) as { take: unknown }).take, [])
    }).pipe(Effect.scoped)
  )

  it.live("adds to a file that is there, and keeps its comments, its order and its link", () =>
    Effect.gen(function* () {
      const { home, live, target } = yield* machine
      writeHome(home)
      const real = join(home, "dotfiles", "openclaw.json")
      const text = `// mine
{
  agents: {
    defaults: {
      mcp: {
        servers: {
          /* the first */ github: { command: 'gh-mcp' },
        },
      },
    },
    list: [{ id: 'main' }], // one agent
  },
}
`
      mkdirSync(dirname(real))
      mkdirSync(dirname(target))
      writeFileSync(real, text)
      chmodSync(real, 0o644)
      symlinkSync(real, target)
      const { code, stdout } = yield* live(["import", "--yes", "--from", "claude-desktop", "--from", "cursor"])
      assert.strictEqual(code, 0, stdout)
      const after = readFileSync(real, "utf8")
      for (const kept of ["// mine", "/* the first */ github: { command: 'gh-mcp' },", "// one agent"])
        assert.include(after, kept)
      const { agents } = JSON5.parse(after) as { agents: { defaults: { mcp: { servers: object } } } }
      assert.deepStrictEqual(Object.keys(agents.defaults.mcp.servers), [
        "github",
        "filesystem",
        "github-claude-desktop",
        "github-cursor",
        "notes",
        "company"
      ])
      assert.strictEqual(statSync(real).mode & 0o777, 0o600)
      const backup = readdirSync(dirname(real)).find((name) => name.endsWith(".backup"))
      assert.strictEqual(readFileSync(join(dirname(real), backup!), "utf8"), text)
    }).pipe(Effect.scoped)
  )

  it.live("imports the valid servers and files although others are broken", () =>
    Effect.gen(function* () {
      const { here, home, target } = yield* machine
      const { files } = writeHome(home)
      writeFileSync(files.cursor, `{ "mcpServers": { "x": { "command": "secret-word-in-a-broken-file`)
      writeFileSync(files.codex, `[mcp_servers.a]\ncommand = "a"\nargs = nothing-of-yours\n`)
      writeFileSync(files.goose, `extensions:\n  a: {type: stdio, cmd: [nothing-of-yours\n`)
      writeFileSync(files.windsurf, `{ "mcpServers": ["no"] }`)
      writeFileSync(files.gemini, `[1]`)
      writeFileSync(files.zed, "\u0000\u0000")
      writeFileSync(
        files.cline,
        `{
  "mcpServers": {
    "good": { "command": "good" },
    "bad": { "command": ["a"], "args": "b" },
    "none": 7,
    "turned\\u202e": { "command": "a\\u001b[2Jb", "\\u001b[1mkey": 1 },
    "\\u001b[31mred": { "command": "red" },
    "__proto__": { "command": "proto" },
    "constructor": { "command": "cons", "timeout": "soon" }
  }
}`
      )
      const { code, stdout } = yield* here(["import", "--yes", "--json"])
      assert.strictEqual(code, 0)
      const { broken, left } = JSON.parse(stdout) as {
        broken: ReadonlyArray<{ file: string; line: number; message: string }>
        left: ReadonlyArray<{
          client: string
          name: string
          line: number
          path: string
          message: string
          isBroken: boolean
        }>
      }
      assert.deepStrictEqual(
        broken.map(({ file, line }) => [file, line]),
        [
          [files.cursor, 1],
          [files.zed, 1],
          [files.codex, 3],
          [files.goose, broken.at(-1)!.line]
        ]
      )
      assert.notInclude(stdout, "nothing-of-yours")
      assert.notInclude(stdout, "secret-word")
      const said = left
        .filter(({ isBroken }) => isBroken)
        .map(({ client, line, name, path }) => [client, name, line, path])
      assert.deepInclude(said, ["cline", "bad", 4, "mcpServers.bad.command"])
      assert.deepInclude(said, ["cline", "none", 5, "mcpServers.none"])
      assert.deepInclude(said, ["gemini", "", 1, ""])
      assert.deepInclude(said, ["windsurf", "", 1, "mcpServers"])
      const names = Object.keys(serversOf(target))
      for (const name of ["good", "[31mred", "filesystem", "sentry", "everything"]) assert.include(names, name)
      const { code: valid, stderr } = yield* here(["validate"], VARIABLES)
      assert.strictEqual(valid, 0, stderr)
      const { stdout: text } = yield* here(["import", "--dry-run", "--to", join(home, "new.json")])
      // A name, a path or a message of a stranger moves no cursor.
      assert.notMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }).pipe(Effect.scoped)
  )

  it.live("does not add to a file that is not valid, or that belongs to a client", () =>
    Effect.gen(function* () {
      const { here, home, target } = yield* machine
      const { files } = writeHome(home)
      mkdirSync(dirname(target))
      writeFileSync(target, `{ mcp: { servers: { a: { comand: "x" } } } }`)
      const { code, stderr } = yield* here(["import", "--yes"])
      assert.strictEqual(code, 2)
      assert.include(stderr, `did you mean "command"?`)
      const named = yield* here(["import", "--yes", "--to", target])
      assert.strictEqual(named.code, 2)
      assert.strictEqual(readFileSync(target, "utf8"), `{ mcp: { servers: { a: { comand: "x" } } } }`)
      const other = yield* here(["import", "--yes", "--to", files.zed])
      assert.strictEqual(other.code, 2)
      assert.include(other.stderr, "is a file of Zed")
      const openclaws = yield* here(["import", "--yes", "--to", files.openclaw])
      assert.strictEqual(openclaws.code, 2)
      assert.include(openclaws.stderr, "is OpenClaw's own file")
    }).pipe(Effect.scoped)
  )

  it.live("does not add to OpenClaw's own file through a link, also where it is the file that is used here", () =>
    Effect.gen(function* () {
      const { here, home, target } = yield* machine
      const { files } = writeHome(home)
      const before = readFileSync(files.openclaw, "utf8")
      symlinkSync(files.openclaw, join(home, "mine.json"))
      mkdirSync(dirname(target))
      symlinkSync(files.openclaw, target)
      for (const named of [["--to", join(home, "mine.json")], ["--config", join(home, "mine.json")], []]) {
        const { code, stderr } = yield* here(["import", "--yes", ...named])
        assert.strictEqual(code, 2)
        assert.include(stderr, "is OpenClaw's own file")
        assert.strictEqual(readFileSync(files.openclaw, "utf8"), before)
      }
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live export", () => {
  const CONFIG = `{
  mcp: {
    servers: {
      files: { command: "npx", args: ["-y", "files", "~/notes"], env: { TOKEN: "secret://env/TOKEN" }, lazy: true },
      web: { url: "https://a.example/mcp", headers: { Authorization: "Bearer \${WEB}" } },
      vault: { url: "https://b.example/mcp", headers: { "X-Key": "secret://env/KEY" } },
    },
  },
}`

  it.live("prints the servers in the client's format, and names what is left out", () =>
    Effect.gen(function* () {
      const { here, home, live } = yield* machine
      const config = join(home, "own.json")
      writeFileSync(config, CONFIG)
      const { code, stderr, stdout } = yield* live(["export", "cursor", "--config", config])
      assert.strictEqual(code, 0)
      const { mcpServers } = JSON.parse(stdout) as { mcpServers: Record<string, { args: ReadonlyArray<string> }> }
      assert.deepStrictEqual(Object.keys(mcpServers), ["files", "web"])
      assert.deepStrictEqual(mcpServers["web"], {
        url: "https://a.example/mcp",
        headers: { Authorization: "Bearer ${env:WEB}" }
      } as unknown)
      assert.deepStrictEqual(mcpServers["files"]!.args.slice(1), [
        "exec",
        "--",
        "npx",
        "-y",
        "files",
        join(home, "notes")
      ])
      assert.include(stderr, "'vault' is left out: only mcp-live resolves its secret:// references: use --serve")
      assert.include(stderr, "'files': Cursor has nothing for lazy")
      assert.include(stderr, "--write writes this into ~/.cursor/mcp.json")
      const unwritten = yield* here(["export", "codex", "--config", config, "--dry-run"])
      assert.strictEqual(unwritten.code, 2)
      assert.include(unwritten.stderr, "--dry-run is for --write")
      const json = yield* here(["export", "codex", "--config", config, "--json"])
      assert.strictEqual(json.stderr, "")
      const { left, lost, servers, text } = JSON.parse(json.stdout) as Record<string, unknown>
      assert.deepStrictEqual([servers, lost], [["files", "web"], [{ name: "files", keys: ["lazy"] }]])
      assert.deepStrictEqual(left, [
        { name: "vault", reason: "only mcp-live resolves its secret:// references: use --serve" }
      ])
      assert.include(text as string, 'bearer_token_env_var = "WEB"')
    }).pipe(Effect.scoped)
  )

  it.live("edits the client's file, keeps its other servers, and can import the result again", () =>
    Effect.gen(function* () {
      const { here, home, target } = yield* machine
      const { files } = writeHome(home)
      mkdirSync(dirname(target))
      writeFileSync(
        target,
        `{ mcp: { servers: { search: { command: "other" }, fresh: { command: "fresh", args: ["a b"] } } } }`
      )
      for (const client of ["codex", "goose", "zed"] as const) {
        const before = readFileSync(files[client], "utf8")
        const dry = yield* here(["export", client, "--write", "--dry-run"])
        assert.strictEqual(dry.code, 0, dry.stderr)
        assert.match(dry.stdout, /would change:\n[^]*^\+ .*fresh/m)
        const document = yield* here(["export", client, "--write", "--dry-run", "--json"])
        const { difference, written } = JSON.parse(document.stdout) as Record<string, unknown>
        assert.isFalse(written)
        assert.match(difference as string, /^\+ .*fresh/m)
        assert.strictEqual(readFileSync(files[client], "utf8"), before)
        const { code, stderr, stdout } = yield* here(["export", client, "--write"])
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, "is written; backup: ")
        const after = readFileSync(files[client], "utf8")
        assert.notStrictEqual(after, before)
        if (client === "codex")
          assert.include(stderr, "'search' is left out: Codex has another server of that name; --replace")
        const again = yield* here(["export", client, "--write"])
        assert.include(again.stdout, "has them already")
        assert.include((yield* here(["export", client, "--write", "--dry-run"])).stdout, "has them already")
        assert.strictEqual(readFileSync(files[client], "utf8"), after)
      }
      const codex = readFileSync(files.codex, "utf8")
      assert.include(codex, '# search\n[mcp_servers.search]\ncommand = "npx"')
      assert.strictEqual((yield* here(["export", "codex", "--write", "--replace"])).code, 0)
      const replaced = readFileSync(files.codex, "utf8")
      assert.notInclude(replaced, "search-mcp")
      assert.include(replaced, 'model = "gpt-5.4"')
      assert.include(replaced, "[mcp_servers.issues]")
      for (const client of ["codex", "goose", "zed"] as const) {
        const { stdout } = yield* here([
          "import",
          "--json",
          "--dry-run",
          "--from",
          client,
          "--to",
          join(home, "new.json")
        ])
        const { take } = JSON.parse(stdout) as { take: ReadonlyArray<{ name: string }> }
        assert.include(
          take.map(({ name }) => name),
          "fresh"
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("writes entries that find their secrets in the configuration, wherever the client starts them", () =>
    Effect.gen(function* () {
      const { here, home, live } = yield* machine
      const config = join(home, "own.json")
      const node = process.execPath
      const show = { command: node, args: ["-p", "process.env.TOKEN"], env: { TOKEN: "secret://exec/tok" } }
      const secrets = { exec: { tok: { command: node, args: ["-p", "'said by tok'"] } } }
      writeFileSync(config, JSON.stringify({ mcp: { secrets, servers: { show } } }))
      const data = { MCP_LIVE_HOME: join(home, "data") }
      const { stdout } = yield* here(["export", "claude-code", "--config", config], data)
      const { args, env } = (
        JSON.parse(stdout) as { mcpServers: { show: { args: ReadonlyArray<string>; env: Record<string, string> } } }
      ).mcpServers.show
      assert.deepStrictEqual(env, { ...show.env, ...data })
      assert.deepInclude(yield* live(args.slice(1), env), { code: 0, stdout: "said by tok\n", stderr: "" })
      writeFileSync(join(home, ".claude.json"), stdout)
      const back = yield* here(["import", "--dry-run", "--json", "--to", config])
      const { there } = JSON.parse(back.stdout) as { there: ReadonlyArray<{ name: string }> }
      assert.deepStrictEqual(
        there.map(({ name }) => name),
        ["show"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("writes one entry for all of them, which serves this configuration", () =>
    Effect.gen(function* () {
      const { here, home, live } = yield* machine
      const config = join(home, "own.json")
      writeFileSync(config, CONFIG)
      const { code, stderr, stdout } = yield* live([
        "export",
        "claude-desktop",
        "--serve",
        "--config",
        config,
        "--write"
      ])
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "Restart Claude Desktop to use it.")
      const text = readFileSync(join(home, ".config", "Claude", "claude_desktop_config.json"), "utf8")
      const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { args: ReadonlyArray<string> }> }
      assert.deepStrictEqual(Object.keys(mcpServers), ["mcp-live"])
      assert.deepStrictEqual(mcpServers["mcp-live"]!.args.slice(1), ["serve", "--config", config])
      const back = yield* here(["import", "--dry-run", "--json"])
      const { left } = JSON.parse(back.stdout) as { left: ReadonlyArray<{ message: string }> }
      assert.deepStrictEqual(
        left.map(({ message }) => message),
        ["it is mcp-live itself"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("does not touch a file that it does not understand, and exits with 1 where there is nothing to write", () =>
    Effect.gen(function* () {
      const { here, home } = yield* machine
      const config = join(home, "own.json")
      writeFileSync(config, CONFIG)
      for (const [client, file, text] of [
        ["codex", ".codex/config.toml", "mcp_servers = 7\n"],
        ["goose", ".config/goose/config.yaml", "extensions: [1\n"],
        ["gemini", ".gemini/settings.json", "{ not json"]
      ] as const) {
        mkdirSync(dirname(join(home, file)), { recursive: true })
        writeFileSync(join(home, file), text)
        const { code, stderr } = yield* here(["export", client, "--write", "--config", config])
        assert.strictEqual(code, 1, stderr)
        assert.include(stderr, "cannot be changed safely")
        assert.strictEqual(readFileSync(join(home, file), "utf8"), text)
      }
      writeFileSync(config, `{ mcp: { servers: { a: { url: "https://a", headers: { K: "secret://env/K" } } } } }`)
      const nothing = yield* here(["export", "zed", "--config", config])
      assert.strictEqual(nothing.code, 1)
      assert.strictEqual(nothing.stdout, "")
      assert.include(nothing.stderr, "there is nothing to write")
      assert.strictEqual((yield* here(["export", "zed", "--agent", "nobody", "--config", config])).code, 2)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("on a terminal", () => {
  it.live("mcp-live import asks, and writes only after a yes", () =>
    Effect.gen(function* () {
      const { home, target } = yield* machine
      writeHome(home)
      const args = ["import", "--from", "zed", "--to", target]
      const refused = yield* onTerminalAt(home, ...args)
      yield* refused.until(/Write .*\? \[y\]es \/ \[n\]o: /)
      refused.type("\r")
      yield* refused.until(/Nothing was written/)
      assert.isFalse(existsSync(target))
      const accepted = yield* onTerminalAt(home, ...args)
      yield* accepted.until(/Write .*\? \[y\]es \/ \[n\]o: /)
      accepted.type("y\r")
      yield* accepted.until(/is written/)
      assert.deepStrictEqual(Object.keys(serversOf(target)), ["make", "older", "web"])
    }).pipe(Effect.scoped)
  )
})

describe("a client's file as the configuration", () => {
  it.live.each(CLIENTS)("is valid as %s writes it", (client) =>
    Effect.gen(function* () {
      const { here, home } = yield* machine
      const { files } = writeHome(home)
      const { code, stderr, stdout } = yield* here(["validate", "--json", "--config", files[client]], VARIABLES)
      assert.strictEqual(code, 0, stdout + stderr)
      const { ok } = JSON.parse(stdout) as { ok: boolean }
      assert.isTrue(ok)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("starts its servers: TOML, YAML, a command as a list, settings of an editor", () =>
    Effect.gen(function* () {
      const { here, home } = yield* machine
      const args = [MEMORY]
      const node = process.execPath
      const texts = {
        "config.toml": `[mcp_servers.memory]\ncommand = ${JSON.stringify(node)}\nargs = ${JSON.stringify(args)}\n`,
        "config.yaml": `extensions:\n  memory: { type: stdio, name: m, cmd: ${JSON.stringify(node)}, args: ${JSON.stringify(args)} }\n`,
        "opencode.json": JSON.stringify({ mcp: { memory: { type: "local", command: [node, ...args] } } }),
        "settings.json": JSON.stringify({ context_servers: { memory: { command: { path: node, args } } } })
      }
      for (const [name, text] of Object.entries(texts)) {
        writeFileSync(join(home, name), text)
        const { stdout } = yield* here(["status", "--json", "--wait", "--config", join(home, name)])
        const { servers } = JSON.parse(stdout) as { servers: Record<string, { state: string }> }
        assert.deepStrictEqual(
          Object.entries(servers).map(([server, { state }]) => [server, state]),
          [["memory", "Ready"]],
          name
        )
      }
    }).pipe(Effect.scoped)
  )
})
