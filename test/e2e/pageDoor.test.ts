/** The page of a gateway, as a person opens it: `start --ui`, `serve --ui` and `mcp-live ui`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { hostile } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { ask } from "../support/ask.ts"
import { clientOf, enter } from "../support/page.ts"
import { runHere } from "./here.ts"
import { configFile, run, start } from "./program.ts"
import { isFull } from "../support/full.ts"

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\?token=[\w-]{32}/

const setUp = Effect.fnUntraced(function* (more: object = {}) {
  const config = yield* configFile({ mcp: { servers: { fs: hostile() }, ...more } })
  const env = { MCP_LIVE_HOME: join(dirname(config), "data"), DISPLAY: "", WAYLAND_DISPLAY: "" }
  const command = (args: ReadonlyArray<string>) => runHere([...args, "--config", config], { env })
  const program = (args: ReadonlyArray<string>, others: Record<string, string> = {}) =>
    run([...args, "--config", config], { env: { ...env, ...others } })
  const gateway = (...args: ReadonlyArray<string>) => start([...args, "--config", config], { env })
  return { env, command, program, gateway }
})

const entered = (address: string) => Effect.promise(() => enter(address))

describe.skipIf(process.platform === "win32")("start --ui", () => {
  it.live("says on stderr where the page is, which shows what runs and steers it", () =>
    Effect.gen(function* () {
      const { gateway } = yield* setUp()
      const running = yield* gateway("start", "--ui")
      const [address] = yield* running.until(ADDRESS)
      assert.include(running.stderr(), address)
      const mine = yield* entered(address)
      const index = yield* Effect.promise(() => ask(mine.url, { cookie: mine.cookie }))
      assert.strictEqual(index.status, 200)
      assert.match(index.text, /<!doctype html>/i)
      const client = yield* clientOf(mine)
      assert.deepInclude(yield* client.Hello({}), { pid: running.pid, kind: "start", powers: "all" })
      yield* client.Ready({})
      assert.strictEqual((yield* client.Status({}))["fs"]?.state, "Ready")
      assert.isTrue(yield* client.Stop({ server: "fs" }))
      running.signal("SIGTERM")
      const { code, stderr } = yield* running.exited
      assert.strictEqual(code, 0)
      // Nothing else says an address, and nothing ever says the cookie.
      assert.lengthOf([...stderr.matchAll(/token=/g)], 1)
      assert.notInclude(stderr, mine.cookie.split("=")[1]!)
    }).pipe(Effect.scoped)
  )

  it.live("=read-only serves a page that changes nothing, also to browsers that a command lets in", () =>
    Effect.gen(function* () {
      const { command, gateway } = yield* setUp()
      const running = yield* gateway("start", "--ui=read-only")
      const [address] = yield* running.until(ADDRESS)
      const { stdout } = yield* command(["ui", "--print"])
      for (const one of [address, stdout.trim()]) {
        const client = yield* clientOf(yield* entered(one))
        assert.strictEqual((yield* client.Hello({})).powers, "read-only")
        assert.strictEqual((yield* Effect.flip(client.Stop({ server: "fs" })))._tag, "OnlyReading")
      }
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("is read-only if the configuration says so", () =>
    Effect.gen(function* () {
      const { gateway } = yield* setUp({ ui: { readOnly: true } })
      const [address] = yield* (yield* gateway("start", "--ui")).until(ADDRESS)
      assert.strictEqual((yield* (yield* clientOf(yield* entered(address))).Hello({})).powers, "read-only")
    }).pipe(Effect.scoped)
  )

  it.live("says when its port is taken, and works without the page", () =>
    Effect.gen(function* () {
      const taken = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = taken.address() as AddressInfo
      const { command, gateway } = yield* setUp({ ui: { port } })
      const running = yield* gateway("start", "--ui")
      yield* running.until(new RegExp(`the page cannot be opened: port ${port} of this machine cannot be listened on`))
      assert.include((yield* command(["status"])).stdout, "Ready")
      assert.strictEqual((yield* command(["ui", "--print"])).code, 1)
    }).pipe(Effect.scoped)
  )

  it.live("refuses another value, and start without it opens no page", () =>
    Effect.gen(function* () {
      const { command, gateway } = yield* setUp()
      assert.strictEqual((yield* command(["start", "--ui=everybody"])).code, 2)
      const running = yield* gateway("start")
      yield* running.until(/fs .*Ready/)
      // An address would be told after the table, and before the first line is read.
      running.type("/status")
      running.end()
      const { stderr, stdout } = yield* running.exited
      assert.notMatch(stdout + stderr, /127\.0\.0\.1/)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("serve --ui", () => {
  it.live.runIf(isFull)("over HTTP says where the page is, beside the address for clients", () =>
    Effect.gen(function* () {
      const { gateway } = yield* setUp()
      const running = yield* gateway("serve", "--http", "0", "--ui")
      const [address] = yield* running.until(ADDRESS)
      assert.match(running.stderr(), /serving MCP at http:\/\/127\.0\.0\.1:\d+\/mcp/)
      const client = yield* clientOf(yield* entered(address))
      assert.deepInclude(yield* client.Hello({}), { kind: "serve", powers: "all" })
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("over stdio says so when its client has connected, and nothing of it on stdout", () =>
    Effect.gen(function* () {
      const { gateway } = yield* setUp()
      const running = yield* gateway("serve", "--ui=read-only")
      running.type(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
        })
      )
      const [address] = yield* running.until(ADDRESS)
      assert.notInclude(running.stdout(), "token")
      assert.strictEqual((yield* (yield* clientOf(yield* entered(address))).Hello({})).powers, "read-only")
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(process.platform === "win32")("mcp-live ui", () => {
  it.live("opens the page of a gateway that was started without --ui, each time with a new address", () =>
    Effect.gen(function* () {
      const { command, gateway, program } = yield* setUp()
      yield* (yield* gateway("start")).until(/fs .*Ready/)
      const first = yield* program(["ui", "--print"])
      assert.match(first.stdout, new RegExp(`^${ADDRESS.source}\n$`))
      const second = yield* command(["ui", "--json"])
      const { url } = JSON.parse(second.stdout) as { readonly url: string }
      assert.notStrictEqual(url, first.stdout.trim())
      assert.strictEqual(url.split("?")[0], first.stdout.split("?")[0])
      for (const one of [url, first.stdout.trim()]) {
        assert.strictEqual((yield* (yield* clientOf(yield* entered(one))).Hello({})).powers, "all")
      }
      const looking = yield* command(["ui", "--print", "--read-only"])
      const client = yield* clientOf(yield* entered(looking.stdout.trim()))
      assert.strictEqual((yield* client.Hello({})).powers, "read-only")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.platform !== "linux")(
    "starts the browser of the desktop, and prints the address where there is none",
    () =>
      Effect.gen(function* () {
        const { command, gateway, program } = yield* setUp()
        yield* (yield* gateway("start")).until(/fs .*Ready/)
        const folder = yield* inFolder
        const told = join(folder, "told")
        writeFileSync(
          join(folder, "xdg-open"),
          `#!/bin/sh\nprintf %s "$1" > '${told}.part'; mv '${told}.part' '${told}'\n`
        )
        chmodSync(join(folder, "xdg-open"), 0o755)
        const desktop = { DISPLAY: ":9", PATH: `${folder}:${process.env["PATH"]}` }
        const opened = yield* program(["ui"], desktop)
        assert.deepInclude(opened, { code: 0, stdout: "" })
        yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => existsSync(told) }))
        yield* entered(readFileSync(told, "utf8"))
        const without = yield* command(["ui"])
        assert.match(without.stdout, ADDRESS)
        assert.include(without.stderr, "no browser can be started here")
      }).pipe(Effect.scoped)
  )

  it.live("needs a gateway that runs", () =>
    Effect.gen(function* () {
      const { command } = yield* setUp()
      const { code, stderr } = yield* command(["ui", "--print"])
      assert.strictEqual(code, 1)
      assert.include(stderr, "no gateway of this configuration is running")
    }).pipe(Effect.scoped)
  )

  it.live("lets a browser in that stays in when the gateway is started again", () =>
    Effect.gen(function* () {
      const { gateway } = yield* setUp()
      const first = yield* gateway("start", "--ui")
      const [address] = yield* first.until(ADDRESS)
      const mine = yield* entered(address)
      first.signal("SIGKILL")
      yield* first.exited
      const second = yield* gateway("start", "--ui")
      yield* second.until(ADDRESS)
      const client = yield* clientOf(mine)
      assert.strictEqual((yield* client.Hello({})).pid, second.pid)
    }).pipe(Effect.scoped)
  )
})
