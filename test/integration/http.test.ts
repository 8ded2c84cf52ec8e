import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer, type HttpFixture } from "../fixtures/httpServer.ts"
import { everything } from "../fixtures/servers.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi", message: "hi" }

const arrived = (requests: HttpFixture["requests"], wanted: (request: HttpFixture["requests"][number]) => boolean) =>
  Effect.sync(() => requests.some(wanted)).pipe(
    Effect.repeat({ schedule: pauses, until: (is) => is }),
    Effect.timeout("30 seconds")
  )

describe("HTTP: real servers", () => {
  scenario(
    "server-everything over Streamable HTTP",
    Effect.gen(function* () {
      const { url } = yield* everything("streamableHttp")
      const connection = yield* open(httpConfig(url))
      assert.deepInclude(connection.info, { transport: "http", era: "legacy", protocolVersion: "2025-11-25" })
      assert.include(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.isNotEmpty(connection.catalogue.resources)
    })
  )

  scenario(
    "server-everything over SSE",
    Effect.gen(function* () {
      const { url } = yield* everything("sse")
      const connection = yield* open(httpConfig(url, "sse"))
      assert.strictEqual(connection.info.transport, "sse")
      assert.include(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "an address of which only SSE answers is found with `http`, and remembered",
    Effect.gen(function* () {
      const { url } = yield* everything("sse")
      const connection = yield* open(httpConfig(url))
      assert.strictEqual(connection.info.transport, "sse")
      const again = yield* open(httpConfig(url))
      assert.strictEqual(again.info.transport, "sse")
    })
  )

  scenario(
    "an address of which only Streamable HTTP answers is not reached with `sse`, and the error says with what it is",
    Effect.gen(function* () {
      const { url } = yield* everything("streamableHttp")
      const error = yield* Effect.flip(open(httpConfig(url, "sse")))
      assert.strictEqual(error._tag, "HttpFailed")
      assert.include(error.message, "this address speaks Streamable HTTP and not SSE")
      assert.include(error.message, 'set "transport" to "http" or "auto"')
      assert.strictEqual((yield* open(httpConfig(url))).info.transport, "http")
    })
  )

  scenario(
    "once it was found, Streamable HTTP is not tried again",
    Effect.gen(function* () {
      const { requests, url } = yield* httpServer("old")
      yield* Effect.scoped(open(httpConfig(url)))
      const before = requests.length
      yield* Effect.scoped(open(httpConfig(url)))
      const later = requests.slice(before).map(({ method }) => method)
      assert.include(later, "initialize")
      assert.notInclude(later, "server/discover")
    })
  )

  scenario(
    "a killed SSE server is noticed at once",
    Effect.gen(function* () {
      const { pid, url } = yield* everything("sse")
      const connection = yield* open(httpConfig(url, "sse"))
      process.kill(pid, "SIGKILL")
      const error = yield* Effect.flip(connection.closed)
      assert.strictEqual(error._tag, "ConnectionLost")
      // There was no call.
      assert.notInclude(error.message, "the call may")
    })
  )

  scenario(
    "a killed Streamable HTTP server is noticed by whoever asks whether it is there",
    Effect.gen(function* () {
      const { pid, url } = yield* everything("streamableHttp")
      const connection = yield* open(httpConfig(url))
      process.kill(pid, "SIGKILL")
      const asked = Effect.forever(Effect.andThen(connection.ping, Effect.sleep(20)))
      const error = yield* Effect.flip(Effect.raceFirst(connection.closed, asked))
      assert.strictEqual(error._tag, "ConnectionLost")
      assert.notInclude(error.message, "the call may")
    })
  )
})

describe("HTTP: eras and answers", () => {
  for (const [server, era] of [
    ["json", "legacy"],
    ["stream", "legacy"],
    ["stateless", "legacy"],
    ["modern", "modern"],
    ["modern-stream", "modern"],
    ["dual", "modern"]
  ] as const) {
    scenario(
      `a ${server} server is spoken to as ${era}`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(server)
        const connection = yield* open(httpConfig(url))
        assert.strictEqual(connection.info.era, era)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
        assert.isTrue(yield* connection.ping)
      })
    )
  }

  scenario(
    "configured headers are sent with every request",
    Effect.gen(function* () {
      const { requests, url } = yield* httpServer("json")
      yield* open(httpConfig(url, "http", { launch: { kind: "http", url, headers: { "x-key": "value" } } }))
      assert.isAbove(requests.length, 3)
      assert.isTrue(requests.every(({ headers }) => headers["x-key"] === "value"))
    })
  )

  scenario(
    "the session is ended with a DELETE when the connection closes",
    Effect.gen(function* () {
      const { deleted, opened, url } = yield* httpServer("json")
      yield* Effect.scoped(open(httpConfig(url)))
      assert.lengthOf(opened, 1)
      assert.deepStrictEqual(deleted, opened)
    })
  )

  scenario(
    "nothing of a closed connection stays open",
    Effect.gen(function* () {
      const { connections, url } = yield* httpServer("stream")
      yield* Effect.scoped(Effect.flatMap(open(httpConfig(url)), (connection) => callTool(connection, "echo", echo)))
      yield* connections.pipe(
        Effect.repeat({ schedule: pauses, until: (count) => count === 0 }),
        Effect.timeout("30 seconds")
      )
    })
  )

  scenario(
    "an interrupted call is cancelled at the server",
    Effect.gen(function* () {
      const { requests, url } = yield* httpServer("json")
      const connection = yield* open(httpConfig(url))
      const fiber = yield* Effect.forkChild(callTool(connection, "hang"), { startImmediately: true })
      // Each request has a connection of its own: nothing else says when one has arrived.
      yield* arrived(requests, ({ method }) => method === "tools/call")
      yield* Fiber.interrupt(fiber)
      yield* arrived(requests, ({ method }) => method === "notifications/cancelled")
    })
  )
})

describe.concurrent("HTTP: broken servers while connecting", () => {
  const failures: ReadonlyArray<readonly [string, string, string]> = [
    ["401", "AuthRequired", "HTTP 401"],
    ["403", "AuthRequired", "HTTP 403"],
    ["500", "HttpFailed", "HTTP 500"],
    ["502", "HttpFailed", "HTTP 502"],
    ["429", "HttpFailed", "HTTP 429"],
    ["gone", "HttpFailed", "HTTP 404"],
    ["503-html", "HttpFailed", "HTTP 503"],
    ["old:404:foreign", "HandshakeFailed", "another origin"],
    ["old:404:scheme-relative", "HandshakeFailed", "another origin"],
    ["old:404:javascript", "HandshakeFailed", "another origin"],
    ["old:404:never", "ConnectTimeout", ""],
    ["bad-session-id", "HandshakeFailed", "session id"],
    ["html:*", "HandshakeFailed", ""],
    ["redirect-foreign:*", "RedirectBlocked", "another origin"],
    ["redirect-loop:*", "RedirectBlocked", "3 redirects"]
  ]
  for (const [server, tag, words] of failures) {
    scenario(
      `${server} is an error that names the server, in few words`,
      Effect.gen(function* () {
        const { foreign, url } = yield* httpServer(server)
        // Only what never comes is not waited for.
        const timeout = tag === "ConnectTimeout" ? 3_000 : 30_000
        const error = yield* Effect.flip(open(httpConfig(url, "http", { timeout })))
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, "'web'")
        assert.include(error.message, words)
        assert.isBelow(error.message.length, 2_500)
        assert.lengthOf(foreign, 0, "nothing reached the other origin")
      })
    )
  }

  scenario(
    "nobody listening is told in words",
    Effect.gen(function* () {
      const { url } = yield* Effect.scoped(httpServer("json"))
      const error = yield* Effect.flip(open(httpConfig(url)))
      assert.strictEqual(error._tag, "HttpFailed")
      assert.include(error.message, "connection refused")
    })
  )

  scenario(
    "a server that never answers is given up at the deadline",
    Effect.gen(function* () {
      const { url } = yield* httpServer("hang:*")
      const error = yield* Effect.flip(open(httpConfig(url, "http", { timeout: 1_000 })))
      assert.strictEqual(error._tag, "ConnectTimeout")
    })
  )

  scenario(
    "an address that is none, or a header that is none, is refused without its value",
    Effect.gen(function* () {
      const bad = yield* Effect.flip(open(httpConfig("ftp://user:secret@host/")))
      assert.strictEqual(bad._tag, "InvalidLaunch")
      assert.notInclude(bad.message, "secret")
      const launch = { kind: "http" as const, url: "http://127.0.0.1:9/", headers: { "x-key": "se\ncret" } }
      const header = yield* Effect.flip(open(httpConfig("", "http", { launch })))
      assert.include(header.message, "x-key")
      assert.notInclude(header.message, "cret")
    })
  )
})

describe.concurrent("HTTP: broken servers during calls", () => {
  const failures: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["accepted:tools/call", ["ProtocolError"]],
    ["empty-stream:tools/call", ["ConnectionLost"]],
    ["huge-json:tools/call", ["MessageTooLarge"]],
    ["gzip-bomb:tools/call", ["MessageTooLarge"]],
    ["endless-event:tools/call", ["MessageTooLarge", "ConnectionLost"]],
    ["reset:tools/call", ["ConnectionLost"]],
    ["reset-early:tools/call", ["HttpFailed", "ConnectionLost"]],
    ["not-json:tools/call", ["ProtocolError", "HttpFailed", "ConnectionLost"]],
    ["hang:tools/call", ["CallTimeout"]],
    ["endless-body:tools/call", ["CallTimeout"]],
    ["comments:tools/call", ["CallTimeout"]],
    ["500:tools/call", ["HttpFailed"]],
    ["401:tools/call", ["AuthRequired"]],
    ["lost-session:tools/call", ["ConnectionLost"]]
  ]
  for (const [server, tags] of failures) {
    scenario(
      `${server} fails the call with a typed error`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(server)
        const connection = yield* open(httpConfig(url))
        const idleMs = tags.includes("CallTimeout") ? 1_000 : 30_000
        const error = yield* Effect.flip(callTool(connection, "echo", echo, idleMs))
        assert.include(tags, error._tag)
        assert.include(error.message, "'web'")
      })
    )
  }

  scenario(
    "a connection that breaks after the request was sent says that the call may have run, and costs that call only",
    Effect.gen(function* () {
      const { url } = yield* httpServer("reset:tools/call:1")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )
})
