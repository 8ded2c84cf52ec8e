import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import { RETRY_AFTER_MAX_MS } from "../../src/schemas/defaults/Wire.ts"
import type { RequestError } from "../../src/schemas/connection/RequestError.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer, type HttpFixture } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"
import { pauses } from "../support/pause.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi" }
const asked = ({ requests }: HttpFixture, wanted: string) => requests.filter(({ method }) => method === wanted).length
const statusOf = (error: RequestError) => ("status" in error ? error.status : undefined)

describe("HTTP: what a status means for a call", () => {
  const rows: ReadonlyArray<readonly [status: number, tag: string, words: ReadonlyArray<string>]> = [
    [400, "HttpFailed", ["HTTP 400"]],
    [401, "AuthRequired", ["HTTP 401", "Authorization"]],
    [403, "AuthRequired", ["HTTP 403", "forbids"]],
    [404, "HttpFailed", ["HTTP 404", '"url"']],
    [405, "HttpFailed", ["HTTP 405", '"transport"']],
    [429, "HttpFailed", ["HTTP 429", "fewer requests"]],
    [500, "HttpFailed", ["HTTP 500", "failed on the request"]],
    [502, "HttpFailed", ["HTTP 502", "gateway"]],
    [503, "HttpFailed", ["HTTP 503", "not available now"]],
    [504, "HttpFailed", ["HTTP 504", "gateway"]]
  ]
  for (const [status, tag, words] of rows) {
    scenario(
      `${status} is ${tag}, in words, asked once, and costs that call only`,
      Effect.gen(function* () {
        const server = yield* httpServer(`stateless-status:${status}:tools/call:1`)
        const connection = yield* open(httpConfig(server.url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.strictEqual(error._tag, tag)
        assert.strictEqual(statusOf(error), status)
        for (const word of words) assert.include(error.message, word)
        assert.strictEqual(asked(server, "tools/call"), 1)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      })
    )
  }

  scenario(
    "over SSE each status means the same, and costs that call only",
    Effect.gen(function* () {
      for (const [status, tag] of [
        [401, "AuthRequired"],
        [403, "AuthRequired"],
        [429, "HttpFailed"],
        [500, "HttpFailed"]
      ] as const) {
        const server = yield* httpServer(`old-status:${status}:tools/call:1`)
        const connection = yield* open(httpConfig(server.url, "sse"))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.strictEqual(error._tag, tag, `${status}`)
        assert.strictEqual(statusOf(error), status)
        assert.strictEqual(asked(server, "tools/call"), 1)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      }
    })
  )

  scenario(
    "401 has no second try, with and without a word on how to log in",
    Effect.gen(function* () {
      for (const name of ["401:tools/call", "status:401:tools/call"]) {
        const server = yield* httpServer(name)
        const connection = yield* open(httpConfig(server.url))
        for (let i = 1; i <= 3; i++) {
          assert.strictEqual((yield* Effect.flip(callTool(connection, "echo", echo)))._tag, "AuthRequired")
          assert.strictEqual(asked(server, "tools/call"), i)
        }
      }
    })
  )
})

describe.concurrent("HTTP: lists of a server that fails for a moment", () => {
  for (const status of [408, 429, 500, 502, 503, 504]) {
    scenario(
      `after ${status} are asked for once more`,
      Effect.gen(function* () {
        const server = yield* httpServer(`status:${status}:tools/list:1`)
        const connection = yield* open(httpConfig(server.url))
        assert.isNotEmpty(connection.catalogue.tools)
        assert.strictEqual(asked(server, "tools/list"), 2)
      })
    )
  }

  scenario(
    "that fails again are not asked for a third time",
    Effect.gen(function* () {
      const server = yield* httpServer("status:503:tools/list")
      const error = yield* Effect.flip(open(httpConfig(server.url)))
      assert.isTrue(error._tag === "HttpFailed" && error.status === 503)
      assert.strictEqual(asked(server, "tools/list"), 2)
    })
  )

  scenario(
    "what cannot pass is not asked for again",
    Effect.gen(function* () {
      const server = yield* httpServer("status:501:tools/list")
      yield* Effect.flip(open(httpConfig(server.url)))
      assert.strictEqual(asked(server, "tools/list"), 1)
    })
  )
})

describe.concurrent("HTTP: Retry-After", () => {
  scenario(
    "a call that was not taken (429) is sent once more when the time has come",
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:tools/call:1:429:1")
      const connection = yield* open(httpConfig(server.url))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.strictEqual(asked(server, "tools/call"), 2)
    })
  )

  scenario(
    "a call that was not taken twice is not sent a third time: whoever called is told when",
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:tools/call::429:1")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "HttpFailed" && error.retryAfterMs === 1_000)
      assert.include(error.message, "again in 1 s")
      assert.strictEqual(asked(server, "tools/call"), 2)
    })
  )

  scenario(
    "a call that may have run (503) is not sent again; the next one waits",
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:tools/call:1:503:1")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.isTrue(error._tag === "HttpFailed" && error.status === 503)
      assert.strictEqual(asked(server, "tools/call"), 1)
      // A request before its time would be refused.
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "a long wait is nobody's: the call fails, and until then nothing more is sent",
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:tools/call::429:120")
      const connection = yield* open(httpConfig(server.url))
      for (let i = 0; i < 3; i++) {
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.isTrue(error._tag === "HttpFailed" && error.status === 429)
        assert.isTrue("retryAfterMs" in error && Math.abs((error.retryAfterMs ?? 0) - 120_000) < 5_000)
      }
      assert.strictEqual(asked(server, "tools/call"), 1)
    })
  )

  scenario(
    "dates are understood, and no server is left alone for ever",
    Effect.gen(function* () {
      for (const [value, most] of [
        [new Date(Date.now() + 60_000).toUTCString(), 60_000],
        ["Fri, 31 Dec 9999 23:59:59 GMT", RETRY_AFTER_MAX_MS],
        ["9".repeat(400), RETRY_AFTER_MAX_MS]
      ] as const) {
        const server = yield* httpServer(`retry-after:tools/call::429:${value}`)
        const connection = yield* open(httpConfig(server.url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        const after = error._tag === "HttpFailed" ? (error.retryAfterMs ?? 0) : 0
        assert.isAtMost(after, most)
        assert.isAbove(after, most - 10_000)
      }
    })
  )

  scenario(
    "over SSE no call waits: nobody could tell it that it was taken back",
    Effect.gen(function* () {
      const server = yield* httpServer("old-retry-after:tools/call:1:429:1")
      const connection = yield* open(httpConfig(server.url, "sse"))
      for (let i = 0; i < 2; i++) {
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.isTrue(error._tag === "HttpFailed" && error.status === 429)
      }
      assert.strictEqual(asked(server, "tools/call"), 1)
    })
  )

  scenario(
    "a wait ends with whoever waited, and nothing is sent for them",
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:tools/call:1:429:2")
      const connection = yield* open(httpConfig(server.url))
      const waiting = yield* Effect.forkChild(callTool(connection, "echo", echo))
      yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => asked(server, "tools/call") === 1 }))
      // When this is answered, so was the call, which waits from then on.
      yield* Effect.promise(() => fetch(server.url).then((answer) => answer.arrayBuffer()))
      yield* Fiber.interrupt(waiting)
      // This one waits for the same time, and is the only one to be sent then.
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      assert.strictEqual(asked(server, "tools/call"), 2)
    })
  )

  it.live("a server that refuses to be connected to is not dialled again before its time", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("retry-after:*::429:40")
      const config = { mcp: { servers: { web: { url: server.url, type: "http" } } } }
      const live = McpLive({ replace: { config: ConfigSourceLayer.layerObject(config) } })
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const said = JSON.stringify(yield* runtime.call("mcp_web_echo", echo))
        // The longest delay of the schedule is thirty seconds.
        assert.isAbove(Number(/again in (\d+) s/.exec(said)?.[1]), 31, said)
      }).pipe(Effect.provide(live.pipe(Layer.provideMerge(Logger.layer([])))))
    }).pipe(Effect.scoped)
  )
})

describe("HTTP: which transport", () => {
  for (const status of [400, 404, 405]) {
    scenario(
      `${status} leads to the older transport`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`old:${status}`)
        assert.strictEqual((yield* open(httpConfig(url))).info.transport, "sse")
      })
    )
  }

  for (const status of [401, 403, 410, 500, 502, 503]) {
    scenario(
      `${status} does not`,
      Effect.gen(function* () {
        const server = yield* httpServer(`old:${status}`)
        const error = yield* Effect.flip(open(httpConfig(server.url)))
        assert.strictEqual("status" in error ? error.status : undefined, status)
        assert.isEmpty(server.requests.filter(({ verb }) => verb === "GET"))
      })
    )
  }
})

describe("HTTP: session ids", () => {
  for (const kind of ["spaces", "latin", "long"]) {
    scenario(
      `one that is none (${kind}) fails the handshake, and is sent nowhere`,
      Effect.gen(function* () {
        const server = yield* httpServer(`session-id:${kind}`)
        const error = yield* Effect.flip(open(httpConfig(server.url)))
        assert.strictEqual(error._tag, "HandshakeFailed")
        assert.include(error.message, "session id")
        assert.isTrue(server.requests.every(({ headers }) => headers["mcp-session-id"] === undefined))
      })
    )
  }

  scenario(
    "a long one of visible characters is taken",
    Effect.gen(function* () {
      const server = yield* httpServer("session-id:longest")
      const connection = yield* open(httpConfig(server.url))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario(
    "ours stays ours, whatever later answers name",
    Effect.gen(function* () {
      const server = yield* httpServer("changes-session")
      const connection = yield* open(httpConfig(server.url))
      yield* callTool(connection, "echo", echo)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      const named = server.requests.flatMap(({ headers }) => headers["mcp-session-id"] ?? [])
      assert.deepStrictEqual([...new Set(named)], [...server.opened])
    })
  )
})

describe("HTTP: the last word", () => {
  for (const status of [200, 204, 404, 405, 500]) {
    scenario(
      `a DELETE that is answered with ${status} ends it`,
      Effect.gen(function* () {
        const server = yield* httpServer(`delete:${status}`)
        yield* Effect.scoped(open(httpConfig(server.url)))
        assert.lengthOf(
          server.requests.filter(({ verb }) => verb === "DELETE"),
          1
        )
      })
    )
  }

  scenario(
    "nobody waits long for one that is not answered",
    Effect.gen(function* () {
      const server = yield* httpServer("delete:hang")
      yield* Effect.scoped(open(httpConfig(server.url))).pipe(Effect.timeout("10 seconds"))
      yield* server.connections.pipe(
        Effect.repeat({ schedule: pauses, until: (count) => count === 0 }),
        Effect.timeout("30 seconds")
      )
    })
  )

  scenario(
    "a session that is lost is not ended a second time",
    Effect.gen(function* () {
      const server = yield* httpServer("json")
      const before = server.opened
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* open(httpConfig(server.url))
          server.forget()
          yield* callTool(connection, "echo", echo)
        })
      )
      const ended = server.requests.filter(({ verb }) => verb === "DELETE")
      assert.deepStrictEqual(
        ended.map(({ headers }) => headers["mcp-session-id"]),
        [before[1]]
      )
    })
  )
})

describe("HTTP: connections that ended in between", () => {
  scenario(
    "a list whose connection breaks is asked for once more",
    Effect.gen(function* () {
      for (const name of ["reset", "reset-early"]) {
        const server = yield* httpServer(`${name}:tools/list:1`)
        assert.isNotEmpty((yield* open(httpConfig(server.url))).catalogue.tools)
        assert.strictEqual(asked(server, "tools/list"), 2)
      }
    })
  )

  scenario(
    "are replaced before a call is sent",
    Effect.gen(function* () {
      const server = yield* httpServer("hangs-up")
      const connection = yield* open(httpConfig(server.url))
      for (let i = 0; i < 10; i++) {
        yield* server.connections.pipe(
          Effect.repeat({ schedule: pauses, until: (count) => count === 0 }),
          Effect.timeout("30 seconds")
        )
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      }
      assert.strictEqual(asked(server, "tools/call"), 10)
    })
  )
})
