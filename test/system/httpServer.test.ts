import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { CONNECTIONS_FRESH_SHARE } from "../../src/schemas/defaults/Listener.ts"
import { Places } from "../../src/system/connectionPlaces.ts"
import { listenAt, LOOPBACK } from "../../src/system/httpServer.ts"

/** On loopback, with places of its own. */
const listenOnLoopback = ({ connectionsMax, ...options }: typeof OPTIONS) => {
  const places = new Places(connectionsMax)
  return Effect.map(listenAt({ ...options, address: LOOPBACK, places }), (listening) => ({ ...listening, places }))
}

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

describe("HTTP connections on loopback", () => {
  it.live("are closed when the request head takes too long", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listenOnLoopback({ ...OPTIONS, headMs: 50 })
      server.on("request", () => assert.fail("nothing was asked"))
      const socket = yield* opened(port)
      socket.write("POST /mcp HTTP/1.1\r\nhost: a")
      yield* Effect.promise(() => once(socket.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("are closed when the request body does not arrive", () =>
    Effect.gen(function* () {
      const { port, server } = yield* listenOnLoopback({ ...OPTIONS, headMs: 50, receiveMs: 100 })
      server.on("request", () => {})
      const socket = yield* opened(port)
      socket.write("POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nfive!")
      yield* Effect.promise(() => once(socket.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("close the oldest unadmitted connection when there are too many", () =>
    Effect.gen(function* () {
      const { port } = yield* listenOnLoopback({ ...OPTIONS, connectionsMax: 1 })
      const first = yield* opened(port)
      // Those that have just come have more places than others.
      for (let more = 0; more < CONNECTIONS_FRESH_SHARE; more++) yield* opened(port)
      yield* Effect.promise(() => once(first.resume(), "close"))
    }).pipe(Effect.scoped)
  )

  it.live("keep an admitted place while it is used, and give an unused one to the next client", () =>
    Effect.gen(function* () {
      const { places, port, server } = yield* listenOnLoopback({ ...OPTIONS, connectionsMax: 1 })
      const held: Array<ServerResponse> = []
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        if (!places.admit(request, response, "me")) return response.writeHead(503).end()
        response.writeHead(200)
        if (request.url !== "/hold") return response.end()
        response.flushHeaders()
        return held.push(response)
      })
      const asks = (socket: Socket, path: string) =>
        Effect.promise(async () => {
          socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
          const [head] = (await once(socket, "data")) as [Buffer]
          return head.toString("latin1", 9, 12)
        })
      const second = yield* opened(port)
      assert.strictEqual(yield* asks(second, "/hold"), "200")
      // Newcomers have a place beside.
      const third = yield* opened(port)
      assert.strictEqual(yield* asks(third, "/"), "503")
      const ended = once(second, "data")
      held[0]!.end()
      yield* Effect.promise(() => ended)
      const closed = once(second, "close")
      assert.strictEqual(yield* asks(third, "/"), "200")
      yield* Effect.promise(() => closed)
    }).pipe(Effect.scoped)
  )

  it.live("take a place from the client that holds all of them for a client that has none", () =>
    Effect.gen(function* () {
      const { places, port, server } = yield* listenOnLoopback({ ...OPTIONS, connectionsMax: 2 })
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        if (!places.admit(request, response, request.url!)) return response.writeHead(503).end()
        response.writeHead(200)
        return response.flushHeaders()
      })
      const asks = (socket: Socket, whose: string) =>
        Effect.promise(async () => {
          socket.write(`GET /${whose} HTTP/1.1\r\nhost: a\r\n\r\n`)
          const [head] = (await once(socket, "data")) as [Buffer]
          return head.toString("latin1", 9, 12)
        })
      const first = yield* opened(port)
      assert.strictEqual(yield* asks(first, "rich"), "200")
      assert.strictEqual(yield* asks(yield* opened(port), "rich"), "200")
      assert.strictEqual(yield* asks(yield* opened(port), "rich"), "503")
      const closed = once(first, "close")
      assert.strictEqual(yield* asks(yield* opened(port), "poor"), "200")
      yield* Effect.promise(() => closed)
      assert.strictEqual(yield* asks(yield* opened(port), "rich"), "503")
    }).pipe(Effect.scoped)
  )

  it.live("are closed when a client sends request after request without reading the answers", () =>
    Effect.gen(function* () {
      const { places, port, server } = yield* listenOnLoopback(OPTIONS)
      let begun = 0
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        if (places.admit(request, response, "me")) begun++
      })
      const socket = yield* opened(port)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n".repeat(50))
      yield* Effect.promise(() => once(socket.resume(), "close"))
      assert.strictEqual(begun, 2)
    }).pipe(Effect.scoped)
  )

  it.live("end with the Scope, and a port in use fails with EADDRINUSE", () =>
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
