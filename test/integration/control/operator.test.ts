/** What an operator sees and decides over the socket of a gateway: figures, logs, the audit log, approvals, pins; and that no secret crosses it. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ServerLogTrailLayer from "../../../src/layers/connection/ServerLogTrail.ts"
import { connect, type Running } from "../../../src/programs/cli/running/client.ts"
import { callerAtTerminal } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { parseAuditLine } from "../../../src/schemas/call/AuditRecord.ts"
import type { ServerLogLine } from "../../../src/schemas/connection/ServerLogLine.ts"
import { ServerLogTrail } from "../../../src/services/connection/ServerLogTrail.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import { hostile } from "../../fixtures/servers.ts"
import { alive } from "../../support/alive.ts"
import { rawConnection, reachable, type Reachable } from "../../support/control.ts"
import { terminalUser } from "../../../src/system/terminalUser.ts"
import { inFolder } from "../../support/folder.ts"
import { pause, pauses } from "../../support/pause.ts"

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

const gatewayWith = (config: unknown, approve?: Parameters<typeof connect>[2]["approve"], dataDirectory?: string) =>
  Effect.gen(function* () {
    const gateway: Reachable = yield* reachable(config, dataDirectory === undefined ? {} : { dataDirectory })
    const running: Running = yield* connect(gateway.found, undefined, { approve })
    yield* running.runtime.ready
    return { ...gateway, ...running, remote: running.runtime }
  })

const one = { mcp: { servers: { fs: hostile() } } }

describe.skipIf(process.platform === "win32")("the operator of a running gateway", () => {
  it.live("stops a server, which stays stopped and says so to callers, until it is reset", () =>
    Effect.gen(function* () {
      const { remote } = yield* gatewayWith(one)
      const { pid } = (yield* remote.status)["fs"]!
      assert.isTrue(yield* remote.stop("fs"))
      assert.isFalse(alive(pid!))
      assert.isFalse(yield* remote.stop("nobody"))
      const { fs } = yield* remote.status
      assert.deepInclude(fs, { state: "Failed", pid: null, tools: 0 })
      assert.include(fs!.lastError!, "was stopped by the operator")
      const refused = yield* remote.call("mcp_fs_echo", { text: "x" })
      assert.include(textOf(refused), "was stopped by the operator")
      assert.strictEqual((yield* remote.status)["fs"]!.state, "Failed")
      assert.isTrue(yield* remote.reset("fs"))
      yield* remote.ready
      assert.include(textOf(yield* remote.call("mcp_fs_echo", { text: "again" })), "again")
    }).pipe(Effect.scoped)
  )

  it.live("sees calls, errors, tokens, processes and running calls of each server", () =>
    Effect.gen(function* () {
      const { operator, remote, runtime } = yield* gatewayWith(one)
      yield* remote.call("mcp_fs_echo", { text: "x".repeat(400) })
      yield* runtime.call("mcp_fs_fail", {})
      const { calls, status, usage } = (yield* operator.figures)["fs"]!
      assert.deepInclude(calls, { calls: 2, errors: 1, callsPerMinute: 2 })
      assert.isAtLeast(calls.resultTokens, 100)
      assert.isAtLeast(calls.p99Ms!, calls.p50Ms!)
      assert.isUndefined(status.inFlight)
      if (process.platform === "linux") assert.isAbove(usage!.rssBytes, 10 * 1024 * 1024)
      yield* Effect.forkScoped(remote.call("mcp_fs_slow", { ms: 120_000 }))
      const busy = operator.figures.pipe(Effect.map((figures) => figures["fs"]!.status.inFlight))
      yield* busy.pipe(Effect.repeat({ schedule: pauses, until: (count) => count === 1 }))
    }).pipe(Effect.scoped)
  )

  it.live("is the user who runs the gateway, in the record of each call", () =>
    Effect.gen(function* () {
      const { operator, remote } = yield* gatewayWith({ mcp: { ...one.mcp, audit: { enabled: false } } })
      const lines = yield* Stream.toQueue(operator.audit, { capacity: 16 })
      const told = yield* Effect.raceFirst(
        Effect.forever(Effect.andThen(remote.call("mcp_fs_echo", { text: "x" }), Effect.yieldNow)),
        Queue.take(lines)
      )
      const { person } = callerAtTerminal(terminalUser())
      assert.deepInclude(parseAuditLine(told), {
        client: "operator",
        person: person!.name,
        personId: personIdOf(person!)
      })
    }).pipe(Effect.scoped)
  )

  it.live("follows the audit log without files", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* inFolder
      const config = { mcp: { ...one.mcp, audit: { enabled: false } } }
      const told = yield* Effect.gen(function* () {
        const { operator, remote } = yield* gatewayWith(config, undefined, dataDirectory)
        const lines = yield* Stream.toQueue(operator.audit, { capacity: 16 })
        // The stream is there when its first line is.
        return yield* Effect.raceFirst(
          Effect.forever(Effect.andThen(remote.call("mcp_fs_echo", { text: "x" }), Effect.yieldNow)),
          Queue.take(lines)
        )
      }).pipe(Effect.scoped)
      assert.deepInclude(parseAuditLine(told), {
        kind: "call",
        client: "operator",
        server: "fs",
        tool: "echo",
        outcome: "ok"
      })
      // A gateway that has ended has written all that it ever writes.
      assert.notInclude(readdirSync(dataDirectory), "audit")
    }).pipe(Effect.scoped)
  )

  it.live("lists and forgets approvals for good, and decides on pins", () =>
    Effect.gen(function* () {
      const asking = { ...one, gateway: { tools: { ask: ["fs/echo"] } } }
      const { operator, remote } = yield* gatewayWith(asking, () => Effect.succeed("always"))
      assert.isFalse((yield* remote.call("mcp_fs_echo", { text: "x" })).isError)
      assert.deepStrictEqual(
        (yield* operator.approvals.list).map(({ agent, server, tool }) => [agent, server, tool]),
        [["main", "fs", "echo"]]
      )
      assert.strictEqual(yield* operator.approvals.forget("main/nothing"), 0)
      assert.strictEqual(yield* operator.approvals.forget(), 1)
      assert.deepStrictEqual(yield* operator.approvals.list, [])

      const listed = operator.ledger.list.pipe(
        Effect.repeat({ schedule: pauses, until: (kept) => kept.length > 0 }),
        Effect.map((kept) => kept.flatMap((each) => (each._tag === "Pins" ? [each.pins] : [])))
      )
      const [pins] = yield* listed
      const { hash } = pins!.tools.get("echo")!.approved!
      const { configuration, launch, server } = pins!
      const kept = yield* operator.ledger.decide({
        server,
        launch,
        configuration,
        verdict: "reject",
        tools: [{ name: "echo", hash }]
      })
      assert.deepStrictEqual(kept, ["echo"])
      // At once: nobody waits until the file is noticed.
      assert.include(textOf(yield* remote.call("mcp_fs_echo", { text: "x" })), "was rejected")
    }).pipe(Effect.scoped)
  )

  it.live("finds what servers wrote in files, with levels, and how they started", () =>
    Effect.gen(function* () {
      const { dataDirectory } = yield* gatewayWith({
        mcp: { servers: { broken: { ...hostile("exit-1-stderr"), restartOnCrash: false }, fs: hostile() } }
      })
      const trail = Context.get(
        yield* Layer.build(ServerLogTrailLayer.layer({ directory: dataDirectory })),
        ServerLogTrail
      )
      const all: Array<ServerLogLine> = []
      const lines = yield* trail.read()
      const look = Stream.runForEach(lines, (piece) =>
        Effect.sync(() => void all.push(...piece.flatMap(({ record }) => record ?? [])))
      )
      const has = (test: (line: ServerLogLine) => boolean) => Effect.repeat(look, { until: () => all.some(test) })
      yield* has(
        ({ level, server, source, text }) =>
          server === "broken" && source === "stderr" && level === "warning" && text === "hostile: cannot open database"
      )
      yield* has(
        ({ server, source, text }) => server === "fs" && source === "gateway" && text.startsWith("ready: stdio")
      )
      yield* has(({ level, server, source }) => server === "broken" && source === "gateway" && level === "warning")
    }).pipe(Effect.scoped)
  )

  it.live("never gets a secret: not in results, status, logs or files", () =>
    Effect.gen(function* () {
      const secret = "canary-4f2b9c71d8e0"
      process.env["MCP_LIVE_TEST_CANARY"] = secret
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["MCP_LIVE_TEST_CANARY"]))
      const telling = (channel: string) => ({
        ...hostile(`tells-secret:${channel}`),
        env: { HOSTILE_SECRET: "secret://env/MCP_LIVE_TEST_CANARY" }
      })
      const { dataDirectory, found, remote } = yield* gatewayWith({
        mcp: {
          servers: {
            said: telling("text"),
            err: telling("stderr"),
            log: telling("log"),
            gone: { ...telling("exit"), restartOnCrash: false }
          }
        }
      })
      const socket = yield* rawConnection(found)
      let bytes = ""
      socket.setEncoding("utf8").on("data", (text: string) => (bytes += text))
      const send = (id: number, tag: string, payload: unknown) =>
        socket.write(`${JSON.stringify({ _tag: "Request", id: `${id}`, tag, payload, headers: [] })}\n`)
      send(1, "Logs", {})
      send(2, "Audit", null)
      send(3, "Changes", {})
      for (const server of ["said", "err", "log", "gone"]) {
        send(10, "Nothing", {})
        const result = yield* remote.call(`mcp_${server}_tell`, {}, { look: "raw" })
        assert.notInclude(JSON.stringify(result), secret)
      }
      send(4, "Status", {})
      // What a server writes is shown when it is read, which may be after the answer to its call.
      yield* Effect.repeat(Effect.promise(pause), {
        until: () => bytes.includes('"requestId":"4"') && bytes.includes("REDACTED")
      })
      assert.notInclude(bytes, secret)
      const keptIn = (folder: string) => {
        const directory = join(dataDirectory, folder)
        if (!existsSync(directory)) return ""
        const names = readdirSync(directory).filter((each) => each.includes(".json"))
        return names.map((name) => readFileSync(join(directory, name), "utf8")).join("\n")
      }
      // The lines about servers are written a moment after they are shown.
      yield* Effect.repeat(Effect.promise(pause), { until: () => /"gone".*REDACTED.*suffix/.test(keptIn("logs")) })
      assert.notInclude(keptIn("logs"), secret)
      assert.notInclude(keptIn("gateways"), secret)
    }).pipe(Effect.scoped)
  )
})
