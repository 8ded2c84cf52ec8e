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
    assert.strictEqual(reconnectDelay(1_000, undefined), STREAM_RECONNECT_CAP_MS)
  })
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
      const streams = makeStreams({ kind: "http", url, wire, peer, turns, onForgotten: () => {} })
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
    const streams = makeStreams({ kind: "sse", url, wire, peer, turns, onForgotten: () => {} })
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
