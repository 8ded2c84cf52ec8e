import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { makeMessageReader } from "../../../../../src/layers/connection/ServerConnector/http/bodies.ts"
import { feed, type FeedTurns } from "../../../../../src/layers/connection/ServerConnector/rpc/feed.ts"
import { makeLongPlaces } from "../../../../../src/layers/connection/ServerConnector/rpc/longPlaces.ts"
import { JSON_UNSEEN_MAX } from "../../../../../src/schemas/defaults/Wire.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"

describe("places for long messages", () => {
  it("are given in order, one to each stream, and given back once", () => {
    const { hold, ofStream } = makeLongPlaces(1)
    const [a, b, c] = [ofStream(), ofStream(), ofStream()]
    const seen: Array<string> = []
    a.take(() => seen.push("a"))
    a.take(() => seen.push("a again"))
    b.take(() => seen.push("b"))
    c.take(() => seen.push("c"))
    assert.deepStrictEqual(seen, ["a", "a again"])
    b.giveBack()
    a.giveBack()
    a.giveBack()
    assert.deepStrictEqual(seen, ["a", "a again", "c"], "whoever is gone does not wait")
    b.take(() => seen.push("b"))
    c.giveBack()
    assert.deepStrictEqual(seen, ["a", "a again", "c", "b"])
    const [first, second] = [hold(), hold()]
    b.giveBack()
    a.take(() => seen.push("behind two answers"))
    first()
    assert.notInclude(seen, "behind two answers")
    second()
    assert.include(seen, "behind two answers")
    b.take(() => seen.push("what is left of b"))
    assert.notInclude(seen, "what is left of b")
    b.end()
    assert.include(seen, "what is left of b")
    b.take(() => seen.push("and its end"))
    assert.include(seen, "and its end")
  })
})

describe("feed: long messages of one server", () => {
  const ALLOWANCE = {
    spend: () => {},
    answered: () => {},
    isSpent: () => false,
    waitMs: () => 0,
    enqueue: (done: () => void) => done()
  }

  it("are read so many at a time; one that is over, or broken off, lets the next one in, and short ones pass", async () => {
    const turns: FeedTurns = { large: makeEventLoop().large, allowance: ALLOWANCE, longPlaces: makeLongPlaces(1) }
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
