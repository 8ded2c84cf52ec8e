import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { makeAnswer, makeOnRequest } from "../../../../../src/layers/connection/ServerConnector/rpc/hostAnswers.ts"
import type { HostAnswer } from "../../../../../src/layers/connection/ServerConnector/rpc/Inbound.ts"
import {
  ELICITATION_TIMEOUT_MS,
  ROOTS_TIMEOUT_MS,
  SAMPLING_TIMEOUT_MS
} from "../../../../../src/schemas/defaults/HostRequests.ts"
import type { JsonObject } from "../../../../../src/schemas/data/Json.ts"
import { HostFeatures } from "../../../../../src/services/content/HostFeatures.ts"
import { fakeHost, refuse, type FakeHost } from "../../../../support/host.ts"
import { serverConfig } from "../../../../support/serverConfig.ts"

const ROOTS = { roots: [] }

/** What a server gets for a request of this method. */
const ask = (method: string, answers: FakeHost["answers"] = {}, params: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const answer = makeAnswer(yield* HostFeatures, serverConfig("fs"))
    const fork = Effect.runForkWith(yield* Effect.context())
    const settled: Array<HostAnswer> = []
    const stop = makeOnRequest(answer, fork)(method, params, (given) => settled.push(given))
    return { settled, stop }
  }).pipe(Effect.provide(Layer.mergeAll(fakeHost({ answers }), Logger.layer([]))))

describe("host: answers", () => {
  it.effect("sends a result, or the code and message of a refusal", () =>
    Effect.gen(function* () {
      const { settled } = yield* ask("roots/list", { "roots/list": () => Effect.succeed(ROOTS) })
      assert.deepStrictEqual(settled, [{ result: ROOTS }])
      const refused = yield* ask("sampling/createMessage", { "sampling/createMessage": () => refuse })
      assert.deepStrictEqual(refused.settled, [{ error: { code: -1, message: "the person said no" } }])
    })
  )

  it.effect("repeats the related task of the request in the result", () =>
    Effect.gen(function* () {
      const key = "io.modelcontextprotocol/related-task"
      const answers = { "roots/list": () => Effect.succeed({ ...ROOTS, _meta: { own: 1 } }) }
      const asked = yield* ask("roots/list", answers, { _meta: { [key]: { taskId: "t1", more: "x" } } })
      assert.deepStrictEqual(asked.settled, [{ result: { ...ROOTS, _meta: { own: 1, [key]: { taskId: "t1" } } } }])
      for (const related of [5, "t1", { taskId: {} }, { taskId: "x".repeat(100_000) }]) {
        const { settled } = yield* ask("roots/list", answers, { _meta: { [key]: related } })
        assert.deepStrictEqual(settled, [{ result: { ...ROOTS, _meta: { own: 1 } } }])
      }
    })
  )

  it.effect("ignores methods that a host does not answer", () =>
    Effect.gen(function* () {
      const host = { "tools/list": () => Effect.succeed({}), constructor: () => Effect.succeed({}) }
      for (const method of ["tools/list", "constructor", "__proto__", ""]) {
        const { settled, stop } = yield* ask(method, host)
        assert.isUndefined(stop)
        assert.lengthOf(settled, 0)
      }
    })
  )

  for (const [what, result] of [
    ["a bug", Effect.die(new Error("secret-token-123 at /home/me"))],
    ["an interruption of its own", Effect.interrupt],
    ["what is not JSON", Effect.succeed({ n: 1n } as unknown as JsonObject)],
    [
      "what has no end",
      Effect.sync((): JsonObject => {
        const self: Record<string, unknown> = {}
        self["self"] = self
        return self as JsonObject
      })
    ]
  ] as const) {
    it.effect(`sends a fixed error for ${what}`, () =>
      Effect.gen(function* () {
        const { settled } = yield* ask("roots/list", { "roots/list": () => result })
        assert.deepStrictEqual(settled, [{ error: { code: -32603, message: "this client failed on the request" } }])
      })
    )
  }

  it.effect("interrupts a stopped answer, and sends no result", () =>
    Effect.gen(function* () {
      let interrupted = false
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
      const { settled, stop } = yield* ask("elicitation/create", { "elicitation/create": () => never })
      stop!()
      yield* Effect.yieldNow
      assert.isTrue(interrupted)
      // The request is gone by then; what is told of its end is nobody's.
      assert.isTrue(settled.every((given) => "error" in given))
    })
  )
})

describe("host: timeouts", () => {
  const outcome = (method: string) =>
    Effect.gen(function* () {
      const host = yield* HostFeatures
      return yield* Effect.forkChild(Effect.result(makeAnswer(host, serverConfig("fs"))(method, {})))
    }).pipe(Effect.provide(fakeHost({ answers: { [method]: () => Effect.never } })))

  for (const [method, limit] of [
    ["roots/list", ROOTS_TIMEOUT_MS],
    ["sampling/createMessage", SAMPLING_TIMEOUT_MS]
  ] as const) {
    it.effect(`refuse ${method} when there is no answer in time`, () =>
      Effect.gen(function* () {
        const fiber = yield* outcome(method)
        yield* TestClock.adjust(limit - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        const result = yield* Fiber.join(fiber)
        assert.isTrue(result._tag === "Failure" && result.failure.code === -1)
      })
    )
  }

  it.effect('answer an elicitation with "cancel"', () =>
    Effect.gen(function* () {
      const fiber = yield* outcome("elicitation/create")
      yield* TestClock.adjust(ELICITATION_TIMEOUT_MS - 1)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const result = yield* Fiber.join(fiber)
      assert.deepStrictEqual(result._tag === "Success" && result.success, { action: "cancel" })
    })
  )
})
