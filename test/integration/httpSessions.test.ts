import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { STREAM_RECONNECT_MAX_MS } from "../../src/schemas/defaults/Wire.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import type { ServerConnector, ServerEvent } from "../../src/services/connection/ServerConnector.ts"
import { httpServer, type HttpFixture } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi" }

const callsOf = ({ requests }: HttpFixture) => requests.filter(({ method }) => method === "tools/call")
const subscriptionsOf = ({ requests }: HttpFixture) => requests.filter(({ method }) => method === "resources/subscribe")
const gets = ({ requests }: HttpFixture) => requests.filter(({ verb }) => verb === "GET")

describe("HTTP: streams that break", () => {
  scenario(
    "the answer to a call whose stream was cut is fetched where the stream ended (up to 2025-11-25)",
    Effect.gen(function* () {
      const server = yield* httpServer("interrupts")
      const connection = yield* open(httpConfig(server.url))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      const resumed = gets(server).filter(({ headers }) => headers["last-event-id"] === "cut-1")
      assert.lengthOf(resumed, 1)
      assert.strictEqual(server.requests.filter(({ method }) => method === "tools/call").length, 1)
    })
  )

  scenario(
    "when that fails, the call may have run",
    Effect.gen(function* () {
      const server = yield* httpServer("interrupts-for-good")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.isTrue(yield* connection.ping)
    })
  )

  scenario(
    "a wait that nobody would live to see is one, and ends with the connection",
    Effect.gen(function* () {
      const server = yield* httpServer(`interrupts:${"9".repeat(12)}`)
      const started = vi.spyOn(globalThis, "setTimeout")
      const stopped = vi.spyOn(globalThis, "clearTimeout")
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
      const error = yield* Effect.scoped(
        Effect.flatMap(open(httpConfig(server.url)), (connection) =>
          Effect.flip(callTool(connection, "echo", echo, 2_000))
        )
      )
      assert.strictEqual(error._tag, "CallTimeout")
      assert.isUndefined(gets(server).find(({ headers }) => headers["last-event-id"] !== undefined))
      const wait = started.mock.calls.findIndex(([, delay]) => delay === STREAM_RECONNECT_MAX_MS)
      assert.isTrue(stopped.mock.calls.some(([timer]) => timer === started.mock.results[wait]?.value))
    })
  )

  scenario(
    "since 2026-07-28 nothing is resumed: the call may have run",
    Effect.gen(function* () {
      const server = yield* httpServer("interrupts-modern")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.isEmpty(gets(server))
    })
  )
})

describe("HTTP: sessions that are lost", () => {
  scenario(
    "a call that the server did not take is sent once more, in a session of its own",
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const connection = yield* open(httpConfig(server.url))
      server.forget()
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.lengthOf(server.opened, 2)
      assert.lengthOf(callsOf(server), 2)
      assert.strictEqual(callsOf(server)[1]?.headers["mcp-session-id"], server.opened[1])
    })
  )

  scenario(
    "fifty at once need one new session, and none of them fails",
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const connection = yield* open(httpConfig(server.url))
      server.forget()
      const results = yield* Effect.all(
        Array.from({ length: 50 }, () => callTool(connection, "echo", echo)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(results.every((result) => textOf(result) === "hi"))
      assert.lengthOf(server.opened, 2)
      assert.isAtMost(callsOf(server).length, 100)
    })
  )

  scenario(
    "a call that still runs when the session is forgotten ends as it would have",
    Effect.gen(function* () {
      const server = yield* httpServer("stream")
      const connection = yield* open(httpConfig(server.url))
      const slow = yield* Effect.forkChild(callTool(connection, "slow", { ms: 500 }))
      yield* Effect.sleep(0).pipe(Effect.repeat({ until: () => callsOf(server).length === 1 }))
      server.forget()
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      yield* Fiber.join(slow)
      assert.lengthOf(server.opened, 2)
    })
  )

  scenario(
    "a server that forgets at every call is asked twice, and then given to the supervisor",
    Effect.gen(function* () {
      const server = yield* httpServer("lost-session:tools/call")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.lengthOf(callsOf(server), 2)
      assert.lengthOf(server.opened, 2)
      yield* Effect.flip(connection.closed)
    })
  )

  scenario(
    "a session that cannot be replaced ends the connection, and the call was not executed",
    Effect.gen(function* () {
      const server = yield* httpServer("forgets-and-refuses")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && !error.maybeExecuted)
      assert.lengthOf(callsOf(server), 1)
      yield* Effect.flip(connection.closed)
    })
  )

  scenario(
    "a call that may have run is not sent again, whatever becomes of the session",
    Effect.gen(function* () {
      const server = yield* httpServer("reset:tools/call:1")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      server.forget()
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.lengthOf(callsOf(server), 3, "the next one is sent in the session that is lost and in a new one")
    })
  )

  scenario(
    "without a session 404 is one failed call, and no new session",
    Effect.gen(function* () {
      const server = yield* httpServer("stateless-404")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "HttpFailed" && error.status === 404)
      assert.lengthOf(callsOf(server), 1)
      assert.lengthOf(
        server.requests.filter(({ method }) => method === "initialize"),
        1
      )
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "a restarted server is noticed without a call: its lists count as changed, what was watched is watched again",
    Effect.gen(function* () {
      const server = yield* httpServer("subscribable")
      const connection = yield* open(httpConfig(server.url))
      const events: Array<ServerEvent> = []
      connection.onEvent((event) => events.push(event))
      yield* connection.watchResources(["test://one"])
      // By then the stream is open.
      yield* callTool(connection, "echo", echo)
      server.restart()
      yield* Effect.sleep(10).pipe(
        Effect.repeat({ until: () => subscriptionsOf(server).length === 2 }),
        Effect.timeout("10 seconds")
      )
      assert.lengthOf(server.opened, 2)
      assert.deepInclude(events, { _tag: "ListChanged" })
      assert.deepInclude(events, { _tag: "ResourceUpdated", uri: "test://one" })
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "a stream that broke is opened again in the same session, and what it may have announced meanwhile counts as changed",
    Effect.gen(function* () {
      const server = yield* httpServer("subscribable")
      const connection = yield* open(httpConfig(server.url))
      const events: Array<ServerEvent> = []
      connection.onEvent((event) => events.push(event))
      yield* connection.watchResources(["test://one"])
      yield* Effect.repeat(Effect.void, { schedule: pauses, until: () => gets(server).length === 1 })
      server.interrupt()
      yield* Effect.void.pipe(
        Effect.repeat({ schedule: pauses, until: () => events.length === 2 }),
        Effect.timeout("10 seconds")
      )
      assert.deepStrictEqual(events, [{ _tag: "ListChanged" }, { _tag: "ResourceUpdated", uri: "test://one" }])
      assert.lengthOf(server.opened, 1)
    })
  )

  scenario(
    "over SSE, too",
    Effect.gen(function* () {
      const server = yield* httpServer("old")
      const connection = yield* open(httpConfig(server.url, "sse"))
      server.forget()
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.lengthOf(server.opened, 2)
    })
  )

  scenario(
    "servers that say so with 400 are understood, once: who says so in a new session may have run the call",
    Effect.gen(function* () {
      const { url } = yield* httpServer("lost-session-400")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      yield* Effect.flip(connection.closed)
    })
  )

  for (const [how, tag] of [
    ["400", "HttpFailed"],
    ["404", "HttpFailed"],
    ["404-nobody", "ConnectionLost"],
    ["404-text", "ConnectionLost"],
    ["404-session", "ConnectionLost"]
  ] as const) {
    scenario(
      `a call that has run is not run again, whatever its answer says of sessions (${how}), and the next one is answered`,
      Effect.gen(function* () {
        const server = yield* httpServer(`paid:${how}`)
        const connection = yield* open(httpConfig(server.url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.strictEqual(error._tag, tag)
        if (error._tag === "ConnectionLost") assert.isTrue(error.maybeExecuted)
        assert.lengthOf(callsOf(server), 1)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
        assert.lengthOf(callsOf(server), 2)
      })
    )
  }

  scenario(
    "since 2026-07-28 there are none, whatever a server names: 404 is one failed call",
    Effect.gen(function* () {
      const server = yield* httpServer("modern-session")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.strictEqual(error._tag, "HttpFailed")
      assert.lengthOf(callsOf(server), 1)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "400 for another reason is one failed call",
    Effect.gen(function* () {
      const { url } = yield* httpServer("400:tools/call:1")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "HttpFailed" && error.status === 400)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )
})

describe("HTTP: a runtime whose server has forgotten it", () => {
  it.live("carries the call over to a new session, and stays Ready", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const config = { mcp: { servers: { web: { url: server.url, type: "http" } } } }
      const live = McpLive({ replace: { config: ConfigSourceLayer.layerObject(config) } })
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        server.forget()
        assert.isFalse((yield* runtime.call("mcp_web_echo", echo)).isError)
        assert.lengthOf(server.opened, 2)
        assert.include((yield* runtime.status)["web"], { state: "Ready", restarts: 0 })
      }).pipe(Effect.provide(live.pipe(Layer.provideMerge(Logger.layer([])))))
    }).pipe(Effect.scoped)
  )
})

describe("HTTP: the older transport", () => {
  scenario(
    "nothing of the attempt before it stays open",
    Effect.gen(function* () {
      const server = yield* httpServer("old")
      yield* open(httpConfig(server.url))
      const attempts = server.requests.filter(({ path, verb }) => verb === "POST" && path === "/mcp")
      assert.isNotEmpty(attempts)
      yield* server.connections.pipe(
        Effect.repeat({ schedule: pauses, until: () => !attempts.some(({ connected }) => connected()) }),
        Effect.timeout("10 seconds")
      )
    })
  )
})
