import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { feed } from "../../../../../src/layers/connection/ServerConnector/rpc/feed.ts"
import { makeLineReader } from "../../../../../src/layers/connection/ServerConnector/stdio/framing.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import { JSON_UNSEEN_MAX, STREAM_SKIP_MS, STREAM_TURN_MS } from "../../../../../src/schemas/defaults/Wire.ts"

const busyFor = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const { large } = makeEventLoop()
const withoutLimit = {
  spend: () => {},
  answered: () => {},
  isSpent: () => false,
  waitMs: () => 0,
  enqueue: (done: () => void) => done()
}

const linesOf = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe("feed: one server's bytes, a turn at a time", () => {
  it("delivers every line once and in order, across interruptions", async () => {
    const lines: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      lines.push(line)
      busyFor(STREAM_TURN_MS / 2)
    }
    const reader = makeLineReader(1024, { onLine, onOversize: () => {} })
    const ended = new Promise<void>((resolve) => feed(stream, reader, { large, allowance: withoutLimit }, resolve))
    stream.write(`${linesOf(10).join("\n")}\n`)
    stream.write(linesOf(5).join("\n"))
    stream.end("\nlast")
    await ended
    reader.end()
    assert.deepStrictEqual(lines, [...linesOf(10), ...linesOf(5), "last"])
  })

  it("ends after the last line, also when that had to wait", async () => {
    const seen: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      seen.push(line)
      busyFor(STREAM_TURN_MS + 1)
    }
    const reader = makeLineReader(1024, { onLine, onOversize: () => {} })
    const ended = new Promise<void>((resolve) => feed(stream, reader, { large, allowance: withoutLimit }, resolve))
    stream.end("a\nb\nc\nd")
    await ended
    reader.end()
    assert.deepStrictEqual(seen, ["a", "b", "c", "d"])
  })

  it("yields to other work between lines of one chunk", async () => {
    const seen: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      if (seen.length === 0) setImmediate(() => seen.push("somebody else"))
      seen.push(line)
      busyFor(STREAM_TURN_MS + 1)
    }
    feed(stream, makeLineReader(1024, { onLine, onOversize: () => {} }), {
      large,
      allowance: makeEventLoop().allowance()
    })
    stream.write("a\nb\nc\n")
    while (!seen.includes("c")) await nextTurn()
    assert.isBelow(seen.indexOf("somebody else"), seen.indexOf("c"))
  })

  it("ends at most one long message per turn when streams end", async () => {
    const ends: Array<number> = []
    let turn = 0
    const streams = ["a", "b", "c"].map((name) => {
      const stream = new PassThrough()
      const reader = makeLineReader(4 * JSON_UNSEEN_MAX, { onLine: () => {}, onOversize: () => {} })
      feed(stream, reader, { large, allowance: withoutLimit }, () => ends.push(turn))
      for (let left = 3; left > 0; left--) stream.write(name.repeat(JSON_UNSEEN_MAX))
      return stream
    })
    while (streams.some(({ readableLength }) => readableLength > 0)) await nextTurn()
    for (let turns = 0; turns < 20; turns++) await nextTurn()
    for (const stream of streams) stream.end()
    while (ends.length < streams.length) {
      await nextTurn()
      turn++
    }
    assert.lengthOf(new Set(ends), streams.length, ends.join())
  })

  it("ends at most one long line per turn", async () => {
    const ends: Array<number> = []
    let turn = 0
    const pieces = 3
    const streams = ["a", "b", "c"].map((name) => {
      const stream = new PassThrough()
      feed(stream, makeLineReader(4 * JSON_UNSEEN_MAX, { onLine: () => ends.push(turn), onOversize: () => {} }), {
        large,
        allowance: makeEventLoop().allowance()
      })
      for (let left = pieces; left > 0; left--) stream.write(name.repeat(JSON_UNSEEN_MAX))
      return stream
    })
    for (const stream of streams) stream.write("\n")
    while (ends.length < streams.length) {
      await nextTurn()
      turn++
    }
    assert.lengthOf(new Set(ends), streams.length, ends.join())
  })

  it("charges every part of a line that is too long", async () => {
    const spends: Array<number> = []
    const allowance = { ...withoutLimit, spend: (count: number) => void spends.push(count) }
    const stream = new PassThrough()
    feed(stream, makeLineReader(8, { onLine: () => {}, onOversize: () => {} }), { large, allowance })
    const partsAfter = async (text: string) => {
      stream.write(text)
      await nextTurn()
      return spends.splice(0).map((count) => count >= STREAM_SKIP_MS)
    }
    assert.deepStrictEqual(await partsAfter("1234"), [])
    assert.deepStrictEqual(await partsAfter("567890"), [true])
    assert.deepStrictEqual(await partsAfter("more"), [true])
    assert.lengthOf(await partsAfter("\n"), 1)
  })

  it("drains a finished stream without an allowance", async () => {
    const lines: Array<string> = []
    const stream = new PassThrough()
    const allowance = { ...withoutLimit, isSpent: () => true, waitMs: () => 3_600_000 }
    const reader = makeLineReader(1024, { onLine: (line) => lines.push(line), onOversize: () => {} })
    let onEnd = () => {}
    const ended = new Promise<void>((resolve) => (onEnd = resolve))
    const fed = feed(stream, reader, { large, allowance }, () => onEnd())
    stream.end(`${linesOf(3).join("\n")}\n`)
    await nextTurn()
    assert.isTrue(fed.hasMore())
    fed.drain()
    await ended
    assert.deepStrictEqual(lines, linesOf(3))
  })

  it("pauses a stream whose allowance is used up", async () => {
    const lines: Array<string> = []
    let isSpent = true
    const stream = new PassThrough({ highWaterMark: 16 })
    const reader = makeLineReader(1024, { onLine: (line) => lines.push(line), onOversize: () => {} })
    const waits: Array<() => void> = []
    const allowance = {
      ...withoutLimit,
      isSpent: () => isSpent,
      // Asked when it has to wait: from then on there is some again.
      waitMs: () => {
        waits.push(() => (isSpent = false))
        return 1
      }
    }
    feed(stream, reader, { large, allowance })
    stream.write("a\n")
    while (waits.length === 0) await nextTurn()
    assert.deepStrictEqual(lines, ["a"])
    assert.isTrue(stream.isPaused())
    const taken = Array.from({ length: 20 }, () => stream.write("b b b b b b b\n"))
    assert.isFalse(taken.at(-1), "whoever writes is told to wait")
    assert.isAtMost(lines.length, 1 + waits.length)
    while (lines.length < 21) {
      for (const wait of waits) wait()
      await nextTurn()
    }
    assert.isFalse(stream.isPaused())
  })

  it("reads a long response without pauses", async () => {
    const lines: Array<number> = []
    const stream = new PassThrough()
    const reader = makeLineReader(1e6, { onLine: (line) => lines.push(line.length), onOversize: () => {} })
    const waits: Array<string> = []
    const waitMs = () => {
      waits.push(lines.join())
      return 0
    }
    feed(stream, reader, { large, allowance: { ...withoutLimit, isSpent: () => true, waitMs } })
    for (let piece = 0; piece < 100; piece++) {
      stream.write("x".repeat(1000))
      await nextTurn()
    }
    stream.write("\n")
    while (lines.length === 0) await nextTurn()
    assert.deepStrictEqual(waits, ["100000"])
  })

  it("stops after the stream was destroyed", async () => {
    const lines: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      lines.push(line)
      busyFor(STREAM_TURN_MS + 1)
      stream.destroy()
    }
    feed(stream, makeLineReader(1024, { onLine, onOversize: () => {} }), {
      large,
      allowance: makeEventLoop().allowance()
    })
    stream.write("a\nb\n")
    while (!stream.destroyed) await nextTurn()
    await nextTurn()
    await nextTurn()
    assert.deepStrictEqual(lines, ["a"])
  })
})
