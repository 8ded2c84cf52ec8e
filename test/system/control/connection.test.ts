/** One connection of a command, over a pair of sockets: what becomes of one that does not read. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { createConnection, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { makeConnection } from "../../../src/system/control/connection.ts"
import { CONTROL_UNREAD_MAX_BYTES, CONTROL_UNREAD_MS } from "../../../src/schemas/defaults/Control.ts"
import { makeSharedRoom } from "../../../src/system/sharedRoom.ts"
import { UnreadSockets } from "../../../src/system/unreadSockets.ts"
import { inFolder } from "../../support/folder.ts"

const room = makeSharedRoom({ eachMax: Infinity, inAllMax: Infinity, holders: 1 })
const shared = () => ({ room: room(), requests: room(), unread: new UnreadSockets(Infinity) })

/** Both ends of a connection. The other end reads nothing by itself. */
const pair = Effect.gen(function* () {
  const path = join(yield* inFolder, "s")
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer({ pauseOnConnect: true }).listen(path)
      await once(server, "listening")
      const theirs = createConnection({ path }).pause()
      const [ours] = (await once(server, "connection")) as [Socket]
      return { server, ours, theirs }
    }),
    ({ ours, server, theirs }) =>
      Effect.sync(() => {
        for (const socket of [ours, theirs]) socket.destroy()
        server.close()
      })
  )
})

const large = { _tag: "Chunk", requestId: "1", values: ["x".repeat(CONTROL_UNREAD_MAX_BYTES * 2)] } as const

/** Lets the event loop turn, so that sockets work while the clock of the test stands still. */
const turns = Effect.promise(async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
})

describe.skipIf(process.platform === "win32")("a connection of a command", () => {
  it.effect("that does not read is waited for, and closed in the end", () =>
    Effect.gen(function* () {
      const { ours } = yield* pair
      const { send } = makeConnection(ours, shared())
      const sending = yield* Effect.forkChild(send(large), { startImmediately: true })
      yield* turns
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust(CONTROL_UNREAD_MS - 1)
      assert.isFalse(ours.destroyed)
      yield* TestClock.adjust(1)
      yield* Fiber.join(sending)
      assert.isTrue(ours.destroyed)
      // And nothing waits for it any more.
      yield* send(large)
    }).pipe(Effect.scoped)
  )

  it.effect("that reads slowly gets everything", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { send } = makeConnection(ours, shared())
      const sending = yield* Effect.forkChild(send(large), { startImmediately: true })
      yield* turns
      let bytes = 0
      theirs.on("data", (piece: Buffer) => (bytes += piece.length)).resume()
      yield* Fiber.join(sending)
      yield* turns.pipe(Effect.repeat({ until: () => bytes > CONTROL_UNREAD_MAX_BYTES * 2 }))
      assert.isFalse(ours.destroyed)
    }).pipe(Effect.scoped)
  )

  it.effect("that does not read has one long answer waiting as text, however many it asked for", () =>
    Effect.gen(function* () {
      const { ours } = yield* pair
      const { send } = makeConnection(ours, shared())
      const sending = yield* Effect.forkChild(Effect.all([send(large), send(large), send(large)], { concurrency: 3 }), {
        startImmediately: true
      })
      yield* turns
      assert.isAtMost(ours.writableLength, CONTROL_UNREAD_MAX_BYTES * 3)
      ours.destroy()
      yield* Fiber.join(sending)
    }).pipe(Effect.scoped)
  )

  it.effect("that sends many messages at once gets a turn of the event loop for each", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { receiveAll } = makeConnection(ours, shared())
      let [turn, isOver] = [0, false]
      const seen: Array<number> = []
      const count = () => {
        turn++
        if (!isOver) setImmediate(count)
      }
      count()
      theirs.end(`${JSON.stringify({ _tag: "Ping" })}\n`.repeat(20))
      yield* receiveAll(() => Effect.sync(() => void seen.push(turn)))
      isOver = true
      assert.lengthOf(seen, 20)
      assert.strictEqual(new Set(seen).size, 20)
    }).pipe(Effect.scoped)
  )

  it.effect("that has not read for longest is closed when others have too much unread, and nothing else is", () =>
    Effect.gen(function* () {
      const [first, second, third] = [yield* pair, yield* pair, yield* pair]
      const unread = new UnreadSockets(CONTROL_UNREAD_MAX_BYTES * 5)
      const sendTo = ({ ours }: { readonly ours: Socket }) =>
        Effect.forkChild(makeConnection(ours, { ...shared(), unread }).send(large), { startImmediately: true })
      yield* sendTo(first)
      yield* sendTo(second)
      assert.isFalse(first.ours.destroyed)
      const last = yield* sendTo(third)
      assert.deepStrictEqual(
        [first, second, third].map(({ ours }) => ours.destroyed),
        [true, false, false]
      )
      third.theirs.resume()
      yield* Fiber.join(last)
      assert.isFalse(second.ours.destroyed)
    }).pipe(Effect.scoped)
  )
})
