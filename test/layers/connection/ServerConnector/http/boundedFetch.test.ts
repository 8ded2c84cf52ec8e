import { assert, describe, it } from "@effect/vitest"
import { Response as UndiciResponse } from "undici"
import { BodyTooDeep } from "../../../../../src/layers/connection/ServerConnector/http/boundedBody.ts"
import {
  BadSessionId,
  makeBoundedFetch,
  Refused
} from "../../../../../src/layers/connection/ServerConnector/http/boundedFetch.ts"
import {
  HTTP_ERROR_BODY_MAX_BYTES,
  JSON_MAX_DEPTH,
  JSON_UNSEEN_MAX,
  MESSAGE_MAX_BYTES,
  STREAM_TURN_MS
} from "../../../../../src/schemas/defaults/Wire.ts"

type Pieces = Iterable<string | Uint8Array>

interface Given {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces?: Pieces
  readonly answersInResponse?: boolean
  readonly onUnusable?: (id: number, why: Error) => void
}

const encoder = new TextEncoder()

/** A fetch whose server answers everything like this. */
const answered = ({ answersInResponse = true, headers = {}, onUnusable, pieces = [], status = 200 }: Given) => {
  const body = ReadableStream.from(
    (function* () {
      for (const piece of pieces) yield typeof piece === "string" ? encoder.encode(piece) : piece
    })()
  )
  const door = {
    fetch: async () => new UndiciResponse(body as never, { status, headers }),
    close: async () => {}
  }
  const allowance = {
    spend: () => {},
    answered: () => {},
    isSpent: () => false,
    waitMs: () => 0,
    enqueue: (done: () => void) => done()
  }
  return makeBoundedFetch({ door, answersInResponse, takenMs: 1_000, onListenEnd: () => {}, onUnusable, allowance })
    .fetch
}

const REQUEST = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x" }) }
const EVENTS = { "content-type": "text/event-stream" }

const readsAll = async (pieces: Pieces): Promise<boolean> => {
  const response = await answered({ headers: EVENTS, pieces })("http://127.0.0.1/", REQUEST)
  return response.text().then(
    () => true,
    () => false
  )
}

const MEGABYTE = 1024 * 1024
const long = (bytes: number) => "x".repeat(bytes)
/** So many of the same, none of them in memory twice. */
function* times(count: number, ...pieces: ReadonlyArray<string>) {
  for (let i = 0; i < count; i++) yield* pieces
}

describe("boundedFetch: events", () => {
  for (const [name, ending] of [
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"]
  ] as const) {
    it(`may go on for ever, each ended by ${name}`, async () => {
      assert.isTrue(await readsAll(times(40, `data: ${long(MEGABYTE)}`, ending, ending)))
      assert.isTrue(await readsAll(times(40, `data: ${long(MEGABYTE)}${ending}${ending}`)))
    })

    it(`one that is too long is not, in lines of ${name}`, async () => {
      assert.isFalse(await readsAll(times(40, `data: ${long(MEGABYTE)}${ending}`)))
    })
  }

  it("whose answer was too long is told", async () => {
    const told: Array<number> = []
    const fetch = answered({ headers: EVENTS, pieces: times(40, long(MEGABYTE)), onUnusable: (id) => told.push(id) })
    const response = await fetch("http://127.0.0.1/", { ...REQUEST, body: REQUEST.body.replace('"id":1', '"id":27') })
    await response.text().catch(() => {})
    assert.deepStrictEqual(told, [27])
  })

  it("CR and LF in two pieces are one line's end, and no empty line", async () => {
    assert.isFalse(await readsAll(times(40, `data: ${long(MEGABYTE)}\r`, "\n")))
    assert.isTrue(await readsAll(times(40, `data: ${long(MEGABYTE)}\r`, "\n\r", "\n")))
  })

  it("every kind of line is one with LF, however it is cut", async () => {
    const text = "a\r\n\r\nb\rc\n\rd\r\r\n\ne\r"
    const plain = "a\n\nb\nc\n\nd\n\n\ne\n"
    for (const size of [1, 2, 3, 5, 100]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, i * size + size)
      )
      const response = await answered({ headers: EVENTS, pieces })("http://127.0.0.1/", REQUEST)
      assert.strictEqual(await response.text(), plain, `${size}`)
    }
  })

  it("a line that never ends has an end", async () => {
    assert.isTrue(await readsAll(["data: ", long(MESSAGE_MAX_BYTES - 6)]))
    assert.isFalse(await readsAll(["data: ", long(MESSAGE_MAX_BYTES - 5)]))
  })
})

describe("boundedFetch: refusals", () => {
  const caught = (given: Given, init: RequestInit = REQUEST) =>
    answered(given)("http://127.0.0.1/", init).then(
      (response) => response,
      (error: unknown) => error
    )

  it("429 and 503 keep the time that the server asks for, and as much of its words as is read", async () => {
    for (const status of [429, 503]) {
      const error = await caught({ status, headers: { "retry-after": "7" }, pieces: times(100, long(10_000)) })
      assert.instanceOf(error, Refused)
      assert.include(error, { status, retryAfterMs: 7_000 })
      assert.strictEqual((error as Refused).data.text.length, HTTP_ERROR_BODY_MAX_BYTES)
    }
  })

  it("the others are for the transport to judge, which knows how to log in", async () => {
    for (const status of [400, 401, 403, 404, 500]) assert.instanceOf(await caught({ status }), Response)
  })

  it("that of SSE loses every status: none is left to it", async () => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      assert.include(await caught({ status, answersInResponse: false }), { status })
      assert.instanceOf(await caught({ status, answersInResponse: false }), Refused)
    }
  })

  it("a stream that is asked for and refused is the transport's", async () => {
    assert.instanceOf(await caught({ status: 429 }, { method: "GET" }), Response)
  })

  it("a session id is visible ASCII, and not too long", async () => {
    for (const [id, fits] of [
      ["a", true],
      ["!~", true],
      [long(1024), true],
      [long(1025), false],
      ["a b", false],
      ["caf\u00E9", false],
      ["", false]
    ] as const) {
      const outcome = await caught({ headers: { "mcp-session-id": id } })
      assert.strictEqual(outcome instanceof BadSessionId, !fits, JSON.stringify(id.slice(0, 10)))
    }
  })
})

describe("boundedFetch: what is not worth parsing", () => {
  const JSON_TYPE = { "content-type": "application/json" }
  const deep = `${"[".repeat(JSON_MAX_DEPTH + 1)}${"]".repeat(JSON_MAX_DEPTH + 1)}`
  const fine = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: `["\\${"[".repeat(1_000)}` } })
  const outcome = async (given: Given, request: RequestInit = REQUEST) => {
    const response = await answered(given)("http://127.0.0.1/", request)
    return response.text().then(
      () => "read",
      (error: unknown) => (error instanceof BodyTooDeep ? "too deep" : "failed")
    )
  }

  /** A text that is too long to be parsed unseen, and so begins with this. */
  const LONG = `{"a":"${long(JSON_UNSEEN_MAX)}","b":`

  it("is a body that is nested too deep or holds too much, before all of it was read", async () => {
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: [LONG, fine, "}"] }), "read")
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: [LONG, deep] }), "too deep")
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: [deep, LONG] }), "too deep", "at its beginning")
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: [LONG, ...deep] }), "too deep", "byte by byte")
    for (const bomb of ["1,", "[],", '"a":1,', '"a",', "[[[],[]]],"]) {
      assert.strictEqual(
        await outcome({ headers: JSON_TYPE, pieces: times(20, bomb.repeat(100_000)) }),
        "too deep",
        bomb
      )
    }
  })

  it("an answer with a list may be of any depth and hold more than others, and has its bounds, too", async () => {
    const request = {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
    }
    for (const [headers, begin, end] of [
      [JSON_TYPE, "", ""],
      [EVENTS, "data: ", "\n\n"]
    ] as const) {
      const pieces = [begin, LONG, deep, end]
      assert.strictEqual(await outcome({ headers, pieces }, request), "read")
      assert.strictEqual(await outcome({ headers, pieces }), "too deep", "another answer")
      const bomb = [begin, ...times(20, "[[[],[]]],".repeat(100_000)), end]
      assert.strictEqual(await outcome({ headers, pieces: bomb }, request), "too deep")
      const wide = [begin, "[", ...times(4, '"words",'.repeat(20_000)), "1]", end]
      assert.strictEqual(await outcome({ headers, pieces: wide }, request), "read")
      assert.strictEqual(await outcome({ headers, pieces: wide }), "too deep", "another answer")
    }
  })

  it("a short body is parsed unseen: nothing in it can hurt", async () => {
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: [deep] }), "read")
  })

  it("a body of JSON is no longer than a message may be", async () => {
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: times(16, long(MEGABYTE)) }), "read")
    assert.strictEqual(await outcome({ headers: JSON_TYPE, pieces: times(17, long(MEGABYTE)) }), "failed")
  })

  it("is such an event, and each event is looked at by itself", async () => {
    const event = (data: string) => `data: ${data}\n\n`
    const half = `data: ${"[".repeat(JSON_MAX_DEPTH - 1)}\n\n`
    assert.strictEqual(await outcome({ headers: EVENTS, pieces: [event(fine), half, half] }), "read")
    const told: Array<string> = []
    const onUnusable = (id: number, why: Error) => void told.push(`${id}: ${why.message}`)
    assert.strictEqual(await outcome({ headers: EVENTS, pieces: [`id: "\n${event(deep)}`], onUnusable }), "too deep")
    assert.deepStrictEqual(told, ["1: the answer is nested too deep or holds too much"])
  })

  it("what stands in lines that are no data hides nothing, and is nothing", async () => {
    const half = `data: ${"[".repeat(JSON_MAX_DEPTH / 2 + 1)}\n`
    const closing = "]".repeat(JSON_MAX_DEPTH)
    for (const between of [
      `: ${closing}`,
      `id: ${closing}`,
      `dat: ${closing}`,
      `datas: ${closing}`,
      ': "',
      'data: "'
    ]) {
      const text = `event: message\n${half}${between}\n${half}\n`
      assert.strictEqual(await outcome({ headers: EVENTS, pieces: [text] }), "too deep", between)
      assert.strictEqual(await outcome({ headers: EVENTS, pieces: text }), "too deep", `${between}, byte by byte`)
    }
    const remarks = `: ${"[".repeat(JSON_MAX_DEPTH * 2)}\n`
    assert.strictEqual(await outcome({ headers: EVENTS, pieces: ["data: 1\n", remarks, "\n"] }), "read")
    for (const mark of ["\u{FEFF}", "\u{EF}\u{BB}\u{BF}"]) {
      assert.strictEqual(
        await outcome({ headers: EVENTS, pieces: [`${mark}data: ${deep}\n\n`] }),
        "too deep",
        "first line"
      )
    }
  })
})

describe("boundedFetch: what a body is", () => {
  /** How the answer is named, and how much can be read of one that has no end. */
  const read = async (type: string, init: RequestInit = REQUEST, given: Given = {}) => {
    const line = `: ${long(1_000)}\n\n`
    const fetch = answered({ headers: { "content-type": type }, pieces: times(20_000, line), ...given })
    const response = await fetch("http://127.0.0.1/", init)
    const size = await response.text().then(
      (text) => text.length,
      () => "failed"
    )
    return [response.headers.get("content-type"), size] as const
  }

  it("is told by its type alone, and passed on under a name that leaves no doubt", async () => {
    for (const type of ["text/event-stream", "Text/Event-Stream ; a=b", "text/event-stream;,"]) {
      assert.deepStrictEqual(await read(type), ["text/event-stream", 20_000 * 1_004], type)
    }
    for (const type of ["application/json", "APPLICATION/JSON;charset=", "application/json;text/event-stream"]) {
      assert.deepStrictEqual(await read(type), ["application/json", "failed"], type)
    }
  })

  it("one that is neither events nor JSON, or that nobody waits for, is read no further than it could be quoted", async () => {
    for (const type of ["text/html", "text/event-stream, application/json", "x"]) {
      assert.deepStrictEqual((await read(type))[1], HTTP_ERROR_BODY_MAX_BYTES, type)
    }
    const notification = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", method: "x" }) }
    assert.strictEqual((await read("text/event-stream", notification))[1], HTTP_ERROR_BODY_MAX_BYTES)
    assert.strictEqual((await read("text/event-stream", { method: "DELETE" }))[1], HTTP_ERROR_BODY_MAX_BYTES)
    const elsewhere = { answersInResponse: false }
    assert.strictEqual((await read("text/event-stream", REQUEST, elsewhere))[1], HTTP_ERROR_BODY_MAX_BYTES)
  })

  it("that of a GET is events, whatever it calls itself", async () => {
    const deep = `data: ${"[".repeat(JSON_MAX_DEPTH + 1)}\n\n`
    const listen = (pieces: Pieces) => read("application/json", { method: "GET" }, { pieces })
    assert.strictEqual((await listen([': "\n', deep]))[1], "failed")
    assert.strictEqual((await listen(times(40, `: ${long(MEGABYTE)}\n\n`)))[1], 40 * (MEGABYTE + 4))
  })
})

describe("boundedFetch: turns", () => {
  it("many small events are passed on a few at a time, and others have their turn between them", async () => {
    const events = "data: {}\n\n".repeat(50_000)
    const response = await answered({ headers: EVENTS, pieces: [events] })("http://127.0.0.1/", REQUEST)
    const order: Array<string> = []
    let read = 0
    const somebodyElse = () => {
      order.push("somebody else")
      if (read < events.length) setImmediate(somebodyElse)
    }
    setImmediate(somebodyElse)
    for await (const piece of response.body!) {
      assert.isBelow(piece.byteLength, 8 * 1024)
      read += piece.byteLength
      order.push("piece")
      const end = performance.now() + STREAM_TURN_MS / 3
      while (performance.now() < end);
    }
    assert.strictEqual(read, events.length)
    const inARow = order
      .join()
      .split("somebody else")
      .map((turn) => turn.split("piece").length - 1)
    assert.isAtMost(Math.max(...inARow), 5)
  })
})
