/** Bundles, and the questions at a terminal, as a user gets them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import JSON5 from "json5"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bytesOf, pack, sign } from "../fixtures/bundles/bundles.ts"
import { bundled } from "../fixtures/registry/servers.ts"
import { zipOf } from "../support/zip.ts"
import { machine, noSecrets, serversOf } from "./gettingMachine.ts"
import { hasTerminals, onTerminalAt } from "./terminal.ts"

const SERVER = fileURLToPath(new URL("../fixtures/bundles/server.mjs", import.meta.url))

describe("a bundle", () => {
  it.live("is unpacked, started and called; its key is in a file", () =>
    Effect.gen(function* () {
      const { cwd, home, live, target } = yield* machine
      const path = yield* Effect.promise(() => pack(cwd))
      sign(cwd, path, "Example Corp")
      const { code, stderr, stdout } = yield* live(["add", path, "--name", "mine", "--yes", "--set", "api_key"], {
        api_key: "canary-key"
      })
      assert.strictEqual(code, 0, stderr)
      assert.include(
        stdout.replace(/\s+/g, " "),
        "signature: signed as Example Corp, but nobody but itself certifies that name"
      )
      const digest = createHash("sha256").update(bytesOf(path)).digest("hex")
      const folder = join(home, ".mcp-live", "bundles", digest)
      assert.deepInclude(serversOf(target)["mine"], { command: "node", cwd: folder })
      assert.notInclude(readFileSync(target, "utf8"), "canary")
      const called = yield* live(["call", "mine/started", "--raw"])
      assert.deepStrictEqual(JSON.parse(called.stdout), {
        args: [join(home, "Desktop"), `--home=${home}`],
        cwd: folder,
        key: "canary-key".length,
        limit: "3"
      })
    }).pipe(Effect.scoped)
  )

  it.live("of the registry has the digest that the registry says, or is not used", () =>
    Effect.gen(function* () {
      const { cwd, home, live, shelf, target, url } = yield* machine
      const file = bytesOf(yield* Effect.promise(() => pack(cwd)))
      const digest = createHash("sha256").update(file).digest("hex")
      const args = ["add", "io.github.example/bundled", "--yes", "--set", "api_key=x"]
      shelf.now = { servers: [bundled(`${url}/b.mcpb`, "ab".repeat(32))], files: { "/b.mcpb": file } }
      const lied = yield* live(args)
      assert.strictEqual(lied.code, 1)
      assert.include(lied.stderr, "sends another file than the registry describes")
      assert.isFalse(existsSync(target))
      assert.isFalse(existsSync(join(home, ".mcp-live", "bundles")))
      shelf.now = { servers: [bundled(`${url}/b.mcpb`, digest)], files: { "/b.mcpb": file } }
      const added = yield* live(args)
      assert.strictEqual(added.code, 0, added.stderr)
      assert.include(added.stdout, digest)
      assert.deepStrictEqual(Object.keys(serversOf(target)), ["bundled"])
    }).pipe(Effect.scoped)
  )

  it.live("that is not added leaves nothing behind", () =>
    Effect.gen(function* () {
      const { cwd, home, live, target } = yield* machine
      const path = yield* Effect.promise(() => pack(cwd))
      const before = readFileSync(join(cwd, "source", "manifest.json"), "utf8")
      writeFileSync(
        join(cwd, "source", "manifest.json"),
        before.replace('"command": "node"', '"command": "no-such-command-here"')
      )
      const broken = yield* Effect.promise(() =>
        pack(cwd, JSON.parse(readFileSync(join(cwd, "source", "manifest.json"), "utf8")) as object)
      )
      const failed = yield* live(["add", broken, "--yes", "--set", "api_key=canary"])
      assert.strictEqual(failed.code, 1)
      assert.isFalse(existsSync(target))
      assert.isTrue(noSecrets(home))
      assert.deepStrictEqual(readdirSync(join(home, ".mcp-live", "bundles")), [])
      const elsewhere = { ...JSON.parse(before), compatibility: { platforms: ["\u001b[2Jnowhere"] } } as object
      writeFileSync(path, zipOf([{ name: "manifest.json", content: JSON.stringify(elsewhere) }]))
      const odd = yield* live(["add", path, "--yes"])
      assert.include(odd.stderr, "nowhere, and this is")
      assert.notInclude(odd.stderr, "\u001b")
      const wrong = { ...elsewhere, name: { "\u001b[2J": 1 }, version: "\u001b[2J".repeat(5_000) }
      writeFileSync(path, zipOf([{ name: "manifest.json", content: JSON.stringify(wrong) }]))
      const form = yield* live(["add", path, "--yes"])
      assert.include(form.stderr, "has another form")
      assert.notInclude(form.stderr, "\u001b")
      assert.isBelow(form.stderr.length, 1_000)
      writeFileSync(path, bytesOf(path).subarray(0, 30))
      const damaged = yield* live(["add", path, "--yes"])
      assert.strictEqual(damaged.code, 2)
      assert.include(damaged.stderr, "cannot be used: it is damaged")
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("at a terminal", () => {
  it.live("a secret is asked for and not shown, and the person decides", () =>
    Effect.gen(function* () {
      const { cwd, home, target } = yield* machine
      const path = yield* Effect.promise(() => pack(cwd))
      const terminal = yield* onTerminalAt(home, "add", path, "--config", target)
      yield* terminal.until(/'Bundled' needs a value:[^]*Key \(secret\)/)
      yield* terminal.until(/Your answer: /)
      terminal.type("canary-typed\r")
      yield* terminal.until(/Start it once, and add it\? \[y\]es \/ \[n\]o: /)
      assert.notInclude(terminal.shown(), "canary")
      terminal.type("y\r")
      yield* terminal.until(/tool, pinned/)
      assert.notInclude(terminal.shown(), "canary")
      const { env } = serversOf(target)["Bundled"] as { readonly env: { readonly API_KEY: string } }
      assert.match(env.API_KEY, /^secret:\/\/file\/.*\/secrets\/Bundled\/api_key$/)
    }).pipe(Effect.scoped)
  )

  it.live("init without a server says how to add one", () =>
    Effect.gen(function* () {
      const { home, target } = yield* machine
      const terminal = yield* onTerminalAt(home, "init", "--config", target)
      yield* terminal.until(/Server: /)
      terminal.type("\r")
      yield* terminal.until(/Model: /)
      terminal.type("\r")
      yield* terminal.until(/Next: 'mcp-live add' adds a server/)
      assert.deepStrictEqual(serversOf(target), {})
    }).pipe(Effect.scoped)
  )

  it.live("init leads through three steps", () =>
    Effect.gen(function* () {
      const { home, target } = yield* machine
      const terminal = yield* onTerminalAt(home, "init", "--config", target)
      yield* terminal.until(/Server: /)
      terminal.type("nonsense\r")
      yield* terminal.until(/'nonsense' is not a name[^]*Server: /)
      terminal.type(`${process.execPath} ${SERVER}\r`)
      yield* terminal.until(/1 tool, pinned[^]*Server: /)
      terminal.type("\r")
      yield* terminal.until(/Model: /)
      terminal.type("nonsense\r")
      yield* terminal.until(/a model is written as PROVIDER\/MODEL[^]*Model: /)
      terminal.type("ollama/qwen3\r")
      yield* terminal.until(/Next: 'mcp-live tools'/)
      const { agents } = JSON5.parse<{ agents: { defaults: { model: string } } }>(readFileSync(target, "utf8"))
      assert.strictEqual(agents.defaults.model, "ollama/qwen3")
      assert.strictEqual(Object.keys(serversOf(target)).length, 1)
    }).pipe(Effect.scoped)
  )
})
