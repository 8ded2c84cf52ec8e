import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { withFreshHeaders } from "../../../../../src/layers/connection/ServerConnector/http/freshHeaders.ts"
import { ConnectionLost, ProtocolError, type RequestError } from "../../../../../src/schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../../src/services/connection/ServerConnector.ts"

const OPTIONS: RequestOptions = { idleMs: 1_000, totalMs: 60_000 }

const refused = (code: number) => new ProtocolError({ server: "web", code, detail: "no" })

/** A server that gives these answers in turn, and what was done to get them. */
const conversation = (answers: ReadonlyArray<RequestError | string>, relist: Effect.Effect<unknown, RequestError>) => {
  const log: Array<string> = []
  const budgets: Array<number> = []
  const request = withFreshHeaders(
    (method, _params, { totalMs }) =>
      Effect.suspend(() => {
        const answer = answers[log.filter((entry) => entry === method).length]!
        log.push(method)
        budgets.push(totalMs)
        return typeof answer === "string" ? Effect.succeed(answer) : Effect.fail(answer)
      }),
    Effect.andThen(
      Effect.sync(() => log.push("relist")),
      relist
    )
  )
  return { log, budgets, ask: (method = "tools/call") => request(method, { name: "x" }, OPTIONS) }
}

describe("calls refused with a header mismatch", () => {
  it.effect("are sent once more after listing the tools, within the remaining time", () =>
    Effect.gen(function* () {
      const { ask, budgets, log } = conversation([refused(-32020), "done"], Effect.void)
      assert.strictEqual(yield* ask(), "done")
      assert.deepStrictEqual(log, ["tools/call", "relist", "tools/call"])
      assert.isAtMost(budgets[1]!, OPTIONS.totalMs)
      assert.isAbove(budgets[1]!, 0)
    })
  )

  it.effect("fail with the refusal when the tools cannot be listed", () =>
    Effect.gen(function* () {
      const lost = new ConnectionLost({ server: "web", detail: "gone", maybeExecuted: true })
      const { ask, log } = conversation([refused(-32020), "done"], Effect.fail(lost))
      assert.strictEqual((yield* Effect.flip(ask()))._tag, "ProtocolError")
      assert.deepStrictEqual(log, ["tools/call", "relist"])
    })
  )

  it.effect("fail with the refusal when listing the tools takes too long", () =>
    Effect.gen(function* () {
      const { ask, log } = conversation([refused(-32020), "done"], Effect.never)
      const fiber = yield* Effect.forkChild(Effect.flip(ask()))
      yield* TestClock.adjust(OPTIONS.totalMs)
      const error = yield* Fiber.join(fiber)
      assert.deepInclude(error, { _tag: "ProtocolError", code: -32020 })
      assert.deepStrictEqual(log, ["tools/call", "relist"])
    })
  )

  it.effect("are sent at most twice", () =>
    Effect.gen(function* () {
      const { ask, log } = conversation([refused(-32020), refused(-32020), "done"], Effect.void)
      yield* Effect.flip(ask())
      assert.strictEqual(log.filter((entry) => entry === "tools/call").length, 2)
    })
  )

  it.effect("are the only requests that are sent again", () =>
    Effect.gen(function* () {
      for (const [method, code] of [
        ["tools/call", -32602],
        ["prompts/get", -32020]
      ] as const) {
        const { ask, log } = conversation([refused(code), "done"], Effect.void)
        yield* Effect.flip(ask(method))
        assert.deepStrictEqual(log, [method])
      }
    })
  )
})
