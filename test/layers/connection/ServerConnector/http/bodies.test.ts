import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  beginningOf,
  BodyTooLarge,
  makeEventReader,
  makeMessageReader,
  readBody,
  type BodyReader,
  type Position
} from "../../../../../src/layers/connection/ServerConnector/http/bodies.ts"
import {
  HTTP_ERROR_BODY_MAX_BYTES,
  JSON_UNSEEN_MAX,
  MESSAGE_MAX_BYTES,
  STREAM_PIECE_MAX_BYTES,
  STREAM_TURN_MS
} from "../../../../../src/schemas/defaults/Wire.ts"
import type { FeedTurns } from "../../../../../src/layers/connection/ServerConnector/rpc/feed.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"

const encoder = new TextEncoder()
const MEGABYTE = 1024 * 1024
const long = (bytes: number) => "x".repeat(bytes)
const ALLOWANCE = {
  spend: () => {},
  answered: () => {},
  isSpent: () => false,
  waitMs: () => 0,
  enqueue: (done: () => void) => done()
}
const UNLIMITED: FeedTurns = { large: makeEventLoop().large, allowance: ALLOWANCE }

/** So many of the same, none of them in memory twice. */
function* times(count: number, ...pieces: ReadonlyArray<string>) {
  for (let i = 0; i < count; i++) yield* pieces
}

const bodyOf = (pieces: Iterable<string>) =>
  ReadableStream.from(
    (function* () {
      for (const piece of pieces) yield encoder.encode(piece)
    })()
  ) as unknown as NonNullable<Parameters<typeof readBody>[0]>

const read = (pieces: Iterable<string>, reader: BodyReader, turns = UNLIMITED) =>
  Effect.runPromise(Effect.result(readBody(bodyOf(pieces), reader, turns)))

/** The events of a stream that comes in pieces of this size, and where the stream stands then. */
const events = (stream: string, size = 7) => {
  const seen: Array<string> = []
  const position: Position = {}
  const reader = makeEventReader(position, (type, data) => seen.push(type === "message" ? data : `${type}: ${data}`))
  const bytes = encoder.encode(stream)
  for (let at = 0; at < bytes.length; at += size) reader.push(Buffer.from(bytes.subarray(at, at + size)))
  reader.end()
  return { seen, position }
}

const SIZES = [1, 2, 3, 64, 100_000]

describe("SSE events of a body", () => {
  it("fail for an id over the size limit, however it is split, and not for other long lines", async () => {
    const id = long(JSON_UNSEEN_MAX + STREAM_PIECE_MAX_BYTES)
    for (const [stream, ends] of [
      [`id: ${id}`, true],
      [`\ufeffid:${id}\n\n`, true],
      [`data: a\n\nid: ${id}\n\ndata: b\n\n`, true],
      [`id: short\ndata: ${id}\n\n`, false],
      [`: ${id}\n\ndata: b\n\n`, false],
      [`idle: ${id}\n\n`, false]
    ] as const) {
      for (const size of [1_000, 100_000]) {
        const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) =>
          stream.slice(i * size, (i + 1) * size)
        )
        const outcome = await read(
          pieces,
          makeEventReader({}, () => {})
        )
        assert.strictEqual(outcome._tag, ends ? "Failure" : "Success", `${stream.slice(0, 20)} by ${size}`)
        if (outcome._tag === "Failure") assert.instanceOf(outcome.failure, BodyTooLarge)
      }
    }
  })

  for (const size of SIZES) {
    it(`in pieces of ${size}: are parsed with any line ending, a byte order mark and multi-byte characters`, () => {
      const data = 'h\u00e9\u2028llo "\u{1f600}"'
      for (const start of ["", "\ufeff", "\n", ": remark\n"]) {
        for (const end of ["\n", "\r\n", "\r"]) {
          const stream = [
            `${start}data: ${data}`,
            "",
            "event: endpoint",
            "data:/here",
            "",
            "data: a",
            "data",
            "data:b",
            "",
            ""
          ]
          assert.deepStrictEqual(events(stream.join(end), size).seen, [data, "endpoint: /here", "a\n\nb"])
        }
      }
    })
  }

  it("keep a second byte order mark as part of the line", () => {
    assert.deepStrictEqual(events("\ufeff\ufeffdata: 1\n\ndata: 2\n\n").seen, ["2"])
  })

  it("are ignored without an end, without data, or with comments only", () => {
    assert.deepStrictEqual(events(": remark\n\n\n\nid: 4\n\ndata:\n\ndata: 1").seen, [])
  })

  it("set the position from their id and retry fields", () => {
    assert.deepStrictEqual(events("id: 5\nretry: 20\ndata: 1\n\n").position, { lastEventId: "5", retryMs: 20 })
    assert.deepStrictEqual(events("id: 5\ndata:\n\ndata: 1\n\n").position, { lastEventId: "5" })
    assert.deepStrictEqual(events("id: 5\ndata:\n\nid\ndata: 1\n\n").position, { lastEventId: undefined })
    assert.deepStrictEqual(events("id: 5\0\nretry: 1x\ndata: 1\n\n").position, {})
  })

  for (const [name, ending] of [
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"]
  ] as const) {
    it(`may be unlimited in number with ${name}, but each has a size limit`, async () => {
      const count = async (pieces: Iterable<string>) => {
        let seen = 0
        const outcome = await read(
          pieces,
          makeEventReader({}, () => void seen++)
        )
        return outcome._tag === "Success" ? seen : "too large"
      }
      assert.strictEqual(await count(times(20, `data: ${long(MEGABYTE)}`, ending, ending)), 20)
      assert.strictEqual(await count(times(20, `: ${long(MEGABYTE)}${ending}${ending}`)), 0)
      assert.strictEqual(await count(times(20, `data: ${long(MEGABYTE)}${ending}`)), "too large")
    })
  }

  it("are read up to the maximum message size", async () => {
    const lengths: Array<number> = []
    const data = MESSAGE_MAX_BYTES - "data: \n\n".length
    await read(
      ["data: ", ...times(data / 1000 - 1, long(1000)), long(data % 1000), "\n\n"],
      makeEventReader({}, (_, text) => lengths.push(text.length))
    )
    assert.lengthOf(lengths, 1)
    assert.isAbove(lengths[0]!, MESSAGE_MAX_BYTES - 2_000)
  })

  it("fail for an unfinished line over the size limit", async () => {
    for (const [length, fits] of [
      [MESSAGE_MAX_BYTES - 6, true],
      [MESSAGE_MAX_BYTES - 5, false]
    ] as const) {
      const outcome = await read(
        ["data: ", long(length)],
        makeEventReader({}, () => {})
      )
      assert.strictEqual(outcome._tag === "Success", fits)
    }
  })

  it("end at a blank line with any line ending, however it is split", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      for (const text of [`data: 1${end}${end}`, `: remark${end}${end}`]) {
        for (const cut of [text.length, ...Array.from({ length: end.length + 1 }, (_, i) => text.length - i - 1)]) {
          const reader = makeEventReader({}, () => {})
          reader.push(Buffer.from("data: 0\ndata: 1\r\n"))
          assert.isTrue(reader.isWithin())
          const isSeen = [text.slice(0, cut), text.slice(cut)].map((part) => {
            reader.push(Buffer.from(part))
            return !reader.isWithin()
          })
          assert.isTrue(isSeen.includes(true), JSON.stringify([text, cut]))
        }
      }
    }
  })

  it("count all bytes of their lines in the size limit", () => {
    const reader = makeEventReader({}, () => {})
    const lines = Buffer.from("data: x\n".repeat(MEGABYTE / 8))
    for (let i = 0; i < MESSAGE_MAX_BYTES / MEGABYTE; i++) reader.push(lines)
    assert.isUndefined(reader.failure())
    reader.push(lines)
    assert.instanceOf(reader.failure(), BodyTooLarge)
  })
})

describe("a body with one message", () => {
  it("is given as its text with all line breaks, without a byte order mark", async () => {
    const texts: Array<string> = []
    const reader = makeMessageReader((text) => texts.push(text))
    assert.strictEqual((await read(["\ufeff{", '\n"a": "', "h\u00e9", '"\r\n}'], reader))._tag, "Success")
    assert.deepStrictEqual(texts, ['{\n"a": "h\u00e9"\r\n}'])
  })

  it("fails over the maximum message size", async () => {
    for (const [megabytes, tag] of [
      [16, "Success"],
      [17, "Failure"]
    ] as const) {
      const reader = makeMessageReader(() => {})
      assert.strictEqual((await read(times(megabytes, long(MEGABYTE)), reader))._tag, tag)
    }
  })
})

describe("reading a body", () => {
  it("over the size limit stops at once, and is charged to the server's allowance", async () => {
    let [pulled, charged] = [0, 0]
    const pieces = (function* () {
      while (true) {
        pulled++
        yield long(MEGABYTE)
      }
    })()
    const outcome = await read(
      pieces,
      makeMessageReader(() => {}),
      { ...UNLIMITED, allowance: { ...ALLOWANCE, spend: (count: number) => void (charged += count) } }
    )
    assert.isTrue(outcome._tag === "Failure" && outcome.failure instanceof BodyTooLarge)
    assert.isAtMost(pulled, 20)
    assert.isAbove(charged, 200)
  })

  it("starts later when the server's allowance is used up", async () => {
    let isSpent = true
    let asked = 0
    const allowance = { ...ALLOWANCE, isSpent: () => isSpent, waitMs: () => (asked++, (isSpent = false), 0) }
    const texts: Array<string> = []
    await read(
      ["1"],
      makeMessageReader((text) => texts.push(text)),
      { ...UNLIMITED, allowance }
    )
    assert.deepStrictEqual([texts, asked], [["1"], 1])
  })

  it("gives small events in several turns of the event loop", async () => {
    let [inRow, most, seen] = [0, 0, 0]
    let isOver = false
    const somebodyElse = () => {
      inRow = 0
      if (!isOver) setImmediate(somebodyElse)
    }
    setImmediate(somebodyElse)
    const reader = makeEventReader({}, () => {
      seen++
      most = Math.max(most, ++inRow)
      const end = performance.now() + STREAM_TURN_MS / 500
      while (performance.now() < end);
    })
    await read(["data: {}\n\n".repeat(20_000)], reader)
    isOver = true
    assert.strictEqual(seen, 20_000)
    assert.isBelow(most, 5_000)
  })

  it("cancels the body when it is interrupted", async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encoder.encode(": x\n")),
      cancel: () => cancelled.resolve()
    }) as unknown as Parameters<typeof readBody>[0]
    const reader = makeEventReader({}, () => {})
    const fiber = Effect.runFork(readBody(body, reader, UNLIMITED))
    await new Promise<void>((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    await cancelled.promise
  })

  it("of an error response reads only the beginning", async () => {
    let pulled = 0
    const pieces = (function* () {
      while (true) {
        pulled++
        yield long(10_000)
      }
    })()
    assert.lengthOf(await beginningOf(bodyOf(pieces)), HTTP_ERROR_BODY_MAX_BYTES)
    assert.isAtMost(pulled, 10)
    assert.strictEqual(await beginningOf(null), "")
  })
})
