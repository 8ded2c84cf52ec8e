import { assert, describe, it } from "@effect/vitest"
import { makeEventFilter } from "../../../src/layers/ServerConnector/eventFilter.ts"
import { EVENT_HELD_MAX_BYTES } from "../../../src/schemas/Defaults.ts"

const encoder = new TextEncoder()

/** What is passed on of a stream that comes in pieces of this size, and what went to the peer. */
const filtered = (stream: string, size = 7, keepsIds = true) => {
  const received: Array<unknown> = []
  const filter = makeEventFilter({ awaits: (id) => id === 1, receive: (message) => received.push(message), keepsIds })
  // The first event passes, whatever it is.
  const bytes = encoder.encode(`: first\n\n${stream}`)
  const passed: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += size) passed.push(filter.push(bytes.subarray(at, at + size)))
  passed.push(filter.end())
  return { received, passed: Buffer.concat(passed).toString().replace(": first\n\n", "") }
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
    const filter = makeEventFilter({ awaits: () => false, receive: () => {}, keepsIds: true })
    filter.push(encoder.encode(": first\n\n"))
    let passed = 0
    for (let sent = 0; sent < 4 * EVENT_HELD_MAX_BYTES; sent += 1024) {
      passed += filter.push(encoder.encode("x".repeat(1024))).byteLength
      assert.isAtMost(sent + 1024 - passed, EVENT_HELD_MAX_BYTES)
    }
  })
})
