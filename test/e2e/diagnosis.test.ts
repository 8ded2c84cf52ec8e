/** `mcp-live doctor` with real parts: programs, packages, secrets, ports and servers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { hostile, inFixtures, serverPath } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { type Document, inBin, listening, program, setUp } from "./diagnosed.ts"
import { runHere } from "./here.ts"
import { run } from "./program.ts"
import { hasTerminals, onTerminalAt } from "./terminal.ts"

describe("mcp-live doctor", () => {
  it.live("has nothing to mend with published servers, and says what it starts", () =>
    Effect.gen(function* () {
      const { config, diagnosed, doctor, env } = yield* setUp({
        everything: { command: process.execPath, args: [serverPath("everything")] },
        memory: { command: process.execPath, args: [serverPath("memory")] }
      })
      const { code, stderr, stdout } = yield* run(["doctor", "--config", config, "--json"], { env })
      const document = JSON.parse(stdout) as Document
      assert.deepStrictEqual(
        document.findings.filter(({ severity }) => severity !== "info"),
        []
      )
      assert.strictEqual(code, 0)
      assert.isTrue(document.ok)
      assert.deepStrictEqual(document.servers, [
        { name: "everything", state: "Ready" },
        { name: "memory", state: "Ready" }
      ])
      assert.strictEqual(stderr, "")
      const loud = yield* doctor()
      assert.include(loud.stderr, "starting each server once: everything, memory")
      assert.notInclude((yield* doctor([], { CI: "true" })).stderr, "starting")
      const quiet = yield* doctor(["--offline"])
      assert.strictEqual(quiet.code, 0)
      assert.notInclude(quiet.stderr, "starting")
      assert.include(quiet.stdout, "2 servers, not started")
      const { document: still } = yield* diagnosed(["--offline"])
      assert.deepStrictEqual(
        still.servers.map(({ state }) => state),
        [null, null]
      )
    }).pipe(Effect.scoped)
  )

  it.live("checks the servers of all agents, or of one", () =>
    Effect.gen(function* () {
      const mcp = (name: string) => ({
        servers: { [name]: { command: process.execPath, args: [serverPath("memory")] } }
      })
      const agents = {
        list: [
          { id: "main", mcp: mcp("one") },
          { id: "other", mcp: mcp("two") }
        ]
      }
      const { diagnosed } = yield* setUp({}, { agents })
      const names = ({ document }: { readonly document: Document }) =>
        document.servers.map(({ name, state }) => [name, state])
      assert.deepStrictEqual(names(yield* diagnosed()), [
        ["one", "Ready"],
        ["two", "Ready"]
      ])
      assert.deepStrictEqual(names(yield* diagnosed(["--agent", "other"])), [["two", "Ready"]])
    }).pipe(Effect.scoped)
  )

  it.live("names the package of a command that is not on PATH", () =>
    Effect.gen(function* () {
      const { diagnosed, home } = yield* setUp({
        one: { command: "uvx", args: ["some==1.0.0"], env: { PATH: "/nowhere" } },
        two: { command: "./own.sh" }
      })
      const { code, document, stdout } = yield* diagnosed([], { PATH: inBin(home) })
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        document.findings.filter(({ severity }) => severity === "error").map(({ id, server }) => [id, server]),
        [
          ["command-missing", "one"],
          ["command-missing", "two"]
        ],
        stdout
      )
      assert.include(document.findings[0]!.mend, "uvx is part of uv")
      const script = yield* setUp({ script: { command: "npx", args: ["some@1.0.0"] } })
      const bin = inBin(script.home)
      program(bin, "npx", "", "/usr/bin/env node")
      const { one } = yield* script.diagnosed(["--offline"], { PATH: bin })
      assert.include(one("command-missing")?.mend, "node is part of Node.js")
    }).pipe(Effect.scoped)
  )

  it.live("asks runtimes for their version", () =>
    Effect.gen(function* () {
      const { diagnosed, home } = yield* setUp({ old: { command: "uvx", args: ["some==1.0.0"] } })
      const bin = inBin(home)
      program(bin, "uvx", "exit 1")
      program(bin, "uv", "echo 'uv 0.1.24 (of long ago)'")
      const { one } = yield* diagnosed(["--offline"], { PATH: bin })
      assert.include(one("runtime-old")?.what, "uv is version 0.1.24")
      const own = yield* setUp({ own: { command: process.execPath, args: ["dist/server.js"], cwd: home } })
      mkdirSync(join(home, "dist"))
      writeFileSync(join(home, "dist", "server.js"), "")
      writeFileSync(join(home, "package.json"), JSON.stringify({ engines: { node: ">=99.1" } }))
      assert.include((yield* own.diagnosed()).one("runtime-old")?.what, "its package needs 99.1")
    }).pipe(Effect.scoped)
  )

  it.live("runs nothing that a configuration chose, with --offline", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      for (const name of ["uvx", "uv", "node"]) program(folder, name, `touch "${folder}/was-run"`)
      const { diagnosed } = yield* setUp({
        byPath: { command: "uvx", args: ["some==1.0.0"], env: { PATH: folder } },
        byName: { command: join(folder, "node"), args: ["x.js"] }
      })
      yield* diagnosed(["--offline"])
      assert.isFalse(existsSync(join(folder, "was-run")))
      yield* diagnosed()
      assert.isTrue(existsSync(join(folder, "was-run")))
    }).pipe(Effect.scoped)
  )

  it.live("reports packages that are downloaded at the start, as does a command that waits for them", () =>
    Effect.gen(function* () {
      const { config, diagnosed, env, home } = yield* setUp({
        fetched: { command: "npx", args: ["-y", "@nobody/nothing"], timeout: 2_500, cwd: "." }
      })
      const bin = inBin(home)
      program(bin, "npx", "exec sleep 30")
      const PATH = `${bin}:/usr/bin:/bin`
      // A cache that servers are not told of.
      const elsewhere = join(home, "elsewhere")
      const held = join(elsewhere, "_npx", "0123456789abcdef", "node_modules", "@nobody", "nothing")
      mkdirSync(held, { recursive: true })
      writeFileSync(join(held, "package.json"), JSON.stringify({ version: "1.0.0" }))
      const { ids, one } = yield* diagnosed(["--offline"], { PATH, npm_config_cache: elsewhere })
      assert.includeMembers(ids, ["package-download", "package-unpinned"])
      assert.include(one("package-unpinned")?.mend, "npm view @nobody/nothing version")
      const waiting = (...more: ReadonlyArray<string>) =>
        runHere(["status", "--wait", "--config", config, ...more], { env: { ...env, PATH } })
      const words = "Waiting for fetched (npx is downloading @nobody/nothing, its first start)"
      assert.include((yield* waiting()).stderr, words)
      assert.notInclude((yield* waiting("--json")).stderr, "Waiting")
      const inCI = yield* runHere(["status", "--wait", "--config", config], { env: { ...env, PATH, CI: "true" } })
      assert.notInclude(inCI.stderr, "Waiting")
    }).pipe(Effect.scoped)
  )

  it.live("finds secrets without a value", () =>
    Effect.gen(function* () {
      const { diagnosed } = yield* setUp({ s: { ...hostile(), env: { KEY: "secret://env/NO_SUCH_VARIABLE" } } })
      const { code, document, one } = yield* diagnosed()
      assert.strictEqual(code, 1)
      assert.include(one("secret-missing")?.what, "env.KEY: secret://env/NO_SUCH_VARIABLE")
      assert.lengthOf(
        document.findings.filter(({ severity }) => severity === "error"),
        1
      )
      assert.include((yield* diagnosed(["--offline"])).ids, "secret-missing")
    }).pipe(Effect.scoped)
  )

  it.live("finds a server that ends at once, and what it said", () =>
    Effect.gen(function* () {
      const script = "console.error('Error: Cannot find module x'); process.exit(3)"
      const { diagnosed } = yield* setUp({ broken: { command: process.execPath, args: ["-e", script] } })
      const { one } = yield* diagnosed()
      assert.include(one("server-down")?.what, "exited with code 3")
      assert.include(one("server-down")?.mend, "Install the packages")
    }).pipe(Effect.scoped)
  )

  it.live("finds a server that floods stderr, and tools of one name", () =>
    Effect.gen(function* () {
      const noisy = `for (let i = 0; i < 90; i++) console.error("line", i); import(${JSON.stringify(serverPath("memory"))})`
      const { diagnosed } = yield* setUp({
        a: { command: process.execPath, args: ["-e", noisy], toolPrefix: "same" },
        b: { command: process.execPath, args: [serverPath("memory")], toolPrefix: "same" }
      })
      const { ids, one, stdout } = yield* diagnosed()
      assert.includeMembers(ids, ["prefix-shared", "names-collide", "server-noisy"], stdout)
      assert.include(one("names-collide")?.what, "a/create_entities and b/create_entities")
    }).pipe(Effect.scoped)
  )

  it.live("finds definitions that changed, and schemas that providers refuse", () =>
    Effect.gen(function* () {
      const stage = join(yield* inFolder, "stage")
      const odd = yield* setUp({ odd: hostile("schemas") })
      assert.include((yield* odd.diagnosed()).one("schema-refused")?.what, "refuse the input schema of")
      const { diagnosed } = yield* setUp({
        sums: { command: process.execPath, args: [inFixtures("rugPull.ts"), stage] }
      })
      assert.notInclude((yield* diagnosed()).ids, "definitions-changed")
      writeFileSync(stage, "2")
      const after = yield* diagnosed()
      assert.deepInclude(after.one("definitions-changed"), { server: "sums", severity: "warning" })
    }).pipe(Effect.scoped)
  )

  it.live("reports every mistake of an invalid configuration, and a missing configuration", () =>
    Effect.gen(function* () {
      const { diagnosed, env } = yield* setUp({ s: { command: 7 }, t: { nonsense: true } })
      const { code, document } = yield* diagnosed()
      assert.strictEqual(code, 1)
      assert.isAbove(document.findings.filter(({ id }) => id === "configuration-fault").length, 1)
      const cwd = yield* inFolder
      const nothing = yield* runHere(["doctor", "--json"], { env, cwd })
      assert.strictEqual(nothing.code, 0, nothing.stdout)
      assert.include(nothing.stdout, "no-configuration")
    }).pipe(Effect.scoped)
  )

  it.live("checks the valid servers of a configuration in which others are invalid", () =>
    Effect.gen(function* () {
      const servers = {
        typo: { comand: "x" },
        good: { command: process.execPath, args: [serverPath("everything")] },
        missing: { command: "no-such-command-here" }
      }
      const agents = { list: [{ id: "own", mcp: { servers: { wrong: { command: 7 } } } }] }
      const { diagnosed, doctor } = yield* setUp(servers, { agents })
      const { code, document, one } = yield* diagnosed()
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        document.servers.map(({ name, state }) => [name, state]),
        [
          ["good", "Ready"],
          ["missing", "Failed"]
        ]
      )
      const faults = document.findings.filter(({ id }) => id === "configuration-fault").map(({ what }) => what)
      assert.lengthOf(faults, 2)
      assert.match(faults.join("\n"), /typo[^]*wrong/)
      assert.deepInclude(one("command-missing"), { server: "missing" })
      assert.include((yield* doctor(["--offline"])).stdout, "2 servers, not started")
      // Something else is wrong: what the servers may do is not known.
      const rules = yield* setUp(servers, { gateway: { tools: { deny: 7 } } })
      assert.deepStrictEqual((yield* rules.diagnosed()).document.servers, [])
    }).pipe(Effect.scoped)
  )

  it.live("tries the port of serve", () =>
    Effect.gen(function* () {
      const port = yield* listening(createServer())
      const { diagnosed } = yield* setUp({})
      const taken = yield* diagnosed(["--port", String(port)])
      assert.include(taken.ids, "port-taken")
      assert.strictEqual(taken.code, 1)
      const free = yield* Effect.scoped(listening(createServer()))
      assert.notInclude((yield* diagnosed(["--port", String(free)])).ids, "port-taken")
    }).pipe(Effect.scoped)
  )

  it.live("includes the weaknesses of OpenClaw's MCP where the configuration is OpenClaw's", () =>
    Effect.gen(function* () {
      const { config, diagnosed } = yield* setUp({ docs: { ...hostile(), agents: ["a"] } })
      const theirs = yield* diagnosed(["--offline"], { OPENCLAW_CONFIG_PATH: config })
      assert.isTrue(theirs.ids.some((id) => id.startsWith("openclaw-")))
      const ours = yield* diagnosed(["--offline"])
      assert.isFalse(ours.ids.some((id) => id.startsWith("openclaw-")))
    }).pipe(Effect.scoped)
  )

  it.live("is refused with flags that mean nothing together", () =>
    Effect.gen(function* () {
      const { doctor } = yield* setUp({})
      assert.strictEqual((yield* doctor(["--dry-run"])).code, 2)
      assert.strictEqual((yield* doctor(["--port", "70000"])).code, 2)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("mcp-live doctor on a terminal", () => {
  it.live("shows its progress on a line that goes", () =>
    Effect.gen(function* () {
      const { config, home } = yield* setUp({ slow: { command: "sleep", args: ["30"], timeout: 2_500 } })
      const terminal = yield* onTerminalAt(home, "doctor", "--config", config)
      yield* terminal.until(/0 of 1 MCP servers ready\. Waiting for slow \(\d+ s\)/)
      yield* terminal.until(/ERROR server-down \[slow\]/)
      yield* terminal.until(/1 error\./)
      assert.include(terminal.shown(), "\r\u001b[K")
    }).pipe(Effect.scoped)
  )
})
