import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as ServerPoolLayer from "../../../src/layers/connection/ServerPool.ts"
import type { ServerUnavailable } from "../../../src/schemas/call/CallError.ts"
import { SpawnFailed } from "../../../src/schemas/connection/ConnectError.ts"
import { AddressBlocked, AuthRequired, HttpFailed } from "../../../src/schemas/connection/HttpError.ts"
import { ConnectionLost } from "../../../src/schemas/connection/RequestError.ts"
import { ALIVE_EVERY_MS } from "../../../src/schemas/defaults/Connections.ts"
import { ServerConnector } from "../../../src/services/connection/ServerConnector.ts"
import { ServerPool, type SupervisedServer } from "../../../src/services/connection/ServerPool.ts"
import { layerServers, TestServers } from "../../../src/testing/TestServers.ts"
import { lease, one, pool } from "../../support/pool.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const CALL = { idleMs: 60_000, totalMs: 600_000 }

const echo = (server: SupervisedServer, text = "hi") =>
  server.use((connection) => connection.request("tools/call", { name: "echo", arguments: { text } }, CALL))

const stateOf = (server: SupervisedServer) => server.snapshot().state

/** Delays between the connection attempts so far, in milliseconds. */
const delays = Effect.map(TestServers, ({ attemptTimes }) =>
  attemptTimes("fs")
    .slice(1)
    .map((time, i) => time - attemptTimes("fs")[i]!)
)

/** What nobody holds is gone afterwards. */
const collected = Effect.promise(async () => {
  setFlagsFromString("--expose-gc")
  // A WeakRef holds its target for the rest of the turn.
  await new Promise((resolve) => setImmediate(resolve))
  runInNewContext("gc")()
})

describe("ServerPool: the log", () => {
  it.effect("has one line per failure, with its consequence", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(
        ({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`)
      )
      const connector = ServerConnector.of({
        open: () => Effect.fail(new SpawnFailed({ server: "fs", command: "nope", detail: "it exited", passing: true })),
        mended: () => Effect.never
      })
      const layer = ServerPoolLayer.layer.pipe(
        Layer.provide(Layer.succeed(ServerConnector, connector)),
        Layer.provideMerge(Logger.layer([logger]))
      )
      yield* Effect.gen(function* () {
        const server = yield* lease({ maxRestarts: 1 })
        yield* server.settled
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(stateOf(server)._tag, "Failed")
      }).pipe(Effect.provide(layer))
      const told = lines.filter((line) => line.includes("it exited"))
      assert.lengthOf(told, 2)
      assert.match(told[0]!, /^Warn \[fs\] cannot start.*; restart 1 in \d+ ms$/)
      assert.match(told[1]!, /^Warn \[fs\] given up: cannot start/)
    })
  )
})

describe("ServerPool: a server with a fault in its configuration", () => {
  const fault = {
    file: "openclaw.json",
    line: 7,
    path: "mcp.servers.fs.env.T",
    message: "environment variable T is not set"
  }
  const why = "MCP server 'fs': openclaw.json:7: mcp.servers.fs.env.T: environment variable T is not set"
  const listening = (lines: Array<string>) =>
    Logger.make<unknown, void>(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))

  for (const lazy of [false, true]) {
    it.effect(
      `${lazy ? "also a lazy one, " : ""}has failed from the start with the reason, and is never started`,
      () => {
        const lines: Array<string> = []
        return Effect.gen(function* () {
          const server = yield* lease({ fault, lazy })
          yield* server.settled
          yield* server.wake
          yield* server.reset
          yield* TestClock.adjust("1 hour")
          assert.strictEqual(stateOf(server)._tag, "Failed")
          assert.strictEqual(server.snapshot().lastError, why)
          const refused = yield* Effect.flip(echo(server))
          assert.include(refused.message, "environment variable T is not set")
          assert.deepStrictEqual((yield* TestServers).attemptTimes("fs"), [])
          assert.deepStrictEqual(lines, [`Warn [fs] cannot be started: ${why.slice("MCP server 'fs': ".length)}`])
        }).pipe(Effect.provide(one({}, listening(lines))))
      }
    )
  }

  it.effect("is reported only as disabled when it is disabled", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const server = yield* lease({ enabled: false, fault })
      yield* server.settled
      assert.strictEqual(stateOf(server)._tag, "Disabled")
      assert.deepStrictEqual(lines, ["Info [fs] disabled in the configuration"])
    }).pipe(Effect.provide(one({}, listening(lines))))
  })
})

describe("ServerPool: a failed server", () => {
  it.effect("is started again when its cause is resolved, and not earlier", () =>
    Effect.gen(function* () {
      const mended = yield* Deferred.make<void>()
      const causes: Array<string> = []
      let attempts = 0
      const connector = ServerConnector.of({
        open: () => {
          attempts++
          return Effect.fail(new AuthRequired({ server: "fs", status: 401, remedy: "login" }))
        },
        mended: (_, cause) => {
          causes.push(cause._tag)
          return causes.length === 1 ? Deferred.await(mended) : Effect.never
        }
      })
      const layer = ServerPoolLayer.layer.pipe(Layer.provide(Layer.succeed(ServerConnector, connector)))
      yield* Effect.gen(function* () {
        const server = yield* lease()
        yield* server.settled
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(stateOf(server)._tag, "Failed")
        assert.strictEqual(attempts, 1)
        assert.deepInclude(yield* Effect.flip(echo(server)), { _tag: "ServerUnavailable", needsLogin: true })
        yield* Deferred.succeed(mended, undefined)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(attempts, 2)
        assert.deepStrictEqual(causes, ["AuthRequired", "AuthRequired"])
        assert.strictEqual(stateOf(server)._tag, "Failed")
      }).pipe(Effect.scoped, Effect.provide(layer))
    })
  )
})

describe("ServerPool: connecting", () => {
  it.effect("starts a leased server at once", () =>
    Effect.gen(function* () {
      const server = yield* lease()
      assert.deepStrictEqual(yield* echo(server), { content: [{ type: "text", text: "hi" }] })
      assert.strictEqual(stateOf(server)._tag, "Ready")
      assert.deepStrictEqual(
        server.snapshot().catalogue?.tools.map((tool) => tool.name),
        ["echo"]
      )
    }).pipe(Effect.provide(one()))
  )

  it.effect("makes callers wait for a server that is connecting", () =>
    Effect.gen(function* () {
      const server = yield* lease()
      const waiting = yield* Effect.forkChild(echo(server))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(stateOf(server)._tag, "Connecting")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(one({ faults: { connectTime: "3 seconds" } })))
  )

  it.effect("shares a server for equal launches, except with `share: false`", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const [a, b] = [yield* lease(), yield* lease({ toolTimeout: 5, toolPrefix: "other" })]
      assert.strictEqual(a, b)
      const other = yield* lease({
        launch: { kind: "stdio", command: "in-memory", args: ["x"], env: {}, cwd: undefined }
      })
      const own = yield* lease({ share: false })
      yield* Effect.forEach([a, other, own], (server) => echo(server))
      assert.strictEqual(new Set([a, other, own]).size, 3)
      assert.strictEqual(counts("fs").opened, 3)
    }).pipe(Effect.provide(one()))
  )

  it.effect("keeps nothing of a lease that has ended, though the server runs on", () =>
    Effect.gen(function* () {
      const service = yield* ServerPool
      yield* lease()
      const ended: Array<WeakRef<object>> = []
      // A function of its own, so that nothing of it is on the stack.
      const leased = Effect.suspend(() => {
        const config = serverConfig("fs")
        ended.push(new WeakRef(config))
        return service.lease(config)
      })
      yield* Effect.scoped(leased)
      yield* Effect.scoped(leased)
      yield* collected
      assert.deepStrictEqual(
        ended.map((one) => one.deref()),
        [undefined, undefined]
      )
    }).pipe(Effect.provide(one()))
  )

  it.effect("stops a server with its last lease", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      yield* Effect.flatMap(Scope.provide(lease(), first), echo)
      const server = yield* Scope.provide(lease(), second)
      yield* Scope.close(first, Exit.void)
      yield* echo(server)
      assert.strictEqual(counts("fs").closed, 0)
      yield* Scope.close(second, Exit.void)
      assert.strictEqual(counts("fs").closed, 1)
      assert.strictEqual(stateOf(server)._tag, "Closed")
    }).pipe(Effect.provide(one()))
  )

  it.effect("does not start a disabled server", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ enabled: false })
      const error = yield* Effect.flip(echo(server))
      assert.strictEqual(error._tag, "ServerUnavailable")
      assert.include(error.message, "disabled")
      assert.strictEqual(counts("fs").attempts, 0)
    }).pipe(Effect.provide(one()))
  )
})

describe("ServerPool: leases during a shutdown", () => {
  it.effect("wait until the previous connection is closed", () =>
    Effect.gen(function* () {
      const { counts, setFaults } = yield* TestServers
      const first = yield* Scope.make()
      yield* Effect.flatMap(Scope.provide(lease(), first), echo)
      const closing = yield* Effect.forkChild(Scope.close(first, Exit.void))
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(Effect.flatMap(lease(), echo))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(counts("fs").opened, 1)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(closing)
      yield* Fiber.join(second)
      assert.deepInclude(counts("fs"), { opened: 2, closed: 1 })
      yield* setFaults("fs", {})
    }).pipe(Effect.provide(one({ faults: { closeTime: "5 seconds" } })))
  )
})

describe("ServerPool: restarting", () => {
  it.effect("waits 1, 2, 4, 8 and 16 seconds, each within 20 percent and at least one second", () =>
    Effect.gen(function* () {
      yield* lease()
      yield* TestClock.adjust("2 minutes")
      const seen = yield* delays
      assert.lengthOf(seen, 5)
      for (const [i, delay] of seen.entries()) {
        assert.isAtLeast(delay, Math.max(1000, 800 * 2 ** i))
        assert.isAtMost(delay, 1200 * 2 ** i)
      }
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })), Random.withSeed("backoff"))
  )

  it.effect("waits at most 30 seconds", () =>
    Effect.gen(function* () {
      yield* lease({ maxRestarts: 9 })
      yield* TestClock.adjust("10 minutes")
      const seen = yield* delays
      assert.lengthOf(seen, 9)
      assert.isAtLeast(seen[8]!, 24_000)
      for (const delay of seen) assert.isAtMost(delay, 30_000)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })), Random.withSeed("cap"))
  )

  it.effect("stops after `maxRestarts` within five minutes, with the reason", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ maxRestarts: 3 })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").attempts, 4)
      assert.strictEqual(stateOf(server)._tag, "Failed")
      const error = (yield* Effect.flip(echo(server))) as ServerUnavailable
      assert.strictEqual(error.state, "failed")
      assert.include(error.message, "exited with code 1")
      assert.isNull(error.retryInMs)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })))
  )

  it.effect("counts only the restarts of the last five minutes", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      // Dies every 50 s: never healthy for a minute, and never more than 5 restarts in any five minutes.
      const server = yield* lease({ maxRestarts: 9 })
      yield* TestClock.adjust("1 hour")
      assert.notStrictEqual(stateOf(server)._tag, "Failed")
      assert.isAbove(counts("fs").opened, 30)
    }).pipe(Effect.provide(one({ faults: { crashAfter: "50 seconds" } })))
  )

  it.effect("starts over with short waits after a healthy minute with an answer to ping", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ maxRestarts: 2 })
      yield* TestClock.adjust("1 hour")
      assert.notStrictEqual(stateOf(server)._tag, "Failed")
      assert.isAbove(counts("fs").opened, 50)
      // Every single one of them waited about one second.
      for (const delay of yield* delays) assert.isBelow(delay - 61_000, 1_201)
    }).pipe(Effect.provide(one({ faults: { crashAfter: "61 seconds" } })))
  )

  it.effect("does not start over after a minute without an answer to ping", () =>
    Effect.gen(function* () {
      const server = yield* lease({ maxRestarts: 2 })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(stateOf(server)._tag, "Failed")
    }).pipe(Effect.provide(one({ faults: { crashAfter: "61 seconds", deaf: true } })))
  )

  it.effect("does not repeat a call that was in flight, which fails as possibly executed", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease()
      yield* echo(server)
      const error = yield* Effect.flip(echo(server))
      assert.instanceOf(error, ConnectionLost)
      assert.isTrue((error as ConnectionLost).maybeExecuted)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(stateOf(server)._tag, "Ready")
      assert.strictEqual(counts("fs").calls, 2)
      assert.strictEqual(server.snapshot().restarts, 1)
    }).pipe(Effect.provide(one({ faults: { crashOnCall: 2 } })))
  )

  it.effect("tells callers the time until the next attempt", () =>
    Effect.gen(function* () {
      const server = yield* lease()
      yield* TestClock.adjust("500 millis")
      const error = (yield* Effect.flip(echo(server))) as ServerUnavailable
      assert.strictEqual(error.state, "restarting")
      assert.isAtMost(error.retryInMs!, 700)
      assert.isAbove(error.retryInMs!, 0)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })))
  )

  it.effect("is not tried for an error that a restart cannot resolve", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease()
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").attempts, 1)
      assert.strictEqual(stateOf(server)._tag, "Failed")
    }).pipe(
      Effect.provide(
        one({
          faults: {
            refuseStarts: 99,
            refuseWith: (server) => new SpawnFailed({ server, command: "x", detail: "command not found" })
          }
        })
      )
    )
  )

  it.effect("waits as long as Retry-After says", () =>
    Effect.gen(function* () {
      const { attemptTimes } = yield* TestServers
      yield* lease()
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(attemptTimes("fs").length, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(attemptTimes("fs").length, 2)
    }).pipe(
      Effect.provide(
        one({
          faults: {
            refuseStarts: 99,
            refuseWith: (server) => new HttpFailed({ server, status: 429, detail: "", retryAfterMs: 120_500 })
          }
        })
      )
    )
  )

  it.effect("is not tried for a blocked address", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease()
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").attempts, 1)
      assert.strictEqual(stateOf(server)._tag, "Failed")
    }).pipe(
      Effect.provide(
        one({
          faults: {
            refuseStarts: 99,
            refuseWith: (server) =>
              new AddressBlocked({ server, host: null, leadsTo: "a private address", openable: true })
          }
        })
      )
    )
  )

  it.effect("is not tried with `restartOnCrash: false`", () =>
    Effect.gen(function* () {
      const { counts, kill } = yield* TestServers
      const server = yield* lease({ restartOnCrash: false })
      yield* echo(server)
      yield* kill("fs")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").attempts, 1)
      assert.strictEqual(stateOf(server)._tag, "Failed")
    }).pipe(Effect.provide(one()))
  )

  it.effect("closes each connection before it opens the next", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      yield* lease({ maxRestarts: 99 })
      for (let i = 0; i < 20; i++) {
        yield* TestClock.adjust("10 seconds")
        const { closed, opened } = counts("fs")
        assert.isAtMost(opened - closed, 1)
      }
      assert.isAbove(counts("fs").opened, 5)
    }).pipe(Effect.provide(one({ faults: { crashAfter: "3 seconds" } })))
  )

  it.effect("continues after a defect in an attempt", () =>
    Effect.gen(function* () {
      const server = yield* lease()
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(stateOf(server)._tag, "Backoff")
      const { setFaults } = yield* TestServers
      yield* setFaults("fs", {})
      yield* TestClock.adjust("2 seconds")
      yield* echo(server)
    }).pipe(
      Effect.provide(
        one({
          faults: {
            refuseStarts: 99,
            refuseWith: () => {
              throw new Error("bug")
            }
          }
        })
      )
    )
  )
})

describe("ServerPool: stop", () => {
  for (const [what, faults] of [
    ["is ready", {}],
    ["waits for a restart", { refuseStarts: 1_000 }],
    ["is being connected", { connectTime: "1 hour" }]
  ] as const) {
    it.effect(`stops a server that ${what}, until it is reset`, () =>
      Effect.gen(function* () {
        const { counts, setFaults } = yield* TestServers
        const server = yield* lease({ timeout: 7_200_000 })
        yield* TestClock.adjust("1500 millis")
        yield* server.stop
        const { attempts, closed, opened } = counts("fs")
        assert.strictEqual(closed, opened)
        assert.deepInclude(stateOf(server), { _tag: "Failed" })
        yield* server.wake
        yield* TestClock.adjust("1 day")
        assert.include((yield* Effect.flip(echo(server))).message, "was stopped by the operator")
        assert.strictEqual(counts("fs").attempts, attempts)
        yield* setFaults("fs", {})
        yield* server.reset
        yield* echo(server)
        assert.strictEqual(counts("fs").attempts, attempts + 1)
      }).pipe(Effect.scoped, Effect.provide(one({ faults })))
    )
  }

  it.effect("fails a call in flight as possibly executed", () =>
    Effect.gen(function* () {
      const server = yield* lease()
      yield* server.settled
      const call = yield* Effect.forkChild(Effect.flip(echo(server)), { startImmediately: true })
      yield* TestClock.adjust(0)
      yield* server.stop
      assert.deepInclude(yield* Fiber.join(call), { _tag: "ConnectionLost", maybeExecuted: true })
    }).pipe(Effect.scoped, Effect.provide(one({ faults: { hang: true } })))
  )
})

describe("ServerPool: reset", () => {
  it.effect("makes calls during the close wait for the next connection", () =>
    Effect.gen(function* () {
      const closing = yield* Deferred.make<void>()
      const slow = Layer.effect(
        ServerConnector,
        Effect.map(ServerConnector, (connector) =>
          ServerConnector.of({
            ...connector,
            open: (config) =>
              Effect.andThen(
                Effect.addFinalizer(() => Deferred.await(closing)),
                connector.open(config)
              )
          })
        )
      )
      const layer = ServerPoolLayer.layer.pipe(Layer.provide(slow), Layer.provideMerge(layerServers({ fs: {} })))
      yield* Effect.gen(function* () {
        const { counts } = yield* TestServers
        const server = yield* lease()
        yield* echo(server)
        const reset = yield* Effect.forkChild(server.reset, { startImmediately: true })
        yield* Effect.yieldNow
        const asked = yield* Effect.forkChild(echo(server), { startImmediately: true })
        assert.strictEqual(stateOf(server)._tag, "Connecting")
        yield* Deferred.succeed(closing, undefined)
        yield* Fiber.join(reset)
        yield* Fiber.join(asked)
        assert.strictEqual(counts("fs").attempts, 2)
      }).pipe(Effect.scoped, Effect.provide(layer))
    })
  )

  it.effect("restarts a failed server, and forgets its restarts", () =>
    Effect.gen(function* () {
      const { counts, setFaults } = yield* TestServers
      const server = yield* lease({ maxRestarts: 1 })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(stateOf(server)._tag, "Failed")
      yield* setFaults("fs", {})
      yield* server.reset
      yield* echo(server)
      assert.strictEqual(counts("fs").attempts, 3)
      assert.strictEqual(server.snapshot().restarts, 0)
      assert.isUndefined(server.snapshot().lastError)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })))
  )

  it.effect("starts a server at once that waits for its restart", () =>
    Effect.gen(function* () {
      const { setFaults } = yield* TestServers
      const server = yield* lease()
      yield* TestClock.adjust("500 millis")
      yield* setFaults("fs", {})
      yield* server.reset
      yield* echo(server)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })))
  )

  it.effect("finishes when its caller is interrupted", () =>
    Effect.gen(function* () {
      const { setFaults } = yield* TestServers
      const server = yield* lease()
      yield* echo(server)
      const impatient = yield* Effect.forkChild(Effect.timeoutOption(server.reset, "500 millis"))
      yield* TestClock.adjust("1 second")
      yield* setFaults("fs", {})
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(impatient)
      yield* echo(server)
    }).pipe(Effect.provide(one({ faults: { closeTime: "5 seconds" } })))
  )

  it.effect("closes a live connection before it opens the next", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease()
      yield* echo(server)
      yield* Effect.all([server.reset, server.reset], { concurrency: "unbounded" })
      yield* echo(server)
      const { closed, opened } = counts("fs")
      assert.strictEqual(opened - closed, 1)
    }).pipe(Effect.provide(one()))
  )
})

describe("ServerPool: lazy servers and idle stop", () => {
  it.effect("starts a lazy server once for 50 concurrent first calls, and not earlier", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ lazy: true })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(stateOf(server)._tag, "Idle")
      assert.strictEqual(counts("fs").attempts, 0)
      const calls = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 50 }), () => echo(server), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* Fiber.join(calls), 50)
      assert.strictEqual(counts("fs").attempts, 1)
    }).pipe(Effect.provide(one({ faults: { connectTime: "1 second" } })))
  )

  it.effect("stops a server after `idleTtlMs` without calls, and starts it for the next call", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const server = yield* lease({ lazy: true, idleTtlMs: 60_000 })
      yield* echo(server)
      yield* TestClock.adjust("50 seconds")
      yield* echo(server)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(stateOf(server)._tag, "Ready")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(stateOf(server)._tag, "Idle")
      assert.strictEqual(counts("fs").closed, 1)
      assert.isDefined(server.snapshot().catalogue, "what it offers stays known")
      yield* echo(server)
      assert.strictEqual(counts("fs").opened, 2)
    }).pipe(Effect.provide(one()))
  )

  it.effect("does not stop a server during a call", () =>
    Effect.gen(function* () {
      const server = yield* lease({ idleTtlMs: 1_000 })
      const call = yield* Effect.forkChild(echo(server))
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(call), { content: [{ type: "text", text: "hi" }] })
    }).pipe(Effect.provide(one({ faults: { callTime: "30 seconds" } })))
  )
})

describe("ServerPool: closing", () => {
  it.effect("ends the wait for a restart at once", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const scope = yield* Scope.make()
      yield* Scope.provide(lease(), scope)
      yield* TestClock.adjust("500 millis")
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(counts("fs").attempts, 1)
    }).pipe(Effect.provide(one({ faults: { refuseStarts: 99 } })))
  )

  it.effect("ends a connection attempt at once", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(lease(), scope)
      const caller = yield* Effect.forkChild(Effect.flip(echo(server)))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(caller))._tag, "ServerUnavailable")
      assert.strictEqual(counts("fs").opened, 0)
    }).pipe(Effect.provide(one({ faults: { connectTime: "1 hour" } })))
  )

  it.effect("closes all connections of 1,000 leases", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      for (let i = 0; i < 1000; i++) yield* Effect.scoped(Effect.flatMap(lease(), (server) => echo(server)))
      assert.deepInclude(counts("fs"), { attempts: 1000, opened: 1000, closed: 1000, calls: 1000 })
    }).pipe(Effect.provide(one()))
  )

  it.effect("leaves other servers alone when one fails", () =>
    Effect.gen(function* () {
      const service = yield* ServerPool
      const [bad, good] = [yield* service.lease(serverConfig("bad")), yield* service.lease(serverConfig("good"))]
      yield* TestClock.adjust("1 minute")
      yield* echo(good)
      assert.strictEqual(stateOf(bad)._tag, "Failed")
      assert.strictEqual(stateOf(good)._tag, "Ready")
      assert.strictEqual(good.snapshot().restarts, 0)
    }).pipe(Effect.provide(pool({ bad: { faults: { refuseStarts: 99 } }, good: {} })))
  )
})

describe("ServerPool: pings", () => {
  /** How often each kind of server was asked whether it is there, within so long and without a call. */
  const asked = (transport: "http" | "stdio") =>
    Effect.gen(function* () {
      let pings = 0
      const elsewhere = Layer.effect(
        ServerConnector,
        Effect.map(ServerConnector, (connector) =>
          ServerConnector.of({
            ...connector,
            open: (config) =>
              Effect.map(connector.open(config), (live) => ({
                ...live,
                info: { ...live.info, transport },
                ping: Effect.sync(() => ++pings > 0)
              }))
          })
        )
      )
      const layer = ServerPoolLayer.layer.pipe(Layer.provide(elsewhere), Layer.provide(layerServers({ fs: {} })))
      yield* Effect.gen(function* () {
        const server = yield* lease()
        yield* server.settled
        yield* TestClock.adjust(ALIVE_EVERY_MS * 10)
      }).pipe(Effect.provide(layer))
      return pings
    })

  it.effect("are sent regularly over HTTP, but only once over stdio", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* asked("http"), 11)
      // Once, for the count of restarts.
      assert.strictEqual(yield* asked("stdio"), 1)
    })
  )
})
