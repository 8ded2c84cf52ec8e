import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { PassThrough } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { makeMessageReader } from "../../../../../src/layers/connection/ServerConnector/http/bodies.ts"
import { feed, type FeedTurns } from "../../../../../src/layers/connection/ServerConnector/rpc/feed.ts"
import { JSON_UNSEEN_MAX } from "../../../../../src/schemas/defaults/Wire.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import { makeLongPlaces } from "../../../../../src/system/longPlaces.ts"

describe("feed: long messages of one server", () => {
  const ALLOWANCE = {
    spend: () => {},
    answered: () => {},
    isSpent: () => false,
    waitMs: () => 0,
    enqueue: (done: () => void) => done()
  }

  it("are read a limited number at a time, and short messages are not delayed", async () => {
    const longPlaces = Effect.runSync(Effect.scoped(makeLongPlaces({ eachMax: 1 })))
    const turns: FeedTurns = { large: makeEventLoop().large, allowance: ALLOWANCE, longPlaces }
    const read: Array<string> = []
    const begin = (name: string) => {
      const stream = new PassThrough({ highWaterMark: 1 })
      let bytes = 0
      const reader = makeMessageReader(() => read.push(name))
      const counted: typeof reader = {
        ...reader,
        push: (chunk) => {
          bytes += chunk.length
          return reader.push(chunk)
        }
      }
      feed(stream, counted, turns, () => reader.end())
      return { stream, bytes: () => bytes }
    }
    const pour = async (stream: PassThrough, chunks: number) => {
      for (let i = 0; i < chunks; i++) stream.write(Buffer.alloc(JSON_UNSEEN_MAX / 2, "x"))
      for (let i = 0; i < 200; i++) await nextTurn()
    }
    const [first, second, third] = [begin("first"), begin("second"), begin("third")]
    await pour(first.stream, 10)
    await pour(second.stream, 10)
    await pour(third.stream, 10)
    assert.strictEqual(first.bytes(), 5 * JSON_UNSEEN_MAX)
    assert.isAtMost(second.bytes(), 2 * JSON_UNSEEN_MAX, "it waits")
    const short = begin("short")
    short.stream.end("x")
    for (let i = 0; i < 200; i++) await nextTurn()
    assert.deepStrictEqual(read, ["short"])
    first.stream.destroy()
    second.stream.end()
    third.stream.end()
    while (read.length < 3) await nextTurn()
    assert.sameMembers(read, ["short", "second", "third"])
  })
})
