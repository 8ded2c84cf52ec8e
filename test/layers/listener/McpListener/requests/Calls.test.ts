/** What a call keeps that nobody waits for counts: one that its client has to come back for (2026-07-28), and a task. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { LISTENER_ASK_MS, LISTENER_TASK_RESULTS_MAX_CHARS } from "../../../../../src/schemas/defaults/Listener.ts"
import type { Waiter } from "../../../../../src/layers/listener/McpListener/requests/Call.ts"
import { Calls } from "../../../../../src/layers/listener/McpListener/requests/Calls.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { Tasks } from "../../../../../src/layers/listener/McpListener/requests/Tasks.ts"
import { CallOrigin, type Origin } from "../../../../../src/services/call/CallJournal.ts"
import type { Handler } from "../../../../../src/services/listener/McpListener.ts"
import type { Directory } from "../../../../../src/services/listener/SessionDirectory.ts"
import { TestClock } from "effect/testing"

const waiter: Waiter = {
  can: { elicitation: { form: true, url: true }, sampling: true, roots: true },
  progress: undefined,
  log: undefined,
  asking: "return"
}

const BIG = LISTENER_TASK_RESULTS_MAX_CHARS / 2

const request = (text: string, state: unknown) => ({
  method: "tools/call",
  params: { name: "asks", arguments: { text } },
  state,
  answers: {}
})

/** Calls that ask something; `end` ends them with a result of this length, though nobody has answered. */
const site = Effect.gen(function* () {
  const holder = new ClientQuota()
  const context = yield* Effect.context<never>()
  const calls = new Calls(Effect.runForkWith(context), holder)
  const ended = yield* Deferred.make<number>()
  const handler: Handler = (_, { ask }) =>
    Effect.raceFirst(
      Effect.orDie(ask("roots/list", {})),
      Effect.map(Deferred.await(ended), (chars) => ({ text: "x".repeat(chars) }))
    )
  const answered = (text: string, state?: unknown) =>
    Effect.flatMap(calls.answer(handler, request(text, state), waiter), ({ answer }) => answer)
  const park = answered
  const back = (text: string, state: unknown) =>
    Effect.map(Effect.result(answered(text, state)), (given) =>
      Result.isFailure(given) ? given.failure : given.success
    )
  const tasks = new Tasks(Effect.runForkWith(context), holder, () => {})
  const begin = (text: string) =>
    tasks.begin((before) => calls.answer(handler, request(text, undefined), waiter, before), {})
  return {
    back,
    begin,
    holder,
    tasks,
    calls,
    end: (chars: number) => Deferred.succeed(ended, chars),
    park,
    taken: holder.shares.results.taken
  }
})

/** After what is on its way. */
const soon = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("a call that its client has to come back for", () => {
  it.effect("counts with its arguments and its result until the client has come back", () =>
    Effect.gen(function* () {
      const { back, end, park, taken } = yield* site
      const { requestState } = yield* park("arguments")
      const before = taken()
      assert.isAbove(before, "arguments".length)
      yield* end(BIG)
      yield* Effect.repeat(soon, { until: () => taken() >= before + BIG })
      assert.propertyVal(yield* back("arguments", requestState), "text", "x".repeat(BIG))
      assert.strictEqual(taken(), 0)
    })
  )

  it.effect("counts until it is not waited for any more", () =>
    Effect.gen(function* () {
      const { calls, end, park, taken } = yield* site
      yield* park("arguments")
      yield* end(BIG)
      yield* Effect.repeat(soon, { until: () => taken() >= BIG })
      yield* TestClock.adjust(LISTENER_ASK_MS)
      yield* Effect.repeat(soon, { until: () => calls.isIdle })
      assert.strictEqual(taken(), 0)
    })
  )

  it.effect("keeps no result that there is no room for, and says so", () =>
    Effect.gen(function* () {
      const { back, end, park, taken } = yield* site
      const states = yield* Effect.forEach(["a", "b", "c"], (text) =>
        Effect.map(park(text), ({ requestState }) => requestState)
      )
      yield* end(BIG)
      yield* Effect.repeat(soon, { until: () => taken() >= BIG })
      for (let i = 0; i < 5; i++) yield* soon
      assert.isAtMost(taken(), LISTENER_TASK_RESULTS_MAX_CHARS)
      const given = yield* Effect.forEach(["a", "b", "c"], (text, i) => back(text, states[i]))
      assert.lengthOf(
        given.filter((one) => one instanceof Error && /Too much is being kept/.test(one.message)),
        2
      )
      assert.strictEqual(taken(), 0)
    })
  )

  it.effect("is not kept where there is no room for its arguments", () =>
    Effect.gen(function* () {
      const { calls, park, taken } = yield* site
      const long = "x".repeat(BIG)
      yield* park(long)
      assert.isTrue((yield* Effect.exit(park(long)))._tag === "Failure")
      yield* soon
      assert.isAtMost(taken(), LISTENER_TASK_RESULTS_MAX_CHARS)
      assert.isFalse(calls.isIdle)
    })
  )
})

describe("a task", () => {
  it.effect("counts with its arguments until it ends, and is not begun where there is no room for them", () =>
    Effect.gen(function* () {
      const { begin, calls, holder, taken, tasks } = yield* site
      const long = "x".repeat(BIG)
      const { task } = yield* begin(long)
      assert.isAtLeast(taken(), BIG)
      assert.match((yield* Effect.flip(begin(long))).message, /Too much is being kept/)
      // What was refused is nowhere.
      assert.isAtMost(taken(), LISTENER_TASK_RESULTS_MAX_CHARS)
      assert.strictEqual(holder.requests, 1)
      const { taskId } = task as { readonly taskId: string }
      yield* tasks.legacy("tasks/cancel", { taskId }, () => waiter) ?? assert.fail()
      yield* Effect.repeat(soon, { until: () => calls.isIdle })
      assert.strictEqual(taken(), 0)
      assert.strictEqual(holder.requests, 0)
    })
  )
})

describe("a call of a session of a fleet", () => {
  it.effect("tells the journal which request it answers, what was asked for, and how often it has run", () =>
    Effect.gen(function* () {
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const runsBefore = (id: string | number) => (id === 7 ? 2 : 0)
      // A session needs the directory for calls alone that come back by another name.
      const directory = {} as Directory
      const calls = new Calls(run, new ClientQuota(), { directory, owner: "s", session: "s", runsBefore })
      const origins: Array<Origin | undefined> = []
      const handler: Handler = () =>
        Effect.map(CallOrigin, (origin) => {
          origins.push(origin)
          return {}
        })
      for (const id of [6, 7]) {
        const { answer } = yield* calls.answer(handler, { ...request("text", undefined), id }, waiter)
        yield* answer
      }
      const { params } = request("text", undefined)
      assert.deepStrictEqual(origins, [
        { session: "s", request: 6, params, runs: 0 },
        { session: "s", request: 7, params, runs: 2 }
      ])
    })
  )
})

describe("a call that was given back by a node that died", () => {
  /** One of two nodes; the journal knows nothing of any call. `leaves`: whether its calls have left before they ask. */
  const node = (name: string, leaves: boolean) =>
    Effect.map(Effect.context<never>(), (context) => {
      const directory = {
        nameOf: (random: string) => `${name}.1.${random}`,
        isName: () => true,
        homeOf: () => undefined,
        fateOf: () => Effect.undefined
      } as Partial<Directory> as Directory
      const calls = new Calls(Effect.runForkWith(context), new ClientQuota(), { directory, owner: "me" })
      let begun = 0
      const handler: Handler = (_, { ask }) =>
        Effect.gen(function* () {
          begun++
          if (leaves) (yield* CallOrigin)?.leaves?.()
          return yield* Effect.orDie(ask("roots/list", {}))
        })
      const answered = (state?: unknown) =>
        Effect.flatMap(calls.answer(handler, request("text", state), waiter), ({ answer }) => answer)
      return { answered, begun: () => begun }
    })

  it.effect("is not made again if it had left, although no other node knows of it", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* node("a", true), yield* node("b", true)]
      const { requestState } = yield* a.answered()
      const lost = yield* b.answered(requestState)
      assert.include(JSON.stringify(lost["content"]), "may have been executed")
      assert.strictEqual(b.begun(), 0)
    })
  )

  it.effect("begins again if it had not left", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* node("a", false), yield* node("b", false)]
      const { requestState } = yield* a.answered()
      assert.strictEqual((yield* b.answered(requestState))["resultType"], "input_required")
      assert.strictEqual(b.begun(), 1)
    })
  )
})
