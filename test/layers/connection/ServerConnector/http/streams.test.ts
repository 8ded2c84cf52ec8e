import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Response as UndiciResponse } from "undici"
import {
  ForeignEndpoint,
  makeStreams,
  reconnectDelay
} from "../../../../../src/layers/connection/ServerConnector/http/streams.ts"
import { Wire } from "../../../../../src/layers/connection/ServerConnector/http/wire.ts"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import { scripted } from "../../../../support/session.ts"
import {
  STREAM_RECONNECT_BASE_MS,
  STREAM_RECONNECT_CAP_MS,
  STREAM_RECONNECT_MAX_MS,
  STREAM_RECONNECT_MIN_MS,
  STREAM_REOPENED_MS
} from "../../../../../src/schemas/defaults/Wire.ts"

describe("reconnectDelay", () => {
  it("uses the server's retry time within a minimum and a maximum", () => {
    assert.strictEqual(reconnectDelay(0, 500), 500)
    assert.strictEqual(reconnectDelay(0, 0), STREAM_RECONNECT_MIN_MS)
    for (const asked of [2 ** 31, 1e300, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(reconnectDelay(0, asked), STREAM_RECONNECT_MAX_MS)
    }
  })

  it("grows with each failure when the server gives no time", () => {
    assert.strictEqual(reconnectDelay(0, undefined), STREAM_RECONNECT_BASE_MS)
    assert.isAbove(reconnectDelay(1, undefined), STREAM_RECONNECT_BASE_MS)
    assert.strictEqual(reconnectDelay(10_000, undefined), STREAM_RECONNECT_CAP_MS)
  })

  it("grows with each failure from the time that the server asked for, and is never shorter", () => {
    assert.isAbove(reconnectDelay(1, 500), 500)
    assert.strictEqual(reconnectDelay(10_000, 0), STREAM_RECONNECT_CAP_MS)
    assert.strictEqual(reconnectDelay(10_000, 2 * STREAM_RECONNECT_CAP_MS), 2 * STREAM_RECONNECT_CAP_MS)
  })
})

/** Nobody who asks to be left alone, or wants to know anything. */
const quiet = { holdOff: { leftMs: () => 0 }, onForgotten: () => {}, onMissed: () => {} }

describe("the stream for messages of the server's own", () => {
  type Answer = number | { readonly status: number; readonly headers: Record<string, string> } | string
  const EVENTS = { "content-type": "text/event-stream" }

  /** Listens to a server that gives these answers, and the last one again and again: a status, or events on a stream that then ends. */
  const listening = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>, heldMs = 0) {
    const asked: Array<string | null> = []
    let missed = 0
    const wire = new Wire(async (_url, init) => {
      asked.push(new Headers(init?.headers as Record<string, string>).get("last-event-id"))
      const answer = answers[Math.min(asked.length, answers.length) - 1]!
      if (typeof answer === "string") return new UndiciResponse(answer, { headers: EVENTS })
      return new UndiciResponse("", typeof answer === "number" ? { status: answer } : answer)
    }, {})
    const { peer } = scripted(() => undefined)
    const { allowance, large } = makeEventLoop()
    const streams = makeStreams({
      ...quiet,
      kind: "http",
      url: new URL("http://127.0.0.1/mcp"),
      wire,
      peer,
      turns: { large, allowance: { ...allowance(), isSpent: () => false } },
      holdOff: { leftMs: () => heldMs },
      onMissed: () => void missed++
    })
    const fiber = yield* Effect.forkChild(streams.listen, { startImmediately: true })
    // Many more than reading a response takes: a stream that is still read when the clock moves on counts as one that lasted.
    const settled = Effect.promise(() => nextTurn()).pipe(Effect.repeat({ times: 100 }))
    yield* settled
    return {
      asked,
      missed: () => missed,
      isOver: () => fiber.pollUnsafe() !== undefined,
      /** So much later; what is read of a response takes turns of the event loop. */
      after: Effect.fnUntraced(function* (ms: number) {
        yield* TestClock.adjust(ms)
        yield* settled
      })
    }
  })
  type Listening = Effect.Success<ReturnType<typeof listening>>

  /** How often it asked within an hour. */
  const anHour = Effect.fnUntraced(function* ({ after, asked }: Listening) {
    for (let ms = 0; ms < 3_600_000; ms += STREAM_RECONNECT_CAP_MS) yield* after(STREAM_RECONNECT_CAP_MS)
    return asked.length
  })

  for (const [what, answers] of [
    ["after it was open", ["", 503, 502, 429, 500, 503, 503, 503, ""]],
    ["from the start", [503, 503, 503, 503, 503, 503, 503, 503, ""]]
  ] as const) {
    it.effect(`is opened again after an outage, however long, ${what}`, () =>
      Effect.gen(function* () {
        const heard = yield* listening(answers)
        for (let n = 0; heard.asked.length < answers.length && n < 20; n++) yield* heard.after(STREAM_RECONNECT_CAP_MS)
        assert.strictEqual(heard.missed(), 1, "what was said meanwhile was missed")
      })
    )
  }

  it.effect("misses nothing when it goes on where it broke", () =>
    Effect.gen(function* () {
      const { after, asked, missed } = yield* listening(["id: 7\ndata: {}\n\n", 503, ""])
      yield* after(STREAM_RECONNECT_CAP_MS)
      yield* after(STREAM_RECONNECT_CAP_MS)
      assert.deepStrictEqual([asked.slice(0, 3), missed()], [[null, "7", "7"], 0])
    })
  )

  for (const status of [404, 405]) {
    it.effect(`is not asked for again after ${status}, at first or later`, () =>
      Effect.gen(function* () {
        for (const answers of [[status], ["", 503, status]]) {
          const heard = yield* listening(answers)
          assert.strictEqual(yield* anHour(heard), answers.length)
          assert.isTrue(heard.isOver())
        }
      })
    )
  }

  for (const [what, answer] of [
    ["refuses each", 503],
    ["ends each at once", ""],
    ["ends each at once and asks for a short pause", "retry: 0\n\n"]
  ] as const) {
    it.effect(`is asked for less and less often from a server that ${what}`, () =>
      Effect.gen(function* () {
        const asked = yield* anHour(yield* listening([answer]))
        assert.isAtLeast(asked, 3_600_000 / STREAM_RECONNECT_CAP_MS)
        assert.isAtMost(asked, 3_600_000 / STREAM_RECONNECT_CAP_MS + 20)
      })
    )
  }

  it.effect("waits as long as the server wants to be left alone, as it says here or in another answer", () =>
    Effect.gen(function* () {
      for (const [answer, heldMs] of [
        [{ status: 429, headers: { "retry-after": "120" } }] as const,
        [503, 120_000] as const
      ]) {
        const { after, asked } = yield* listening([answer], heldMs)
        yield* after(119_999)
        assert.lengthOf(asked, 1)
        yield* after(1)
        assert.lengthOf(asked, 2)
      }
    })
  )
})

describe("a stream that ends repeatedly", () => {
  it.effect("is charged to the server's allowance, and waits when that is used up", () =>
    Effect.gen(function* () {
      const headers = { "content-type": "text/event-stream" }
      let opened = 0
      const wire = new Wire(async () => {
        opened++
        return new UndiciResponse("id: 1\nretry: 0\ndata: {}\n\n", { headers })
      }, {})
      let [spent, waiting] = [0, 0]
      const allowance = {
        spend: (ms: number) => void (spent += ms === STREAM_REOPENED_MS ? ms : 0),
        answered: () => {},
        isSpent: () => spent >= 10 * STREAM_REOPENED_MS,
        waitMs: () => 0,
        enqueue: () => void waiting++
      }
      const { peer } = scripted(() => undefined)
      const turns = { large: makeEventLoop().large, allowance }
      const url = new URL("http://127.0.0.1/mcp")
      const streams = makeStreams({ ...quiet, kind: "http", url, wire, peer, turns })
      const listening = yield* Effect.forkChild(streams.listen, { startImmediately: true })
      const isWaiting = () => waiting > 0
      while (!isWaiting()) {
        yield* TestClock.adjust(STREAM_RECONNECT_MIN_MS)
        yield* Effect.promise(() => nextTurn())
      }
      assert.strictEqual(opened, 10, "the first one, and nine more")
      yield* Fiber.interrupt(listening)
    })
  )
})

describe("the SSE endpoint for messages", () => {
  /** Where messages go after such a stream, or why nowhere. */
  const target = (...addresses: ReadonlyArray<string>) => {
    const url = new URL("http://127.0.0.1/sse")
    const body = addresses.map((address) => `event: endpoint\ndata: ${address}\n\n`).join("")
    const headers = { "content-type": "text/event-stream" }
    const wire = new Wire(async () => new UndiciResponse(body, { headers }), {})
    const { peer } = scripted(() => undefined)
    const { allowance, large } = makeEventLoop()
    const turns = { large, allowance: allowance() }
    const streams = makeStreams({ ...quiet, kind: "sse", url, wire, peer, turns })
    return streams.listen.pipe(
      Effect.andThen(Effect.result(streams.opened)),
      Effect.map((opened) => (opened._tag === "Failure" ? opened.failure : streams.target().pathname))
    )
  }

  it.effect("is the first one that the server names", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* target("/first", "/second", "http://example.com/third"), "/first")
    })
  )

  it.effect("is refused when it has another origin, also when a valid one follows", () =>
    Effect.gen(function* () {
      for (const address of [
        "http://example.com/",
        "//example.com/",
        "https://127.0.0.1/",
        "javascript:x",
        "http://["
      ]) {
        assert.instanceOf(yield* target(address, "/good"), ForeignEndpoint, address)
      }
    })
  )

  it.effect("fails when the stream ends without one", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* target(), { message: "the event stream ended" })
    })
  )
})
