import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { connect } from "node:net"
import { listenOnLoopback } from "../../src/system/loopback.ts"

const OPTIONS = { port: 0, connectionsMax: 8, headMs: 60_000, receiveMs: 60_000 }

const opened = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("listening on the loopback", () => {
  it.live("is cut off who takes too long to say what it wants", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listenOnLoopback({ ...OPTIONS, headMs: 50 })
      server.on("request", () => assert.fail("nothing was asked"))
      const socket = yield* opened(port)
      socket.write("POST /mcp HTTP/1.1\r\nhost: a")
      yield* Effect.promise(() => once(socket.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("is cut off whose body does not come", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listenOnLoopback({ ...OPTIONS, headMs: 50, receiveMs: 100 })
      server.on("request", () => {})
      const socket = yield* opened(port)
      socket.write("POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nfive!")
      yield* Effect.promise(() => once(socket.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("connections beyond the bound are not kept", () =>
    Effect.gen(function* () {
      const { port } = yield* listenOnLoopback({ ...OPTIONS, connectionsMax: 1 })
      yield* opened(port)
      const second = yield* opened(port)
      yield* Effect.promise(() => once(second.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("a port that is taken is said to be, and connections end with the Scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(listenOnLoopback(OPTIONS), scope)
      const socket = yield* opened(port)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => once(socket.resume(), "close"))
      yield* listenOnLoopback({ ...OPTIONS, port })
      const { code } = yield* Effect.flip(listenOnLoopback({ ...OPTIONS, port }))
      assert.strictEqual(code, "EADDRINUSE")
    }).pipe(Effect.scoped)
  )
})
