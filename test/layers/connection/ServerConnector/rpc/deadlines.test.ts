import { assert, describe, it } from "@effect/vitest"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { makeDeadlines } from "../../../../../src/layers/connection/ServerConnector/rpc/deadlines.ts"
import type { HostAnswer } from "../../../../../src/layers/connection/ServerConnector/rpc/Inbound.ts"
import type { OutgoingMessage } from "../../../../../src/layers/connection/ServerConnector/rpc/Link.ts"
import { Peer } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import type { Outcome } from "../../../../../src/layers/connection/ServerConnector/rpc/answer.ts"

const connect = Effect.gen(function* () {
  const deadlines = yield* makeDeadlines
  const sent: Array<OutgoingMessage> = []
  const answers: Array<(answer: HostAnswer) => void> = []
  const peer = new Peer(
    "fs",
    { send: (message) => void sent.push(message) },
    {
      deadlines,
      loop: makeEventLoop(),
      onNotification: () => {},
      onViolation: () => {},
      tidy: (text) => text,
      onRequest: (_method, _params, settle) => {
        answers.push(settle)
        return () => {}
      }
    }
  )
  const call = (idleMs: number, totalMs: number) => {
    const outcomes: Array<Outcome> = []
    const id = peer.request("tools/call", {}, { idleMs, totalMs, onProgress: () => {} }, (outcome) =>
      outcomes.push(outcome)
    )
    return {
      id,
      /** Which deadline ended it; `undefined` while it is in flight. */
      ended: () => {
        const [outcome] = outcomes
        return outcome?.ok === false && outcome.error._tag === "CallTimeout" ? outcome.error.deadline : undefined
      }
    }
  }
  const cancelled = () => sent.filter(({ method }) => method === "notifications/cancelled").length
  const asks = (id: number) => peer.receive({ id, method: "elicitation/create" })
  return { answers, asks, call, cancelled, peer, sent }
})

describe("deadlines", () => {
  it.effect("end a request after the idle time, and cancel it once", () =>
    Effect.gen(function* () {
      const { call, cancelled } = yield* connect
      const { ended } = call(1_000, 10_000)
      yield* TestClock.adjust(900)
      assert.isUndefined(ended())
      yield* TestClock.adjust(200)
      assert.strictEqual(ended(), "idle")
      yield* TestClock.adjust(60_000)
      assert.strictEqual(cancelled(), 1)
    })
  )

  it.effect("restart the idle time on progress, but not the total time", () =>
    Effect.gen(function* () {
      const { call, peer } = yield* connect
      const { ended, id } = call(1_000, 3_000)
      for (let i = 0; i < 3; i++) {
        yield* TestClock.adjust(900)
        assert.isUndefined(ended())
        peer.receive({ method: "notifications/progress", params: { progressToken: id, progress: i } })
      }
      yield* TestClock.adjust(400)
      assert.strictEqual(ended(), "total")
    })
  )

  it.effect("pause the idle time while the host answers the server", () =>
    Effect.gen(function* () {
      const { answers, asks, call, peer } = yield* connect
      const before = call(1_000, 600_000)
      asks(1)
      asks(2)
      const meanwhile = call(1_000, 600_000)
      yield* TestClock.adjust(300_000)
      // A report of progress must not start the silence that stands still.
      peer.receive({ method: "notifications/progress", params: { progressToken: before.id, progress: 1 } })
      answers[0]!({ result: {} })
      yield* TestClock.adjust(100_000)
      assert.deepStrictEqual([before.ended(), meanwhile.ended()], [undefined, undefined])
      answers[1]!({ result: {} })
      yield* TestClock.adjust(900)
      assert.deepStrictEqual([before.ended(), meanwhile.ended()], [undefined, undefined])
      yield* TestClock.adjust(200)
      assert.deepStrictEqual([before.ended(), meanwhile.ended()], ["idle", "idle"])
    })
  )

  it.effect("resume the idle time when the server cancels its request", () =>
    Effect.gen(function* () {
      const { asks, call, peer } = yield* connect
      const { ended } = call(1_000, 600_000)
      asks(1)
      yield* TestClock.adjust(5_000)
      peer.receive({ method: "notifications/cancelled", params: { requestId: 1 } })
      yield* TestClock.adjust(1_100)
      assert.strictEqual(ended(), "idle")
    })
  )

  it.effect("keep counting the total time while the host answers", () =>
    Effect.gen(function* () {
      const { asks, call, cancelled } = yield* connect
      const { ended } = call(1_000, 5_000)
      asks(1)
      yield* TestClock.adjust(5_100)
      assert.strictEqual(ended(), "total")
      assert.strictEqual(cancelled(), 1)
    })
  )

  it.effect("resume the idle time of a request without a total time", () =>
    Effect.gen(function* () {
      const { answers, asks, call } = yield* connect
      const { ended } = call(1_000, Number.POSITIVE_INFINITY)
      asks(1)
      yield* TestClock.adjust(5_000)
      answers[0]!({ result: {} })
      yield* TestClock.adjust(1_100)
      assert.strictEqual(ended(), "idle")
    })
  )

  it.effect("end requests after a mistake of whoever is told of one", () =>
    Effect.gen(function* () {
      const deadlines = yield* makeDeadlines
      const inFlight = new Map<number, { at: number; expire: () => void }>()
      let ended = 0
      const add = (id: number, expire: () => void) => inFlight.set(id, { at: deadlines.now() + 1_000, expire })
      add(1, () => {
        inFlight.delete(1)
        throw new Error("a mistake")
      })
      add(2, () => {
        inFlight.delete(2)
        ended++
      })
      deadlines.watch(inFlight)
      yield* TestClock.adjust(2_000)
      assert.strictEqual(ended, 1)
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
