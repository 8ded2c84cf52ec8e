/** Commands that use a running gateway: which one, what they say about it, and what a killed one leaves. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { hostile } from "../fixtures/servers.ts"
import { childrenOf, configFile, run, start } from "./program.ts"

const setUp = Effect.gen(function* () {
  const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
  const env = { MCP_LIVE_HOME: join(dirname(config), "data") }
  const command = (...args: ReadonlyArray<string>) => run([...args, "--config", config], { env })
  const gateway = Effect.gen(function* () {
    const running = yield* start(["start", "--config", config], { env })
    yield* running.until(/fs .*Ready/)
    return running
  })
  const files = () => readdirSync(join(env.MCP_LIVE_HOME, "gateways"))
  return { config, env, command, gateway, files }
})

/** With `--json`: the process of the server. */
const pidOf = ({ stdout }: { readonly stdout: string }): number =>
  (JSON.parse(stdout) as { readonly servers: { readonly fs: { readonly pid: number } } }).servers.fs.pid

describe.skipIf(process.platform !== "linux")("a command beside a running gateway", () => {
  it.live("uses its servers and says so; --standalone starts its own", () =>
    Effect.gen(function* () {
      const { command, gateway } = yield* setUp
      const { pid } = yield* gateway
      const [server] = childrenOf(pid)
      const status = yield* command("status", "--json")
      assert.strictEqual(status.stderr, `mcp-live: using the running gateway ${pid} (start)\n`)
      assert.strictEqual(pidOf(status), server)
      assert.include((yield* command("tools", "fs/echo")).stdout, "text")
      const call = yield* command("call", "fs/echo", "text=here", "--raw")
      assert.deepInclude(call, { code: 0, stdout: "here\n" })
      assert.strictEqual((yield* command("call", "fs/fail")).code, 1)
      assert.strictEqual((yield* command("call", "fs/nothing")).code, 1)
      const own = yield* command("status", "--json", "--standalone")
      assert.notInclude(own.stderr, "running gateway")
      assert.notStrictEqual(pidOf(own), server)
      assert.deepStrictEqual(childrenOf(pid), [server!])
    }).pipe(Effect.scoped)
  )

  it.live("that is not of its configuration starts its own servers, unless it names it", () =>
    Effect.gen(function* () {
      const { env, gateway } = yield* setUp
      const { pid } = yield* gateway
      const [server] = childrenOf(pid)
      const other = yield* configFile({ mcp: { servers: { fs: hostile() } } })
      const own = yield* run(["status", "--json", "--config", other], { env })
      assert.notStrictEqual(pidOf(own), server)
      const named = yield* run(["status", "--json", "--config", other, "--gateway", String(pid)], { env })
      assert.strictEqual(pidOf(named), server)
    }).pipe(Effect.scoped)
  )

  it.live("asks which one is meant when there are two, and says when the file has changed", () =>
    Effect.gen(function* () {
      const { command, config, gateway } = yield* setUp
      const [one, two] = yield* Effect.all([gateway, gateway], { concurrency: 2 })
      const unclear = yield* command("status")
      assert.strictEqual(unclear.code, 2)
      assert.strictEqual(unclear.stdout, "")
      for (const { pid } of [one!, two!]) assert.include(unclear.stderr, `${pid}  start, since `)
      writeFileSync(config, `${readFileSync(config, "utf8")}\n`)
      const named = yield* command("status", "--gateway", String(two!.pid))
      assert.strictEqual(named.code, 0)
      assert.include(named.stderr, `gateway ${two!.pid} (start); its configuration has changed since it was started`)
    }).pipe(Effect.scoped)
  )

  it.live("is not misled by one that was killed, and removes what it left", () =>
    Effect.gen(function* () {
      const { command, files, gateway } = yield* setUp
      const killed = yield* gateway
      assert.strictEqual(files().length, 2)
      killed.signal("SIGKILL")
      yield* killed.exited
      assert.strictEqual(files().length, 2)
      const status = yield* command("status")
      assert.strictEqual(status.code, 0)
      assert.notInclude(status.stderr, "running gateway")
      assert.include(status.stdout, "Ready")
      assert.deepStrictEqual(files(), [])
    }).pipe(Effect.scoped)
  )

  it.live("is told of one that does not answer, or is of another version", () =>
    Effect.gen(function* () {
      const { command, env, files, gateway } = yield* setUp
      const running = yield* gateway
      const file = join(
        env.MCP_LIVE_HOME,
        "gateways",
        files().find((name) => name.endsWith(".json"))!
      )
      const written = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>
      const change = (more: object) => writeFileSync(file, JSON.stringify({ ...written, ...more }), { mode: 0o600 })
      change({ socket: join(dirname(file), "0-000000000000.sock") })
      const silent = yield* command("status")
      assert.strictEqual(silent.code, 1)
      assert.include(silent.stderr, `the running gateway ${running.pid} cannot be reached (`)
      change({ contract: 99, version: "9.9.9" })
      const newer = yield* command("status")
      assert.strictEqual(newer.code, 2)
      assert.match(newer.stderr, /is mcp-live 9\.9\.9, which this version, \S+, cannot talk to: restart the gateway/)
    }).pipe(Effect.scoped)
  )

  it.live("reaches serve too, over stdio, once its client is there", () =>
    Effect.gen(function* () {
      const { command, config, env } = yield* setUp
      const serving = yield* start(["serve", "--config", config], { env })
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      serving.type(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }))
      serving.type(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }))
      serving.type(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 2,
          method: "tools/call",
          params: { name: "mcp_fs_echo", arguments: { text: "x" } }
        })
      )
      yield* serving.until(/"id":2/)
      const status = yield* command("status", "--json")
      assert.include(status.stderr, `using the running gateway ${serving.pid} (serve)`)
      assert.deepStrictEqual([pidOf(status)], [...childrenOf(serving.pid)])
    }).pipe(Effect.scoped)
  )
})
