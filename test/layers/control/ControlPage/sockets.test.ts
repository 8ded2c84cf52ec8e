/** The WebSockets of open pages: how long they stay, and what becomes of one that does not read. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { WebSocket } from "ws"
import { contextOf, makeSockets } from "../../../../src/layers/control/ControlPage/sockets.ts"
import { CONTROL_UNREAD_MAX_BYTES, CONTROL_UNREAD_MS } from "../../../../src/schemas/defaults/Control.ts"
import { PAGE_PING_MS } from "../../../../src/schemas/defaults/Page.ts"
import { Powers } from "../../../../src/schemas/control/Powers.ts"
import { makeConnection } from "../../../../src/system/control/connection.ts"
import { makeSharedRoom } from "../../../../src/system/sharedRoom.ts"
import { UnreadSockets } from "../../../../src/system/unreadSockets.ts"

interface Taken {
  readonly stream: Duplex
  readonly powers: string
}

interface Given {
  readonly autoPong?: boolean
  readonly onlyReading?: boolean
  readonly readOnly?: boolean
  readonly until?: number
  readonly isStillGood?: Effect.Effect<boolean>
}

const unlimited = () => {
  const room = makeSharedRoom({ eachMax: Infinity, inAllMax: Infinity, holders: 1 })
  return { room: room(), requests: room(), unread: new UnreadSockets(Infinity) }
}

/** Both ends of a socket. */
const pair = Effect.fnUntraced(function* ({
  autoPong = true,
  onlyReading = false,
  readOnly = false,
  until = Infinity,
  isStillGood
}: Given) {
  const taken: Array<Taken> = []
  const sockets = yield* makeSockets({
    take: (stream, context = Context.empty()) => taken.push({ stream, powers: Context.get(context, Powers) }),
    clock: yield* Clock.Clock,
    max: 16,
    checkMs: PAGE_PING_MS
  })
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = createServer().listen(0, "127.0.0.1")
      await once(made, "listening")
      return made
    }),
    (made) => Effect.sync(() => made.close())
  )
  server.on("upgrade", (incoming, socket, head) =>
    sockets.accept(incoming, socket, head, {
      id: "session",
      whose: "",
      until,
      isStillGood,
      context: contextOf(onlyReading, { readOnly })
    })
  )
  const theirs = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const { port } = server.address() as AddressInfo
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong }).on("error", () => {})
      await once(socket, "open")
      return socket
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )
  return { ...taken[0]!, theirs }
})

/** Lets the event loop turn, so that sockets work while the clock of the test stands still. */
const turns = Effect.promise(async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
})

const closed = (socket: WebSocket) => turns.pipe(Effect.repeat({ until: () => socket.readyState === WebSocket.CLOSED }))
const seen = (happened: () => boolean) => turns.pipe(Effect.repeat({ until: happened }))

describe("a page's WebSocket", () => {
  it.effect("stays as long as its browser answers", () =>
    Effect.gen(function* () {
      const { stream, theirs } = yield* pair({})
      for (let round = 1; round <= 5; round++) {
        const asked = once(theirs, "ping")
        yield* TestClock.adjust(PAGE_PING_MS)
        yield* Effect.promise(() => asked)
        // What comes after its answer has arrived, and so has that.
        const heard = once(stream, "data")
        theirs.send("after it")
        yield* Effect.promise(() => heard)
        assert.strictEqual(theirs.readyState, WebSocket.OPEN)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is closed when its browser has not answered by the next time", () =>
    Effect.gen(function* () {
      const { theirs } = yield* pair({ autoPong: false })
      const asked = once(theirs, "ping")
      yield* TestClock.adjust(PAGE_PING_MS)
      yield* Effect.promise(() => asked)
      assert.strictEqual(theirs.readyState, WebSocket.OPEN)
      yield* TestClock.adjust(PAGE_PING_MS)
      yield* closed(theirs)
    }).pipe(Effect.scoped)
  )

  it.effect("is closed when its session ends", () =>
    Effect.gen(function* () {
      const { theirs } = yield* pair({ until: PAGE_PING_MS })
      yield* TestClock.adjust(PAGE_PING_MS)
      yield* closed(theirs)
    }).pipe(Effect.scoped)
  )

  it.effect("is closed when its session is good no more", () =>
    Effect.gen(function* () {
      let isGood = true
      const { theirs } = yield* pair({ isStillGood: Effect.sync(() => isGood) })
      const answered = once(theirs, "ping")
      yield* TestClock.adjust(PAGE_PING_MS)
      yield* Effect.promise(() => answered)
      yield* turns
      assert.strictEqual(theirs.readyState, WebSocket.OPEN)
      isGood = false
      yield* TestClock.adjust(PAGE_PING_MS)
      yield* closed(theirs)
    }).pipe(Effect.scoped)
  )

  it.effect("has all powers only where gateway and session have them", () =>
    Effect.gen(function* () {
      const powersOf = (given: Given) => Effect.map(pair(given), ({ powers }) => powers)
      assert.strictEqual(yield* powersOf({}), "all")
      assert.strictEqual(yield* powersOf({ readOnly: true }), "read-only")
      assert.strictEqual(yield* powersOf({ onlyReading: true }), "read-only")
    }).pipe(Effect.scoped)
  )

  it.effect("that does not read is waited for, and closed in the end", () =>
    Effect.gen(function* () {
      const { stream, theirs } = yield* pair({})
      theirs.pause()
      const { send } = makeConnection(stream, unlimited())
      // More than the system keeps for both ends.
      const large = { _tag: "Chunk", requestId: "1", values: ["x".repeat(CONTROL_UNREAD_MAX_BYTES * 16)] } as const
      const sending = yield* Effect.forkChild(send(large), { startImmediately: true })
      yield* seen(() => stream.writableLength > CONTROL_UNREAD_MAX_BYTES)
      yield* turns
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust(CONTROL_UNREAD_MS)
      yield* Fiber.join(sending)
      assert.isTrue(stream.destroyed)
    }).pipe(Effect.scoped)
  )

  it.effect("that reads slowly gets everything, each message as one text frame", () =>
    Effect.gen(function* () {
      const { stream, theirs } = yield* pair({})
      const { send } = makeConnection(stream, unlimited())
      const got: Array<{ readonly isText: boolean; readonly value: unknown }> = []
      theirs.on("message", (data: Buffer, isBinary) =>
        got.push({ isText: !isBinary, value: JSON.parse(data.toString()) })
      )
      theirs.pause()
      const messages = ["1", "2", "3"].map(
        (requestId) => ({ _tag: "Chunk", requestId, values: ["x".repeat(CONTROL_UNREAD_MAX_BYTES)] }) as const
      )
      const sending = yield* Effect.forkChild(Effect.forEach(messages, send), { startImmediately: true })
      yield* turns
      theirs.resume()
      yield* Fiber.join(sending)
      yield* seen(() => got.length === 3)
      assert.deepStrictEqual(
        got,
        messages.map((value) => ({ isText: true, value }))
      )
    }).pipe(Effect.scoped)
  )
})
