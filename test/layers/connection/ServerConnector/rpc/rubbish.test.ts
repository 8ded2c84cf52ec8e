import { assert, describe, it } from "@effect/vitest"
import { makeEventLoop } from "../../../../../src/system/EventLoop.ts"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeDeadlines } from "../../../../../src/layers/connection/ServerConnector/rpc/deadlines.ts"
import { Peer } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import type { Outcome } from "../../../../../src/layers/connection/ServerConnector/rpc/answer.ts"
import { BROKEN_ANSWER_GRACE_MS } from "../../../../../src/schemas/defaults/Wire.ts"
import { ConnectionLost, type RequestError } from "../../../../../src/schemas/connection/RequestError.ts"

const IDLE_MS = 60_000
const SOON_MS = BROKEN_ANSWER_GRACE_MS + 100
const NOT_JSON = "the server answered with something that is not JSON"

const connect = Effect.gen(function* () {
  const deadlines = yield* makeDeadlines
  const senders: Array<{ readonly failed: (error: RequestError) => void }> = []
  const peer = new Peer(
    "fs",
    { send: (_, sender) => void senders.push(sender) },
    { deadlines, loop: makeEventLoop(), onNotification: () => {}, onViolation: () => {}, tidy: (text) => text }
  )
  const call = (method = "tools/call") => {
    const outcomes: Array<Outcome> = []
    const options = { idleMs: IDLE_MS, totalMs: 10 * IDLE_MS, onProgress: () => {} }
    const id = peer.request(method, {}, options, (outcome) => outcomes.push(outcome))
    return { id, outcome: () => outcomes[0] }
  }
  return { call, peer, senders }
})

const detailOf = (outcome: Outcome | undefined) =>
  outcome === undefined
    ? "waits"
    : outcome.ok
      ? "answered"
      : "detail" in outcome.error
        ? outcome.error.detail
        : outcome.error._tag

describe("a response that is not valid JSON", () => {
  const answers: ReadonlyArray<readonly [name: string, line: (id: number) => string]> = [
    ["cut off", (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`],
    ["cut off before its result", (id) => `{"jsonrpc":"2.0","id":${id},`],
    ["with its id at the end", (id) => `{"result":{"content":[NaN]},"jsonrpc":"2.0","id":${id}}`],
    ["without any id", () => `{"jsonrpc":"2.0","error":{"message":"x}`],
    ["printed by Python", () => `{'jsonrpc': '2.0', 'id': 1, 'result': {'content': []}}`]
  ]
  for (const [name, line] of answers) {
    it.effect(`${name}: fails its call soon, and not as a timeout`, () =>
      Effect.gen(function* () {
        const { call, peer } = yield* connect
        const { id, outcome } = call()
        peer.receiveText(line(id))
        assert.strictEqual(detailOf(outcome()), "waits")
        yield* TestClock.adjust(SOON_MS)
        assert.strictEqual(detailOf(outcome()), NOT_JSON)
        const ended = outcome()
        assert.isTrue(ended?.ok === false && ended.error._tag === "ProtocolError" && ended.error.maybeExecuted)
      })
    )
  }

  it.effect("does not fail the call when a valid response or progress follows", () =>
    Effect.gen(function* () {
      const { call, peer } = yield* connect
      const [answered, goesOn] = [call(), call()]
      for (const { id } of [answered, goesOn]) peer.receiveText(`{"jsonrpc":"2.0","id":${id},"result":`)
      peer.receiveText(JSON.stringify({ jsonrpc: "2.0", id: answered.id, result: {} }))
      assert.strictEqual(detailOf(answered.outcome()), "answered")
      peer.receive({ method: "notifications/progress", params: { progressToken: goesOn.id, progress: 1 } })
      yield* TestClock.adjust(IDLE_MS / 2)
      assert.strictEqual(detailOf(goesOn.outcome()), "waits")
      yield* TestClock.adjust(IDLE_MS)
      assert.strictEqual(detailOf(goesOn.outcome()), "CallTimeout")
    })
  )

  it.effect("fails only the call that it names, and none of several when it names none", () =>
    Effect.gen(function* () {
      const { call, peer } = yield* connect
      const [a, b] = [call(), call()]
      peer.receiveText(`{"jsonrpc":"2.0","result":{"content":`)
      yield* TestClock.adjust(SOON_MS)
      assert.deepStrictEqual([detailOf(a.outcome()), detailOf(b.outcome())], ["waits", "waits"])
      peer.receiveText(`{"jsonrpc":"2.0","id":${b.id},"result":{"content":`)
      yield* TestClock.adjust(SOON_MS)
      assert.deepStrictEqual([detailOf(a.outcome()), detailOf(b.outcome())], ["waits", NOT_JSON])
    })
  )

  it.effect("fails the only call beside a subscription", () =>
    Effect.gen(function* () {
      const { call, peer } = yield* connect
      const subscription = call("subscriptions/listen")
      const { outcome } = call()
      peer.receiveText(`{"jsonrpc":"2.0","result":{"content":`)
      yield* TestClock.adjust(SOON_MS)
      assert.strictEqual(detailOf(outcome()), NOT_JSON)
      assert.strictEqual(detailOf(subscription.outcome()), "waits")
    })
  )

  it.effect("is reported instead of the end of the stream", () =>
    Effect.gen(function* () {
      const { call, peer, senders } = yield* connect
      const { id, outcome } = call()
      peer.receiveText(`{"jsonrpc":"2.0","id":${id},"result":{`)
      senders[0]!.failed(new ConnectionLost({ server: "fs", detail: "it ended", maybeExecuted: true }))
      assert.strictEqual(detailOf(outcome()), NOT_JSON)
    })
  )
})

describe("output that is not a response", () => {
  for (const line of [
    "Listening for messages",
    "[2026-01-01] INFO result: 42",
    '{"level":"info","id":1,"result":"of a step',
    "{ level: 'info', id: 1 }",
    `{'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': 'slow'}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":NaN}}`,
    `{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: [Object] }`,
    `got {"jsonrpc":"2.0","id":1,"result":{`,
    `{"jsonrpc":"2.0","id":999,"result":{"of":"somebody else`
  ]) {
    it.effect(`does not end the call: ${line}`, () =>
      Effect.gen(function* () {
        const { call, peer } = yield* connect
        const { id, outcome } = call()
        assert.strictEqual(id, 1)
        peer.receiveText(line)
        yield* TestClock.adjust(IDLE_MS - 1_000)
        assert.strictEqual(detailOf(outcome()), "waits")
        yield* TestClock.adjust(2_000)
        const ended = outcome()
        // What the server wrote may have been the answer all the same.
        assert.isTrue(ended?.ok === false && ended.error._tag === "CallTimeout" && ended.error.rubbish)
        assert.match(
          ended?.ok === false ? ended.error.message : "",
          /meanwhile the server wrote something that is not JSON/
        )
      })
    )
  }

  it.effect("is not mentioned in the timeout of a silent server", () =>
    Effect.gen(function* () {
      const { call } = yield* connect
      const { outcome } = call()
      yield* TestClock.adjust(IDLE_MS + 1_000)
      const ended = outcome()
      assert.notInclude(ended?.ok === false ? ended.error.message : "", "JSON")
    })
  )
})
