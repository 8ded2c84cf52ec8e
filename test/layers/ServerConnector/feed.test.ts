import { assert, describe, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { feed } from "../../../src/layers/ServerConnector/feed.ts"
import { makeLineReader } from "../../../src/layers/ServerConnector/framing.ts"
import { STREAM_TURN_MS } from "../../../src/schemas/Defaults.ts"

const busyFor = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const linesOf = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`)

describe("feed: one server's bytes, a turn at a time", () => {
  it("every line arrives once and in order, however often it is interrupted, the last one before the end", async () => {
    const lines: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      lines.push(line)
      busyFor(STREAM_TURN_MS / 2)
    }
    const reader = makeLineReader(1024, { onLine, onOversize: () => {} })
    const ended = new Promise<void>((resolve) => feed(stream, reader, resolve))
    stream.write(`${linesOf(10).join("\n")}\n`)
    stream.write(linesOf(5).join("\n"))
    stream.end("\nlast")
    await ended
    reader.end()
    assert.deepStrictEqual(lines, [...linesOf(10), ...linesOf(5), "last"])
  })

  it("the end comes after what was read last, also where that had to wait", async () => {
    const seen: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      seen.push(line)
      busyFor(STREAM_TURN_MS + 1)
    }
    const reader = makeLineReader(1024, { onLine, onOversize: () => {} })
    const ended = new Promise<void>((resolve) => feed(stream, reader, resolve))
    stream.end("a\nb\nc\nd")
    await ended
    reader.end()
    assert.deepStrictEqual(seen, ["a", "b", "c", "d"])
  })

  it("whoever takes long lets others have their turn between two lines of one chunk", async () => {
    const seen: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      if (seen.length === 0) setImmediate(() => seen.push("somebody else"))
      seen.push(line)
      busyFor(STREAM_TURN_MS + 1)
    }
    feed(stream, makeLineReader(1024, { onLine, onOversize: () => {} }))
    stream.write("a\nb\nc\n")
    while (!seen.includes("c")) await nextTurn()
    assert.isBelow(seen.indexOf("somebody else"), seen.indexOf("c"))
  })

  it("nothing more is read of a stream that was closed meanwhile", async () => {
    const lines: Array<string> = []
    const stream = new PassThrough()
    const onLine = (line: string) => {
      lines.push(line)
      busyFor(STREAM_TURN_MS + 1)
      stream.destroy()
    }
    feed(stream, makeLineReader(1024, { onLine, onOversize: () => {} }))
    stream.write("a\nb\n")
    while (!stream.destroyed) await nextTurn()
    await nextTurn()
    await nextTurn()
    assert.deepStrictEqual(lines, ["a"])
  })
})
