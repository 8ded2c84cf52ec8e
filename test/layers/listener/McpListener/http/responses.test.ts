/** How much is written at once: each write wakes up the client, and costs both sides. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { vi } from "vitest"
import { LISTENER_GATHER_MS } from "../../../../../src/schemas/defaults/Listener.ts"
import { EventStreams } from "../../../../../src/layers/listener/McpListener/http/responses.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"

const ANSWER = { jsonrpc: "2.0", id: 1, result: { done: true } } as const
const NEWS = { jsonrpc: "2.0", method: "notifications/progress", params: {} } as const
const FIRST = "id: a-1-1\ndata: \n\n"

/** A response, and what is written to it. */
const makeResponse = () => {
  const said: Array<string> = []
  const response = Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    writableLength: 0,
    writeHead: () => void said.push("head"),
    flushHeaders: () => void said.push("flush"),
    write: (text: string) => void said.push(`write ${text}`),
    end: (text = "") => void said.push(`end ${text}`),
    setTimeout: () => {},
    destroy: () => void said.push("cut off")
  })
  return { response, said }
}

const makeOpen = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const streams = new EventStreams(run)
  const open = () => {
    const { response, said } = makeResponse()
    const stream = streams.open(
      {
        response: response as unknown as ServerResponse,
        holder: new ClientQuota(),
        run,
        whenClosed: (closed) => void response.once("close", closed)
      },
      "answer"
    )
    return { said, stream, streams }
  }
  return open
})

/** The only stream. */
const opened = Effect.map(makeOpen, (open) => open())

const textOf = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** Until the streams that wait have begun. */
const later = (has: () => boolean) =>
  Effect.repeat(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    { until: has }
  )

describe("a stream for an answer", () => {
  it.live("leaves in one piece, if the answer comes at once", () =>
    Effect.gen(function* () {
      const { said, stream, streams } = yield* opened
      streams.beginSoon(stream, FIRST)
      stream.last(ANSWER)
      assert.deepStrictEqual(said, ["head", `end ${FIRST}${textOf(ANSWER)}`])
    })
  )

  it.live("begins without the answer, if that takes long", () =>
    Effect.gen(function* () {
      const { said, stream, streams } = yield* opened
      streams.beginSoon(stream, FIRST)
      yield* later(() => said.length > 0)
      assert.deepStrictEqual(said, ["head", `write ${FIRST}`])
      stream.last(ANSWER)
      assert.deepStrictEqual(said.slice(2), [`end ${textOf(ANSWER)}`])
    })
  )

  it.effect("waits for the answer for the whole time, however soon others begin", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout"] })),
        () => Effect.sync(() => vi.useRealTimers())
      )
      const open = yield* makeOpen
      const [one, other] = [open(), open()]
      one.streams.beginSoon(one.stream, FIRST)
      vi.advanceTimersByTime(LISTENER_GATHER_MS)
      other.streams.beginSoon(other.stream, FIRST)
      vi.advanceTimersByTime(LISTENER_GATHER_MS)
      assert.deepStrictEqual([one.said.length, other.said.length], [2, 0])
      vi.advanceTimersByTime(LISTENER_GATHER_MS)
      assert.deepStrictEqual([one.said.length, other.said.length], [2, 2])
      assert.strictEqual(vi.getTimerCount(), 0)
    })
  )

  it.live("begins with the first message", () =>
    Effect.gen(function* () {
      const { said, stream, streams } = yield* opened
      streams.beginSoon(stream, FIRST)
      stream.message(NEWS)
      assert.deepStrictEqual(said, ["head", `write ${FIRST}`, `write ${textOf(NEWS)}`])
    })
  )

  it.live("that begins without an event sends its head", () =>
    Effect.gen(function* () {
      const { said, stream, streams } = yield* opened
      streams.beginSoon(stream, "")
      yield* later(() => said.length > 0)
      assert.deepStrictEqual(said, ["head", "flush"])
    })
  )
})
