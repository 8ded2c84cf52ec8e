/** Commands that use a running gateway: which one, what they say about it, and what a killed one leaves. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { hostile } from "../fixtures/servers.ts"
import { hasTerminals, onTerminal } from "./terminal.ts"
import { runHere } from "./here.ts"
import { childrenOf, configFile, run, start } from "./program.ts"
import { pauses } from "../support/pause.ts"
import { isFull, some } from "../support/full.ts"

const setUp = Effect.gen(function* () {
  const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
  const env = { MCP_LIVE_HOME: join(dirname(config), "data") }
  const command = (...args: ReadonlyArray<string>) => runHere([...args, "--config", config], { env })
  const program = (...args: ReadonlyArray<string>) => run([...args, "--config", config], { env })
  const gateway = Effect.gen(function* () {
    const running = yield* start(["start", "--config", config], { env })
    yield* running.until(/fs .*Ready/)
    return running
  })
  const folder = join(env.MCP_LIVE_HOME, "gateways")
  const files = () => (existsSync(folder) ? readdirSync(folder) : [])
  return { config, env, command, program, gateway, files }
})

/** With `--json`: the process of the server. */
const pidOf = ({ stdout }: { readonly stdout: string }): number =>
  (JSON.parse(stdout) as { readonly servers: { readonly fs: { readonly pid: number } } }).servers.fs.pid

describe.skipIf(process.platform !== "linux")("a command beside a running gateway", () => {
  it.live("uses its servers and says so; --standalone starts its own", () =>
    Effect.gen(function* () {
      const { command, gateway, program } = yield* setUp
      const { pid } = yield* gateway
      const [server] = childrenOf(pid)
      const status = yield* program("status", "--json")
      assert.strictEqual(status.stderr, `mcp-live: using the running gateway ${pid} (start)\n`)
      assert.strictEqual(pidOf(status), server)
      assert.include((yield* command("tools", "fs/echo")).stdout, "text")
      const call = yield* program("call", "fs/echo", "text=here", "--raw")
      assert.deepInclude(call, { code: 0, stdout: "here\n" })
      assert.strictEqual((yield* command("call", "fs/fail")).code, 1)
      assert.strictEqual((yield* command("call", "fs/nothing")).code, 1)
      const own = yield* command("status", "--json", "--standalone")
      assert.notInclude(own.stderr, "running gateway")
      assert.notStrictEqual(pidOf(own), server)
      assert.deepStrictEqual(childrenOf(pid), [server!])
    }).pipe(Effect.scoped)
  )

  it.live("starts its own servers if the gateway has another configuration, unless --gateway names it", () =>
    Effect.gen(function* () {
      const { env, gateway } = yield* setUp
      const { pid } = yield* gateway
      const [server] = childrenOf(pid)
      const other = yield* configFile({ mcp: { servers: { fs: hostile() } } })
      const own = yield* runHere(["status", "--json", "--config", other], { env })
      assert.notStrictEqual(pidOf(own), server)
      const named = yield* runHere(["status", "--json", "--config", other, "--gateway", String(pid)], { env })
      assert.strictEqual(pidOf(named), server)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("asks which one is meant when there are two, and says when the file has changed", () =>
    Effect.gen(function* () {
      const { command, config, gateway } = yield* setUp
      writeFileSync(config, JSON.stringify({ mcp: { servers: { fs: hostile() }, reload: { watch: false } } }))
      const [one, two] = yield* Effect.all([gateway, gateway], { concurrency: 2 })
      const unclear = yield* command("status")
      assert.strictEqual(unclear.code, 2)
      assert.strictEqual(unclear.stdout, "")
      for (const { pid } of [one!, two!]) assert.include(unclear.stderr, `${pid}  start, since `)
      writeFileSync(config, `${readFileSync(config, "utf8")}\n`)
      const named = yield* command("status", "--gateway", String(two!.pid))
      assert.strictEqual(named.code, 0)
      assert.include(named.stderr, `gateway ${two!.pid} (start); its configuration has changed since it was read`)
    }).pipe(Effect.scoped)
  )

  it.live("ignores a gateway that was killed, and removes its files", () =>
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

  it.live("reports a gateway that does not answer or has another version", () =>
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

  it.live.skipIf(process.getuid?.() !== 0)(
    "is told of a folder of gateways that belongs to another user, by doctor, too",
    () =>
      Effect.gen(function* () {
        const { command, env, gateway } = yield* setUp
        yield* gateway
        const folder = join(env.MCP_LIVE_HOME, "gateways")
        chownSync(folder, 65_534, 65_534)
        const top = yield* command("top", "--count", "1")
        assert.strictEqual(top.code, 1)
        assert.include(top.stderr, `running gateways cannot be found: ${folder} belongs to another user`)
        const doctor = yield* command("doctor", "--offline", "--json")
        const { findings } = JSON.parse(doctor.stdout) as { findings: ReadonlyArray<{ id: string; what: string }> }
        assert.include(findings.find(({ id }) => id === "data-owner")?.what, `${folder} belongs to another user`)
      }).pipe(Effect.scoped)
  )

  const greeting = {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  }
  /** What a client sends first to each of the other programs, with the ids 1, 2, …, until its servers run. */
  const CLIENTS = {
    serve: [greeting, { method: "tools/call", params: { name: "mcp_fs_echo", arguments: { text: "x" } } }],
    "mcp-server": [
      greeting,
      { method: "tools/call", params: { name: "order_openclaw", arguments: { message: "/status" } } }
    ],
    acp: [
      { method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } },
      { method: "session/new", params: { cwd: process.cwd(), mcpServers: [] } }
    ]
  }
  for (const [kind, requests] of some(Object.entries(CLIENTS), 3)) {
    it.live(`reaches ${kind} too, once its client is there`, () =>
      Effect.gen(function* () {
        const { command, config, env, files } = yield* setUp
        const serving = yield* start([kind, "--config", config], { env })
        for (const [i, request] of requests.entries()) {
          serving.type(JSON.stringify({ jsonrpc: "2.0", id: i + 1, ...request }))
          yield* serving.until(new RegExp(`"id":${i + 1}`))
        }
        // The socket is opened in the background.
        yield* Effect.void.pipe(
          Effect.repeat({ schedule: pauses, until: () => files().some((name) => name.endsWith(".json")) })
        )
        const status = yield* command("status", "--json")
        assert.include(status.stderr, `using the running gateway ${serving.pid} (${kind})`)
        assert.deepStrictEqual([pidOf(status)], [...childrenOf(serving.pid)])
      }).pipe(Effect.scoped)
    )
  }
})

describe.skipIf(process.platform !== "linux")("an operator beside a running gateway", () => {
  it.live("needs one for reset, stop and top", () =>
    Effect.gen(function* () {
      const { command } = yield* setUp
      for (const args of [["reset", "fs"], ["stop", "fs"], ["top"]]) {
        const none = yield* command(...args)
        assert.deepInclude(none, { code: 1, stdout: "" }, args.join(" "))
        assert.include(none.stderr, "no gateway of this configuration is running")
      }
    }).pipe(Effect.scoped)
  )

  it.live("stops a server, starts it over, and sees what it does and wrote", () =>
    Effect.gen(function* () {
      const { command, env, gateway } = yield* setUp
      const { pid } = yield* gateway
      const [before] = childrenOf(pid)
      assert.include((yield* command("stop", "fs")).stdout, "was stopped by the operator")
      assert.deepStrictEqual(childrenOf(pid), [])
      assert.strictEqual((yield* command("call", "fs/echo", "text=x")).code, 1)
      const wrong = yield* command("reset", "fz")
      assert.deepInclude(wrong, { code: 2, stdout: "" })
      assert.include(wrong.stderr, "there are: fs")
      const again = yield* command("reset", "fs")
      assert.strictEqual(again.code, 0)
      assert.match(again.stdout, /^fs: Ready, \d+ tools \(stdio, /)
      assert.notStrictEqual(childrenOf(pid)[0], before)

      assert.strictEqual((yield* command("call", "fs/echo", "text=x")).code, 0)
      const [heading, row] = (yield* command("top", "--count", "1")).stdout.trim().split("\n").slice(1)
      assert.match(heading!, /^SERVER +STATE/)
      assert.match(row!, /^fs +Ready +0 /)
      const look = yield* command("top", "--count", "2", "--interval", "0.1", "--json")
      const [, second] = look.stdout
        .trim()
        .split("\n")
        .map(
          (line) =>
            JSON.parse(line) as {
              readonly servers: { readonly fs: { readonly calls: object; readonly cpuPercent: number } }
            }
        )
      assert.deepInclude(second!.servers.fs.calls, { calls: 1, errors: 0, callsPerMinute: 1 })
      assert.isAtLeast(second!.servers.fs.cpuPercent, 0)

      // The gateway writes its lines a moment after it answers.
      const life = /INFO +ready: stdio(.|\n)*WARNING +given up: was stopped by the operator(.|\n)*INFO +ready: stdio/
      yield* runHere(["logs", "fs", "--source", "gateway"], { env }).pipe(
        Effect.repeat({ schedule: pauses, until: ({ stdout }) => life.test(stdout) }),
        Effect.timeout("20 seconds")
      )
      assert.strictEqual((yield* runHere(["logs", "nobody"], { env })).stdout, "")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isFull)("says that a gateway keeps no log about servers, as soon as that is switched off", () =>
    Effect.gen(function* () {
      const { command, config, gateway } = yield* setUp
      const { pid } = yield* gateway
      const words = `the running gateway ${pid} (start) writes nothing to these files: its configuration has logs: { files: false }`
      const kept = yield* command("logs").pipe(
        Effect.repeat({ schedule: pauses, until: ({ stdout }) => stdout.includes("ready: stdio") }),
        Effect.timeout("20 seconds")
      )
      assert.strictEqual(kept.stderr, "")
      writeFileSync(config, JSON.stringify({ mcp: { logs: { files: false }, servers: { fs: hostile() } } }))
      yield* command("reload")
      const told = yield* command("logs").pipe(
        Effect.repeat({ schedule: pauses, until: ({ stderr }) => stderr !== "" }),
        Effect.timeout("20 seconds")
      )
      assert.deepInclude(told, { code: 0, stderr: `mcp-live: ${words}\n` })
      assert.include((yield* command("logs", "nobody")).stderr, words)
    }).pipe(Effect.scoped)
  )

  it.live("follows the audit log of the gateway, each record once, and decides there", () =>
    Effect.gen(function* () {
      const { command, config, env, gateway } = yield* setUp
      const { pid } = yield* gateway
      assert.strictEqual((yield* command("call", "fs/echo", "text=first")).code, 0)
      const following = yield* start(["audit", "--follow", "--kind", "call", "--config", config, "--json"], { env })
      yield* following.until(/"tool":"echo"/)
      // It said so first, but on another stream.
      yield* following.until(new RegExp(`using the running gateway ${pid} \\(start\\)`))
      assert.strictEqual((yield* command("call", "fs/add", "a=1", "b=2")).code, 0)
      yield* following.until(/"tool":"add"/)
      assert.strictEqual((yield* command("call", "fs/fail")).code, 1)
      yield* following.until(/"tool":"fail"/)
      following.signal("SIGINT")
      const { stdout } = yield* following.exited
      assert.deepStrictEqual(
        [...stdout.matchAll(/"tool":"(\w+)"/g)].map(([, tool]) => tool),
        ["echo", "add", "fail"]
      )

      const rejected = yield* command("pins", "reject", "fs/echo")
      assert.include(rejected.stderr, `using the running gateway ${pid} (start)`)
      assert.strictEqual((yield* command("call", "fs/echo", "text=x")).code, 1)
      assert.include((yield* command("pins", "list")).stdout, "rejected")
      assert.include((yield* command("pins", "list", "--standalone")).stdout, "rejected")
      const approvals = yield* command("approvals", "list")
      assert.deepInclude(approvals, { code: 0, stdout: "Nothing is approved for good.\n" })
      assert.include(approvals.stderr, "using the running gateway")
    }).pipe(Effect.scoped)
  )

  it.live("is asked by a command whose call needs approval, and --yes approves it", () =>
    Effect.gen(function* () {
      const { env } = yield* setUp
      const config = yield* configFile({
        gateway: { tools: { ask: ["fs/echo"] } },
        mcp: { servers: { fs: hostile() } }
      })
      const gateway = yield* start(["start", "--config", config], { env })
      yield* gateway.until(/fs .*Ready/)
      const call = (...flags: ReadonlyArray<string>) =>
        runHere(["call", "fs/echo", "text=x", "--config", config, ...flags], { env })
      const denied = yield* call()
      assert.strictEqual(denied.code, 1)
      assert.include(denied.stdout, "nobody can be asked here")
      assert.include(denied.stderr, "using the running gateway")
      assert.strictEqual((yield* call("--yes")).code, 0)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("an operator at a terminal", () => {
  const ready = Effect.fnUntraced(function* (config: object) {
    const file = yield* configFile(config)
    const gateway = yield* start(["start", "--config", file])
    yield* gateway.until(/fs .*Ready/)
    return { file, gateway }
  })

  it.live("answers with ask what the agent of a service wants to call", () =>
    Effect.gen(function* () {
      const asking = { gateway: { tools: { ask: ["fs/echo"] } }, mcp: { servers: { fs: hostile() } } }
      const { file, gateway } = yield* ready(asking)
      const person = yield* onTerminal("ask", "--config", file)
      yield* person.until(/are asked here from now on/)
      gateway.type("/call fs/echo text=wanted")
      yield* person.until(/text: "wanted"(.|\n|\r)*Call it\?/)
      person.type("y\r")
      yield* gateway.until(/wanted/)
      yield* person.until(/approved, this once/)
      person.type("\u0003")
    }).pipe(Effect.scoped)
  )

  it.live("sees top on a separate screen, and gets the terminal back after Ctrl-C", () =>
    Effect.gen(function* () {
      const { file } = yield* ready({ mcp: { servers: { fs: hostile() } } })
      const person = yield* onTerminal("top", "--config", file, "--interval", "0.2")
      yield* person.until(/\[\?1049h(.|\n|\r)*SERVER +STATE(.|\n|\r)*fs +Ready(.|\n|\r)*SERVER +STATE/)
      person.type("\u0003")
      yield* person.until(/\[\?1049l/)
    }).pipe(Effect.scoped)
  )
})
