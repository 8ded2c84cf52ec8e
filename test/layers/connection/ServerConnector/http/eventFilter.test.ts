import { assert, describe, it } from "@effect/vitest"
import { eventsOf } from "../../../../../src/layers/connection/ServerConnector/http/boundedBody.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import {
  makeEventFilter,
  Marks,
  type MessageTaker
} from "../../../../../src/layers/connection/ServerConnector/http/eventFilter.ts"
import { EVENT_HELD_MAX_BYTES } from "../../../../../src/schemas/defaults/Wire.ts"

const encoder = new TextEncoder()

const takerOf = (taker: Partial<MessageTaker>): MessageTaker => ({
  awaits: (id) => id === 1,
  receive: () => {},
  keepsIds: true,
  marks: new Marks(),
  ...taker
})

/** What a transport gives back of what was passed to it, once it has it. */
const giveBack = (passed: string, taker: MessageTaker) => {
  for (const [, data] of passed.matchAll(/^data: (.+)\n\n/gm)) {
    const message: unknown = JSON.parse(data!)
    if (!taker.marks.hear(message)) taker.receive(message, 0)
  }
}

const isMark = ({ method }: { readonly method?: string }) => /^[\da-f]{8}-[-\da-f]{27}$/.test(method ?? "")

/** What is passed on of a stream that comes in pieces of this size, without marks, and what went to the peer by itself. */
const filtered = (stream: string, size = 7, keepsIds = true) => {
  const received: Array<unknown> = []
  const taker = takerOf({ receive: (message) => received.push(message), keepsIds })
  const filter = makeEventFilter(taker)
  const bytes = encoder.encode(stream)
  const passed: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += size) passed.push(filter.push(bytes.subarray(at, at + size)))
  passed.push(filter.end())
  const text = Buffer.concat(passed).toString().replace(/^\n/, "")
  const marks: Array<string> = []
  const plain = text.replaceAll(
    /^data: (\{"jsonrpc":"2\.0","method":"[-\da-f]{36}"\})\n\n/gm,
    (event, data: string) => {
      if (!isMark(JSON.parse(data))) return event
      marks.push(data)
      return ""
    }
  )
  for (const mark of marks) taker.marks.hear(JSON.parse(mark))
  return { received, passed: plain }
}

/** The order in which messages of a stream reach the peer, of a transport that reads when it likes. */
const ordered = (stream: string, size: number) => {
  const received: Array<unknown> = []
  const taker = takerOf({ receive: (message) => received.push(message) })
  const filter = makeEventFilter(taker)
  const bytes = encoder.encode(stream)
  let passed = ""
  for (let at = 0; at < bytes.length; at += size) {
    passed += Buffer.from(filter.push(bytes.subarray(at, at + size))).toString()
    // Now and then, and always with a delay.
    if (at % 3 === 0 && passed.endsWith("\n\n")) {
      giveBack(passed, taker)
      passed = ""
    }
  }
  giveBack(passed, taker)
  assert.isUndefined(filter.caughtUp())
  return received
}

const note = { jsonrpc: "2.0", method: "notifications/message", params: { data: "h\u00e9\u2028llo \u{1f600}" } }
const request = { jsonrpc: "2.0", id: 1, method: "ping" }
const answer = { jsonrpc: "2.0", id: 1, result: {} }
const event = (message: unknown, ...fields: ReadonlyArray<string>) =>
  [...fields, `data: ${JSON.stringify(message)}`, "", ""].join("\n")

const SIZES = [1, 2, 3, 64, 100_000]

describe("eventFilter", () => {
  for (const size of SIZES) {
    it(`in pieces of ${size}: messages go to the peer, answers that are waited for to the transport`, () => {
      const stream = event(note) + event(answer) + event(request, "event: message") + event(answer, ": remark", "id: 7")
      const { passed, received } = filtered(stream, size)
      assert.deepStrictEqual(received, [note, request])
      assert.strictEqual(passed, event(answer) + event(answer, ": remark", "id: 7"))
    })

    it(`in pieces of ${size}: a long event passes as it is, and what follows it does not`, () => {
      const long = event({ ...note, params: { data: "x".repeat(EVENT_HELD_MAX_BYTES) } })
      const { passed, received } = filtered(event(note) + long + event(request) + long + event(answer), size)
      assert.deepStrictEqual(received, [note, request])
      assert.strictEqual(passed, long + long + event(answer))
    })
  }

  const progress = (at: number, message = "") => ({ method: "notifications/progress", params: { at, message } })
  const long = progress(7, "x".repeat(EVENT_HELD_MAX_BYTES))

  for (const size of SIZES) {
    it(`in pieces of ${size}: all messages arrive in their order, whichever way they take`, () => {
      const messages = [
        [progress(1), progress(2), answer, progress(3), progress(4)],
        [answer, progress(1), answer, request, progress(2)],
        [progress(1), long, progress(2), answer, long, progress(3), progress(4)],
        [long, long, progress(1), answer, answer, progress(2)]
      ]
      for (const each of messages) {
        const stream = each.map((message) => event(message)).join("")
        assert.deepStrictEqual(ordered(stream, size), each)
        assert.deepStrictEqual(ordered(`\ufeff${stream}`, size), each)
      }
    })
  }

  it("the first event is as all others are, with and without the mark of its encoding", () => {
    for (const start of ["", "\ufeff", "\n", "\ufeff\n\n", ": remark\n"]) {
      for (const size of SIZES) {
        const { passed, received } = filtered(`${start}${event(note)}`, size)
        assert.deepStrictEqual(received, [note])
        assert.strictEqual(passed, "")
      }
    }
  })

  it("a mark of an encoding anywhere else is part of its line, also for the transport", () => {
    for (const size of SIZES) {
      for (const start of [event(note), "\n", "\ufeff"]) {
        const { passed, received } = filtered(`${start}\ufeff${event(answer)}`, size)
        assert.deepStrictEqual(received, start === event(note) ? [note] : [])
        assert.strictEqual(passed, "")
      }
    }
    const filter = makeEventFilter(takerOf({}))
    filter.push(encoder.encode(event(note)))
    const [first] = filter.push(encoder.encode(`\ufeff${event(long)}`))
    assert.strictEqual(first, 10)
  })

  it("a message behind one that passed waits; more is not read, and nothing is kept when nobody reads", async () => {
    const received: Array<unknown> = []
    const marks = new Marks()
    const taker = takerOf({ receive: (message) => received.push(message), marks })
    let asked = 0
    const pieces = [event(answer) + event(note), event(request), event(request)]
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces[asked++]
          if (piece === undefined) controller.close()
          else controller.enqueue(encoder.encode(piece))
        }
      },
      { highWaterMark: 0 }
    )
    const reader = eventsOf(body, makeEventLoop().allowance(), () => {}, taker).getReader()
    const first = Buffer.from((await reader.read()).value!).toString()
    const next = reader.read()
    await new Promise<void>((resolve) => void setImmediate(resolve))
    assert.deepStrictEqual([received, asked], [[], 1])
    giveBack(first.replace(event(answer), ""), taker)
    assert.deepStrictEqual(received, [note])
    assert.isTrue((await next).done)
    assert.deepStrictEqual(received, [note, request, request])
  })

  it("what waits is given up when the stream is cancelled", async () => {
    const received: Array<unknown> = []
    const marks = new Marks()
    const taker = takerOf({ receive: (message) => received.push(message), marks })
    const body = new Response(event(answer) + event(note)).body!
    const reader = eventsOf(body, makeEventLoop().allowance(), () => {}, taker).getReader()
    const first = Buffer.from((await reader.read()).value!).toString()
    const next = reader.read()
    await reader.cancel()
    assert.isTrue((await next).done)
    const mark = JSON.parse(first.replace(event(answer), "").trim().slice("data: ".length))
    assert.isTrue(isMark(mark))
    assert.isFalse(marks.hear(mark))
    assert.deepStrictEqual(received, [])
  })

  it("what is no message, and an answer to nothing, reach no parser behind", () => {
    const stray = { ...answer, id: 2 }
    const { passed, received } = filtered(`${event(stray)}data: rubbish\n\ndata: [1]\n\n: remark\n\n\n\n\n`)
    assert.strictEqual(passed, "")
    assert.deepStrictEqual(received, [stray])
  })

  it("events of other types pass as they are", () => {
    assert.strictEqual(filtered("event: endpoint\ndata: /here\n\n").passed, "event: endpoint\ndata: /here\n\n")
  })

  it("the transport learns of the id of each event, where it keeps account of them", () => {
    const stream = `${event(note, "id: 5", "retry: 20")}retry: 30\n\nid: 6\ndata:\n\n`
    assert.strictEqual(filtered(stream).passed, "id: 5\nretry: 20\ndata:\n\nretry: 30\n\nid: 6\ndata:\n\n")
    assert.strictEqual(filtered(stream, 7, false).passed, "")
  })

  it("data in several lines is one message, with or without blanks", () => {
    const { received } = filtered('data:{"method":\ndata\ndata: "x"}\n\n')
    assert.deepStrictEqual(received, [{ method: "x" }])
  })

  it("what has no end is passed on at the end of the stream", () => {
    assert.strictEqual(filtered("data: 1").passed, "data: 1")
  })

  it("of each event no more is held than the limit", () => {
    const filter = makeEventFilter(takerOf({}))
    let passed = 0
    for (let sent = 0; sent < 4 * EVENT_HELD_MAX_BYTES; sent += 1024) {
      passed += filter.push(encoder.encode("x".repeat(1024))).byteLength
      assert.isAtMost(sent + 1024 - passed, EVENT_HELD_MAX_BYTES)
    }
  })
})
