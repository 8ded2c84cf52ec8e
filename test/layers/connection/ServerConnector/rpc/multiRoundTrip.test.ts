import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Answer } from "../../../../../src/layers/connection/ServerConnector/rpc/hostAnswers.ts"
import { makeModernRequest } from "../../../../../src/layers/connection/ServerConnector/rpc/multiRoundTrip.ts"
import { request } from "../../../../../src/layers/connection/ServerConnector/rpc/Session.ts"
import {
  HOST_REQUESTS_MAX,
  INPUT_HELD_MAX_BYTES,
  INPUT_ROUND_PAUSE_MS,
  INPUT_ROUNDS_MAX
} from "../../../../../src/schemas/defaults/HostRequests.ts"
import { HostRefusal } from "../../../../../src/schemas/content/HostRequest.ts"
import type { ServerConnection } from "../../../../../src/services/connection/ServerConnector.ts"
import { scripted, type Script } from "../../../../support/session.ts"

type Send = ServerConnection["request"]

const OPTIONS = { idleMs: 60_000, totalMs: 600_000 }
const CALL = { name: "x", arguments: { a: 1 } }
const DONE = { resultType: "complete", content: [] }

const accept: Answer = () => Effect.succeed({ action: "accept" })
const elicit = (message = "?") => ({ method: "elicitation/create", params: { message } })
const ask = (inputRequests?: object, requestState?: unknown) => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? undefined : { inputRequests }),
  ...(requestState === undefined ? undefined : { requestState })
})

/** A modern session whose calls are answered one after the other by these results, the last one for ever. */
const modern = (results: ReadonlyArray<unknown> | Script, answer: Answer = accept, around?: (send: Send) => Send) => {
  let round = 0
  const script: Script = typeof results === "function" ? results : () => results[Math.min(round++, results.length - 1)]
  const { session, ...rest } = scripted(script)
  session.peer.envelope = {}
  return { session, request: makeModernRequest(session, answer, around), ...rest }
}

const call = (send: Send, options = OPTIONS) => send("tools/call", CALL, options)
const failure = (send: Send, options = OPTIONS) => Effect.flip(call(send, options))

describe("multi round-trip requests: memory", () => {
  it.effect("is limited for all requests together, but not for a single one", () =>
    Effect.gen(function* () {
      const person = yield* Deferred.make<void>()
      const large = ask({ a: elicit() }, "x".repeat(INPUT_HELD_MAX_BYTES / 2))
      const { request } = modern(
        (_method, { requestState }) => (requestState === undefined ? large : DONE),
        () => Effect.as(Deferred.await(person), { action: "accept" })
      )
      const first = yield* Effect.forkChild(call(request), { startImmediately: true })
      yield* Effect.yieldNow
      const error = yield* failure(request)
      assert.strictEqual(error._tag, "ProtocolError")
      assert.include(error.message, "it holds too much, together with that for other requests")
      yield* Deferred.succeed(person, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), DONE)
      assert.deepStrictEqual(yield* call(request), DONE, "nothing is held any more")
    })
  )
})

describe("multi round-trip requests: rounds", () => {
  it.effect("repeat the request with responses and the same state, under a new id", () =>
    Effect.gen(function* () {
      const state = 'opaque "state" \ud800 \u2028 {"a":1} '
      const { request, sent } = modern(
        [ask({ a: elicit("name?"), b: { method: "roots/list" } }, state), DONE],
        (method) =>
          Effect.succeed(method === "roots/list" ? { roots: [] } : { action: "accept", content: { name: "Ada" } })
      )
      assert.deepStrictEqual(yield* call(request), DONE)
      assert.lengthOf(sent, 2)
      assert.notStrictEqual(sent[0]!.id, sent[1]!.id)
      const { _meta: _, ...again } = sent[1]!.params!
      assert.deepStrictEqual(again, {
        ...CALL,
        inputResponses: { a: { action: "accept", content: { name: "Ada" } }, b: { roots: [] } },
        requestState: state
      })
    })
  )

  it.effect("carry only the state of the latest response", () =>
    Effect.gen(function* () {
      const { request, sent } = modern([ask({ a: elicit() }, "one"), ask({ b: elicit() }), DONE])
      yield* call(request)
      assert.strictEqual(sent[1]!.params!["requestState"], "one")
      assert.notProperty(sent[2]!.params, "requestState")
      assert.deepStrictEqual(sent[2]!.params!["inputResponses"], { b: { action: "accept" } })
    })
  )

  it.effect("without input requests wait before they repeat the request", () =>
    Effect.gen(function* () {
      const { request, sent } = modern([ask(undefined, "wait"), DONE])
      const fiber = yield* Effect.forkChild(call(request))
      yield* TestClock.adjust(INPUT_ROUND_PAUSE_MS - 1)
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), DONE)
      assert.notProperty(sent[1]!.params, "inputResponses")
      assert.strictEqual(sent[1]!.params!["requestState"], "wait")
    })
  )

  it.effect("are not made for lists", () =>
    Effect.gen(function* () {
      const { sent, session } = modern([ask({ a: elicit() })])
      const error = yield* Effect.flip(request(session, "tools/list", {}, OPTIONS))
      assert.strictEqual(error._tag, "ProtocolError")
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("apply the wrapper to each round", () =>
    Effect.gen(function* () {
      let rounds = 0
      const { request } = modern([ask({ a: elicit() }), DONE], accept, (send) => (method, params, options) => {
        rounds++
        return send(method, params, options)
      })
      assert.deepStrictEqual(yield* call(request), DONE)
      assert.strictEqual(rounds, 2)
    })
  )
})

describe("multi round-trip requests: the host", () => {
  it.effect("answers all input requests of a round concurrently", () =>
    Effect.gen(function* () {
      const both = yield* Deferred.make<void>()
      let asked = 0
      const { request } = modern([ask({ a: elicit(), b: elicit() }), DONE], () =>
        Effect.suspend(() => {
          if (++asked === 2) Deferred.doneUnsafe(both, Effect.void)
          return Effect.as(Deferred.await(both), { action: "accept" })
        })
      )
      assert.deepStrictEqual(yield* call(request), DONE)
    })
  )

  it.effect("ends the request when it refuses, and stops its other answers", () =>
    Effect.gen(function* () {
      let stopped = false
      const { request, sent } = modern([ask({ a: elicit(), b: { method: "roots/list" } })], (method) =>
        method === "roots/list"
          ? Effect.fail(new HostRefusal({ code: -1, message: "the person said no" }))
          : Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true)))
      )
      const error = yield* failure(request)
      assert.strictEqual(error._tag, "ProtocolError")
      assert.include(error.message, "the person said no")
      assert.lengthOf(sent, 1)
      assert.isTrue(stopped, "the other question of the round is taken back")
    })
  )

  it.effect("answers a limited number of input requests at a time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let running = 0
      const { request } = modern(
        (_method, params) => ("inputResponses" in params ? DONE : ask({ a: elicit(), b: elicit() })),
        () =>
          Effect.suspend(() => {
            running++
            return Effect.as(Deferred.await(gate), { action: "accept" })
          })
      )
      const calls = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: HOST_REQUESTS_MAX }, () => call(request)),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(running, HOST_REQUESTS_MAX)
      yield* Deferred.succeed(gate, undefined)
      assert.lengthOf(yield* Fiber.join(calls), HOST_REQUESTS_MAX)
      assert.strictEqual(running, 2 * HOST_REQUESTS_MAX)
    })
  )
})

describe("multi round-trip requests: limits", () => {
  it.effect("end a server that always asks for input", () =>
    Effect.gen(function* () {
      const { request, sent } = modern([ask({ a: elicit() }, "again")])
      const error = yield* failure(request)
      assert.strictEqual(error._tag, "ProtocolError")
      assert.lengthOf(sent, 1 + INPUT_ROUNDS_MAX)
    })
  )

  it.effect("end a server that always asks to wait", () =>
    Effect.gen(function* () {
      const { request, sent } = modern([ask(undefined, "again")])
      const fiber = yield* Effect.forkChild(failure(request))
      yield* TestClock.adjust(INPUT_ROUND_PAUSE_MS * INPUT_ROUNDS_MAX)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ProtocolError")
      assert.lengthOf(sent, 1 + INPUT_ROUNDS_MAX)
    })
  )

  it.effect("apply the total time to all rounds and the host's answers", () =>
    Effect.gen(function* () {
      let stopped = false
      const { request, sent } = modern([ask({ a: elicit() })], () =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true)))
      )
      // Silence does not count: the server has answered.
      const fiber = yield* Effect.forkChild(failure(request, { idleMs: 1_000, totalMs: 60_000 }))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "CallTimeout", deadline: "total", timeoutMs: 60_000 })
      assert.isTrue(stopped)
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("cancel a round in flight once at the total time", () =>
    Effect.gen(function* () {
      const { of, request } = modern((_method, params) =>
        "inputResponses" in params ? undefined : ask({ a: elicit() })
      )
      const fiber = yield* Effect.forkChild(failure(request))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "CallTimeout")
      const [, second] = of("tools/call")
      assert.deepStrictEqual(
        of("notifications/cancelled").map(({ params }) => params!["requestId"]),
        [second!.id]
      )
    })
  )

  it.effect("stop the host on interruption", () =>
    Effect.gen(function* () {
      let stopped = false
      const { request } = modern([ask({ a: elicit() })], () =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => (stopped = true)))
      )
      const fiber = yield* Effect.forkChild(call(request))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.isTrue(stopped)
    })
  )

  it.effect("refuse 1,000 input requests in one round", () =>
    Effect.gen(function* () {
      const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`q${i}`, elicit()]))
      let asked = 0
      const { request, sent } = modern([ask(many)], () => Effect.sync(() => ({ n: ++asked })))
      assert.include((yield* failure(request)).message, "1000 things at once")
      assert.strictEqual(asked, 0)
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("allow an input request named __proto__", () =>
    Effect.gen(function* () {
      const named = JSON.parse(`{"__proto__":${JSON.stringify(elicit())},"constructor":${JSON.stringify(elicit())}}`)
      const { request, sent } = modern([ask(named), DONE])
      yield* call(request)
      assert.strictEqual(
        JSON.stringify(sent[1]!.params!["inputResponses"]),
        '{"__proto__":{"action":"accept"},"constructor":{"action":"accept"}}'
      )
    })
  )

  for (const [what, demand] of [
    ["neither questions nor a state", ask()],
    ["a list of questions", ask([elicit()])],
    ["questions that are text", ask({ a: "elicitation/create" })],
    ["a question without a method", ask({ a: { params: {} } })],
    ["a method that is an object", ask({ a: { method: { toString: 1 } } })],
    ["a state that is an object", ask({ a: elicit() }, { toString: 1 })],
    ["a state that is a number", ask(undefined, 5)]
  ] as const) {
    it.effect(`refuse a response with ${what}, without asking the host`, () =>
      Effect.gen(function* () {
        let asked = 0
        const { request, sent } = modern([demand], () => Effect.sync(() => ({ n: ++asked })))
        assert.strictEqual((yield* failure(request))._tag, "ProtocolError")
        assert.deepStrictEqual([asked, sent.length], [0, 1])
      })
    )
  }
})
