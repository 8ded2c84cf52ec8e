/** `mcp-live init` and `add` as processes, in a home directory of their own, with a registry on the loopback. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { altered, MEMORY_VERSION } from "../fixtures/registry/servers.ts"
import { machine, machineOf, noSecrets, serversOf } from "./gettingMachine.ts"
import { run } from "./program.ts"

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url))
const SERVER = fileURLToPath(new URL("../fixtures/bundles/server.mjs", import.meta.url))

describe("from an empty folder", () => {
  it.live("three commands lead to the first call of a server of the registry", () =>
    Effect.gen(function* () {
      const { cwd, home, live, target } = yield* machineOf(run)
      // npx finds the published server here, and needs no network.
      symlinkSync(MODULES, join(cwd, "node_modules"))
      const first = yield* live(["init", "--yes"])
      assert.strictEqual(first.code, 0, first.stderr)
      const added = yield* live(["add", "io.github.example/memory", "--yes", "--set", "API_KEY=canary-key"])
      assert.strictEqual(added.code, 0, added.stderr)
      assert.include(added.stdout, `runs: npx -y @modelcontextprotocol/server-memory@${MEMORY_VERSION}`)
      assert.include(added.stdout, "with: API_KEY=secret://file/~/.mcp-live/secrets/memory/API_KEY")
      assert.include(added.stdout, "not set: MEMORY_FILE_PATH")
      assert.include(added.stdout, "mcp_memory_read_graph")
      assert.include(added.stdout, "tools, pinned")
      // A tool of the runtime is none of the server's: the number is that of the rows.
      assert.strictEqual(
        added.stdout.match(/^mcp_memory_/gm)?.length,
        Number(/^(\d+) tools, pinned/m.exec(added.stdout)?.[1])
      )
      const [before = ""] = added.stdout.split("TOOL ")
      for (const line of before.split("\n")) if (!line.includes(".backup")) assert.isAtMost(line.length, 80, line)
      const called = yield* live(["call", "memory/read_graph"])
      assert.strictEqual(called.code, 0, called.stderr)
      assert.include(called.stdout, "entities")

      assert.deepStrictEqual(serversOf(target), {
        memory: {
          command: "npx",
          args: ["-y", `@modelcontextprotocol/server-memory@${MEMORY_VERSION}`],
          env: { API_KEY: "secret://file/~/.mcp-live/secrets/memory/API_KEY" }
        }
      })
      assert.include(readFileSync(target, "utf8"), "// Add servers with 'mcp-live add'")
      const file = join(home, ".mcp-live", "secrets", "memory", "API_KEY")
      assert.strictEqual(readFileSync(file, "utf8").trim(), "canary-key")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const { stdout: pins } = yield* live(["pins", "list", "--json"])
      assert.include(pins, "read_graph")
      for (const said of [added, called]) assert.notInclude(said.stdout + said.stderr, "canary-key")
    }).pipe(Effect.scoped)
  )

  it.live("init changes nothing that is there, and says without a terminal which flags do the same", () =>
    Effect.gen(function* () {
      const { live, target } = yield* machine
      const asked = yield* live(["init"])
      assert.strictEqual(asked.code, 1)
      for (const words of ["init --yes", "import --yes", "add io.github.user/server --yes"])
        assert.include(asked.stderr, words)
      assert.isFalse(existsSync(target))
      const dry = yield* live(["init", "--dry-run", "--model", "openai/gpt-5"])
      assert.include(dry.stdout, "openai/gpt-5")
      assert.isFalse(existsSync(target))
      assert.strictEqual((yield* live(["init", "--yes", "--model", "openai/gpt-5"])).code, 0)
      const text = readFileSync(target, "utf8")
      assert.include(text, `"model": "openai/gpt-5"`)
      const again = yield* live(["init", "--yes"])
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "there is a configuration already: ~/.mcp-live/openclaw.json")
      assert.strictEqual(readFileSync(target, "utf8"), text)
      assert.strictEqual((yield* live(["validate"])).code, 0)
    }).pipe(Effect.scoped)
  )
})

describe("mcp-live add", () => {
  it.live("adds a command, and keeps the comments of the file", () =>
    Effect.gen(function* () {
      const { cwd, live } = yield* machine
      const file = join(cwd, "openclaw.json")
      const text =
        "{\n  // mine\n  mcp: { servers: {\n    old: { command: 'old', enabled: false }, // the first\n  } },\n}\n"
      writeFileSync(file, text)
      const { code, stderr, stdout } = yield* live([
        "add",
        "own",
        "--env",
        "API_KEY=canary-value",
        "--",
        process.execPath,
        SERVER,
        "."
      ])
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "1 tool, pinned")
      const after = readFileSync(file, "utf8")
      assert.include(after, "// mine")
      assert.include(after, "    old: { command: 'old', enabled: false }, // the first\n")
      assert.deepStrictEqual(serversOf(file)["own"], {
        command: process.execPath,
        args: [SERVER, "."],
        env: { API_KEY: "secret://file/~/.mcp-live/secrets/own/API_KEY" },
        cwd
      })
      assert.strictEqual(readdirSync(cwd).filter((name) => name.endsWith(".backup")).length, 1)
      const called = yield* live(["call", "own/started", "--raw"])
      assert.deepInclude(JSON.parse(called.stdout), { args: ["."], cwd, key: "canary-value".length })
      const taken = yield* live(["add", "own", "--", "other"])
      assert.strictEqual(taken.code, 2)
      assert.include(taken.stderr, "there is a server 'own' in ./openclaw.json".replace("./", `~/here/`))
      assert.strictEqual(readFileSync(file, "utf8"), after)
    }).pipe(Effect.scoped)
  )

  it.live("writes nothing if the server does not start, and leaves no secret behind; --force writes it", () =>
    Effect.gen(function* () {
      const { home, live, target } = yield* machine
      const args = ["add", "broken", "--env", "API_TOKEN=canary-value", "--", "no-such-command-here"]
      const failed = yield* live(args)
      assert.strictEqual(failed.code, 1)
      assert.include(failed.stderr, "'broken' does not start")
      assert.include(failed.stderr, "nothing was written; --force writes it anyway")
      assert.isFalse(existsSync(target))
      assert.isTrue(noSecrets(home))
      const json = yield* live([...args.slice(0, 2), "--json", "--yes", ...args.slice(2)])
      assert.strictEqual(json.code, 1)
      const { error } = JSON.parse(json.stdout) as { error: { tag: string; message: string } }
      assert.strictEqual(error.tag, "NotWritten")
      assert.include(error.message, "does not start")
      const forced = yield* live(["add", "--force", ...args.slice(1)])
      assert.strictEqual(forced.code, 0, forced.stderr)
      assert.deepInclude(serversOf(target)["broken"], { command: "no-such-command-here" })
      assert.isFalse(noSecrets(home))
    }).pipe(Effect.scoped)
  )

  it.live("asks before it starts a server that a registry describes; without a terminal it needs --yes", () =>
    Effect.gen(function* () {
      const { live, target } = yield* machine
      const { code, stderr } = yield* live(["add", "io.github.example/memory"])
      assert.strictEqual(code, 1)
      assert.include(stderr, "there is no terminal to ask at; add --yes")
      assert.isFalse(existsSync(target))
    }).pipe(Effect.scoped)
  )

  it.live("names the missing values, and refuses values that the server does not ask for", () =>
    Effect.gen(function* () {
      const { live, target } = yield* machine
      const missing = yield* live(["add", "io.github.example/filesystem", "--yes", "--set", "org=acme"])
      assert.strictEqual(missing.code, 2)
      for (const words of ["--set TOKEN=… (secret)", "--set token=…", "--set target_dir=… (a path)"])
        assert.include(missing.stderr, words)
      assert.notInclude(missing.stderr, "--set mode")
      const wrong = yield* live(["add", "io.github.example/filesystem", "--yes", "--set", "TOKN=x"])
      assert.include(wrong.stderr, "did you mean TOKEN?")
      const choice = [
        "--set",
        "mode=other",
        "--set",
        "org=a",
        "--set",
        "TOKEN=t",
        "--set",
        "token=t",
        "--set",
        "target_dir=/a"
      ]
      const invalid = yield* live(["add", "io.github.example/filesystem", "--yes", ...choice])
      assert.include(invalid.stderr, "must be one of: local, cached")
      assert.isFalse(existsSync(target))
    }).pipe(Effect.scoped)
  )

  it.live("shows with --dry-run what would be written, and starts and stores nothing", () =>
    Effect.gen(function* () {
      const { cwd, home, live, target } = yield* machine
      const given = [
        "--set",
        "org=acme",
        "--set",
        "TOKEN=canary-one",
        "--set",
        "token=canary-two",
        "--set",
        "target_dir=."
      ]
      const { code, stderr, stdout } = yield* live(["add", "io.github.example/filesystem", "--dry-run", ...given])
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, `+       "filesystem": {`)
      assert.include(stdout, `"TOKEN": "secret://file/~/.mcp-live/secrets/filesystem/TOKEN"`)
      assert.include(stdout, `"AUTH": "Bearer {secret://file/~/.mcp-live/secrets/filesystem/token}"`)
      assert.include(stdout, `"${cwd}"`)
      assert.notInclude(stdout, "canary")
      assert.isFalse(existsSync(target))
      assert.isTrue(noSecrets(home))
      // The whole command, however long it is.
      const long = `x${"y".repeat(200)}z`
      const { stdout: all } = yield* live([
        "add",
        "io.github.example/filesystem",
        "--dry-run",
        ...given,
        "--set",
        `target_dir=/${long}`
      ])
      assert.include(all.replace(/\n {2}/g, " "), `"--header=X-Org: acme" ${cwd} /${long}`)
      for (const flags of [["--dry-run"], []]) {
        const plain = yield* live(["add", "io.github.example/filesystem", ...flags, "--secrets", "keep", ...given])
        assert.include(plain.stdout, "with: ")
        assert.notInclude(plain.stdout, "canary")
      }
      const json = yield* live(["add", "io.github.example/filesystem", "--dry-run", "--json", ...given])
      assert.deepInclude(JSON.parse(json.stdout), { name: "filesystem", written: false })
      assert.notInclude(json.stdout, "canary")
    }).pipe(Effect.scoped)
  )

  it.live("starts nothing unusual unless that is allowed by name", () =>
    Effect.gen(function* () {
      const { live, shelf, target } = yield* machine
      shelf.now = {
        servers: [altered({ runtimeArguments: [{ type: "named", name: "--registry", value: "http://127.0.0.1:9" }] })]
      }
      const { code, stderr } = yield* live(["add", "io.github.example/altered", "--yes"])
      assert.strictEqual(code, 1)
      assert.include(stderr, `gives npx the argument "--registry http://127.0.0.1:9"`)
      assert.include(stderr, "--allow-unusual")
      assert.isFalse(existsSync(target))
      shelf.now = {
        servers: [altered({ environmentVariables: [{ name: "NODE_OPTIONS", value: "--import=/tmp/x.mjs" }] })]
      }
      const variable = yield* live(["add", "io.github.example/altered", "--yes", "--allow-unusual"])
      assert.strictEqual(variable.code, 1)
      assert.include(variable.stderr, "NODE_OPTIONS")
      assert.isFalse(existsSync(target))
      shelf.now = { servers: [altered({ identifier: "--evil\u001b[2J" })] }
      const refused = yield* live(["add", "io.github.example/altered", "--yes", "--allow-unusual"])
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "no name of a package")
      assert.notInclude(refused.stderr, "\u001b")
    }).pipe(Effect.scoped)
  )

  it.live("suggests corrections for a misspelt word, and passes on errors of the registry", () =>
    Effect.gen(function* () {
      const { live } = yield* machine
      const word = yield* live(["add", "memory"])
      assert.strictEqual(word.code, 2)
      assert.include(word.stderr, "mcp-live add NAME -- COMMAND…")
      const none = yield* live(["add", "io.github.example/none", "--yes"])
      assert.strictEqual(none.code, 1)
      assert.include(none.stderr, "has no server 'io.github.example/none'")
      const away = yield* live(["add", "io.github.example/none", "--yes", "--registry", "http://127.0.0.1:9"])
      assert.include(away.stderr, "127.0.0.1:9 does not answer")
      const stray = yield* live(["add", "x", "npx"])
      assert.include(stray.stderr, "must follow --")
    }).pipe(Effect.scoped)
  )

  it.live("leaves the files of other programs to them", () =>
    Effect.gen(function* () {
      const { home, live } = yield* machine
      const file = join(home, ".cursor", "mcp.json")
      mkdirSync(join(home, ".cursor"))
      writeFileSync(file, '{ "mcpServers": {} }')
      const { code, stderr } = yield* live(["add", "x", "--config", file, "--", "x"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "is a file of Cursor, which mcp-live does not edit")
      const toml = yield* live(["add", "x", "--config", join(home, ".codex", "config.toml"), "--", "x"])
      assert.strictEqual(toml.code, 2)
      assert.include(toml.stderr, "is a file of Codex")
      // Before anybody is asked.
      const agent = yield* live(["add", "io.github.example/memory", "--agent", "none"])
      assert.strictEqual(agent.code, 1)
      assert.include(agent.stderr, "describes no agent 'none'")
      mkdirSync(join(home, ".openclaw"))
      writeFileSync(join(home, ".openclaw", "openclaw.json"), "{}")
      const own = yield* live(["add", "x", "--", "x"])
      assert.strictEqual(own.code, 2)
      assert.include(own.stderr, "is OpenClaw's own file")
      const link = join(home, "mine.json")
      symlinkSync(join(home, ".openclaw", "openclaw.json"), link)
      for (const command of [
        ["add", "x", "--config", link, "--", "x"],
        ["disable", "x", "--config", link]
      ]) {
        const linked = yield* live(command)
        assert.strictEqual(linked.code, 2)
        assert.include(linked.stderr, "is OpenClaw's own file")
      }
    }).pipe(Effect.scoped)
  )
})
