/** What a server over a WebSocket can make us do in one turn of the event loop. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import { GATEWAY_FRAME_MAX_BYTES, SOCKET_TURN_MAX_FRAMES } from "../../src/schemas/defaults/Gateway.ts"
import { frame, rawGateway } from "../support/webSocketFrames.ts"

const FRAMES = 21_000
const PING = 0x9
/** A piece may be handed on before and after our own look at the clock of turns. */
const IN_ONE_TURN = 2 * SOCKET_TURN_MAX_FRAMES

/** Counts what happens in each turn of the loop. */
const turnCounter = Effect.acquireRelease(
  Effect.sync(() => {
    const turns = [0]
    let immediate = setImmediate(function next() {
      if (turns.at(-1) !== 0) turns.push(0)
      immediate = setImmediate(next)
    })
    return {
      count: () => void turns.push(turns.pop()! + 1),
      most: () => Math.max(...turns),
      all: () => turns.reduce((sum, each) => sum + each, 0),
      stop: () => clearImmediate(immediate)
    }
  }),
  ({ stop }) => Effect.sync(stop)
)

const opened = (port: number, onControl = () => {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const url = new URL(`http://127.0.0.1:${port}`)
      return NetworkGuardLayer.make().openSocket({
        server: "the gateway",
        url: new URL(`ws://127.0.0.1:${port}`),
        own: [{ url, allowPrivate: true }],
        connectTimeoutMs: 15_000,
        maxBytes: GATEWAY_FRAME_MAX_BYTES,
        onControl
      })
    }),
    ({ close }) => Effect.promise(close)
  )

const LAST = frame("last")

describe("frames of a WebSocket", () => {
  it.live("are read a few in a turn, however many have arrived, and all of them", () =>
    Effect.gen(function* () {
      const turns = yield* turnCounter
      const { port } = yield* rawGateway(Buffer.concat([...Array.from({ length: FRAMES }, () => frame("{")), LAST]))
      const { socket } = yield* opened(port)
      yield* Effect.callback<void>((resume) => {
        socket.addEventListener("message", ({ data }) => {
          turns.count()
          if (data === "last") resume(Effect.void)
        })
      })
      assert.strictEqual(turns.all(), FRAMES + 1)
      assert.isAtMost(turns.most(), IN_ONE_TURN)
    }).pipe(Effect.scoped)
  )

  it.live("that are pings are reported, a few in each turn", () =>
    Effect.gen(function* () {
      const turns = yield* turnCounter
      const { port } = yield* rawGateway(
        Buffer.concat([...Array.from({ length: FRAMES }, () => frame("p", PING)), LAST])
      )
      const { socket } = yield* opened(port, turns.count)
      yield* Effect.callback<void>((resume) => socket.addEventListener("message", () => resume(Effect.void)))
      assert.strictEqual(turns.all(), FRAMES)
      assert.isAtMost(turns.most(), IN_ONE_TURN)
    }).pipe(Effect.scoped)
  )

  it.live("may be as large as a message may be", () =>
    Effect.gen(function* () {
      const { port } = yield* rawGateway(frame("x".repeat(GATEWAY_FRAME_MAX_BYTES)))
      const { socket } = yield* opened(port)
      const length = yield* Effect.callback<number>((resume) =>
        socket.addEventListener("message", ({ data }) => resume(Effect.succeed((data as string).length)))
      )
      assert.strictEqual(length, GATEWAY_FRAME_MAX_BYTES)
    }).pipe(Effect.scoped)
  )

  it.live("are never compressed: compression is not offered, and a peer that uses it is disconnected", () =>
    Effect.gen(function* () {
      const { heads, port } = yield* rawGateway(LAST, "sec-websocket-extensions: permessage-deflate\r\n")
      const { socket } = yield* opened(port)
      yield* Effect.callback<void>((resume) => {
        socket.addEventListener("message", () => resume(Effect.die("it was read")))
        socket.addEventListener("close", () => resume(Effect.void))
      })
      assert.notInclude(heads[0]!.toLowerCase(), "sec-websocket-extensions")
    }).pipe(Effect.scoped)
  )

  it.live("are no longer read after it is closed, whether or not the peer agrees", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* rawGateway(LAST)
      const { close, socket } = yield* opened(port)
      yield* Effect.callback<void>((resume) => socket.addEventListener("message", () => resume(Effect.void)))
      const gone = once(sockets[0]!, "close")
      yield* Effect.promise(close)
      yield* Effect.promise(() => gone)
    }).pipe(Effect.scoped)
  )
})
