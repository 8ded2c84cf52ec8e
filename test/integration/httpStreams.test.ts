import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerConnector } from "../../src/services/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const echo = { text: "hi" }

describe("HTTP: events as the standard has them", () => {
  for (const kind of ["cr", "crlf", "bom", "no-space", "lines", "retry", "id-with-nul", "unknown", "split"]) {
    scenario(
      `${kind}: the answer is read`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`events:${kind}`)
        const connection = yield* open(httpConfig(url))
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "h\u00E9")
      })
    )
  }

  scenario(
    "many of them on one stream, more than one message may have",
    Effect.gen(function* () {
      const { url } = yield* httpServer("many-events:20")
      const connection = yield* open(httpConfig(url))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )
})

describe("HTTP: encodings", () => {
  for (const kind of ["br", "deflate", "twice"]) {
    scenario(
      `${kind}: is decoded`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}`)
        const connection = yield* open(httpConfig(url))
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
      })
    )

    scenario(
      `${kind}: a bomb is too large`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}:60`)
        const connection = yield* open(httpConfig(url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.strictEqual(error._tag, "MessageTooLarge")
      })
    )
  }

  for (const kind of ["wrong", "cut"]) {
    scenario(
      `${kind}: the call fails at once, and the next one does not`,
      Effect.gen(function* () {
        const { url } = yield* httpServer(`encoded:${kind}`)
        const connection = yield* open(httpConfig(url))
        const error = yield* Effect.flip(callTool(connection, "echo", echo))
        assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
        assert.isTrue(yield* connection.ping)
      })
    )
  }
})

describe("HTTP: answers that never come to an end", () => {
  const rows: ReadonlyArray<readonly [name: string, tags: ReadonlyArray<string>]> = [
    ["endless-headers", ["ConnectionLost"]],
    ["slow-headers", ["CallTimeout"]],
    ["short-length", ["ConnectionLost"]],
    ["long-length", ["ConnectionLost", "ProtocolError"]],
    ["event-flood", ["CallTimeout"]]
  ]
  for (const [name, tags] of rows) {
    scenario(
      `${name} costs its call, in time, and nothing else`,
      Effect.gen(function* () {
        const server = yield* httpServer(`${name}:tools/call:1`)
        const connection = yield* open(httpConfig(server.url))
        const error = yield* Effect.flip(
          callTool(connection, "echo", echo, tags.includes("CallTimeout") ? 1_500 : 30_000)
        )
        assert.include(tags, error._tag)
        assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
        const first = server.requests.find(({ method }) => method === "tools/call")
        yield* server.connections.pipe(
          Effect.repeat({ until: () => first?.connected() === false }),
          Effect.timeout("5 seconds")
        )
      })
    )
  }
})
