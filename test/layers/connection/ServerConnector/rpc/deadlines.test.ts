import { afterEach, beforeEach, vi } from "vitest"
import { assert, describe, it } from "@effect/vitest"
import type { HostAnswer } from "../../../../../src/layers/connection/ServerConnector/rpc/Inbound.ts"
import type { OutgoingMessage } from "../../../../../src/layers/connection/ServerConnector/rpc/Link.ts"
import { Peer } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import type { Outcome } from "../../../../../src/layers/connection/ServerConnector/rpc/Pending.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] })
})
afterEach(() => {
  // Whatever is still in flight is given up, and the timer with it.
  vi.advanceTimersByTime(1_000_000)
  vi.useRealTimers()
})

const connect = () => {
  const sent: Array<OutgoingMessage> = []
  const answers: Array<(answer: HostAnswer) => void> = []
  const peer = new Peer(
    "fs",
    { streamPerRequest: false, send: (message) => void sent.push(message) },
    {
      onNotification: () => {},
      onOddity: () => {},
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
}

describe("deadlines", () => {
  it("silence ends a request, and the server is told once", () => {
    const { call, cancelled } = connect()
    const { ended } = call(1_000, 10_000)
    vi.advanceTimersByTime(900)
    assert.isUndefined(ended())
    vi.advanceTimersByTime(200)
    assert.strictEqual(ended(), "idle")
    vi.advanceTimersByTime(60_000)
    assert.strictEqual(cancelled(), 1)
  })

  it("progress starts the silence again, but never the whole time", () => {
    const { call, peer } = connect()
    const { ended, id } = call(1_000, 3_000)
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(900)
      assert.isUndefined(ended())
      peer.receive({ method: "notifications/progress", params: { progressToken: id, progress: i } })
    }
    vi.advanceTimersByTime(400)
    assert.strictEqual(ended(), "total")
  })

  it("while the host answers the server, silence does not count, for a request that comes meanwhile neither", () => {
    const { answers, asks, call, peer } = connect()
    const before = call(1_000, 600_000)
    asks(1)
    asks(2)
    const meanwhile = call(1_000, 600_000)
    vi.advanceTimersByTime(300_000)
    // A report of progress must not start the silence that stands still.
    peer.receive({ method: "notifications/progress", params: { progressToken: before.id, progress: 1 } })
    answers[0]!({ result: {} })
    vi.advanceTimersByTime(100_000)
    assert.deepStrictEqual([before.ended(), meanwhile.ended()], [undefined, undefined])
    answers[1]!({ result: {} })
    vi.advanceTimersByTime(900)
    assert.deepStrictEqual([before.ended(), meanwhile.ended()], [undefined, undefined])
    vi.advanceTimersByTime(200)
    assert.deepStrictEqual([before.ended(), meanwhile.ended()], ["idle", "idle"])
  })

  it("silence counts again when the server takes its question back", () => {
    const { asks, call, peer } = connect()
    const { ended } = call(1_000, 600_000)
    asks(1)
    vi.advanceTimersByTime(5_000)
    peer.receive({ method: "notifications/cancelled", params: { requestId: 1 } })
    vi.advanceTimersByTime(1_100)
    assert.strictEqual(ended(), "idle")
  })

  it("the whole time goes on while the host answers", () => {
    const { asks, call, cancelled } = connect()
    const { ended } = call(1_000, 5_000)
    asks(1)
    vi.advanceTimersByTime(5_100)
    assert.strictEqual(ended(), "total")
    assert.strictEqual(cancelled(), 1)
  })

  it("silence counts again also for a request that has all the time", () => {
    const { answers, asks, call } = connect()
    const { ended } = call(1_000, Number.POSITIVE_INFINITY)
    asks(1)
    vi.advanceTimersByTime(5_000)
    answers[0]!({ result: {} })
    vi.advanceTimersByTime(1_100)
    assert.strictEqual(ended(), "idle")
  })
})
