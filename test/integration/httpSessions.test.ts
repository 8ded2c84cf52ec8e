import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ConfigSourceLayer from "../../src/layers/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { STREAM_RECONNECT_MAX_MS } from "../../src/schemas/Defaults.ts"
import { McpRuntime } from "../../src/services/McpRuntime.ts"
import type { ServerConnector } from "../../src/services/ServerConnector.ts"
import { httpServer, type HttpFixture } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi" }

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
          Effect.flip(callTool(connection, "echo", echo, 500))
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
    "a restarted server is noticed without a call",
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const connection = yield* open(httpConfig(server.url))
      // By then the stream is open.
      yield* callTool(connection, "echo", echo)
      server.restart()
      const error = yield* Effect.flip(connection.closed)
      assert.include(error.message, "no longer knows our session")
    })
  )

  scenario(
    "servers that say so with 400 are understood: the call was not executed, the next connection starts anew",
    Effect.gen(function* () {
      const { url } = yield* httpServer("lost-session-400")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && !error.maybeExecuted)
      yield* Effect.flip(connection.closed)
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
  it.live("tells the call that it was not executed, and is connected again in a session of its own", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const config = { mcp: { servers: { web: { url: server.url, type: "http" } } } }
      const live = McpLive({ replace: { config: ConfigSourceLayer.layerObject(config) } })
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        server.forget()
        const { content, isError } = yield* runtime.call("mcp_web_echo", echo)
        assert.isTrue(isError)
        const words = JSON.stringify(content)
        assert.include(words, "no longer knows our session")
        assert.notInclude(words, "may have been executed")
        yield* runtime.changes.pipe(
          Stream.mapEffect(() => runtime.status),
          Stream.filter(({ web }) => web?.state === "Ready" && web.restarts === 1),
          Stream.take(1),
          Stream.runDrain
        )
        assert.isFalse((yield* runtime.call("mcp_web_echo", echo)).isError)
        assert.lengthOf(server.opened, 2)
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
        Effect.repeat({ until: () => !attempts.some(({ connected }) => connected()) }),
        Effect.timeout("10 seconds")
      )
    })
  )
})
