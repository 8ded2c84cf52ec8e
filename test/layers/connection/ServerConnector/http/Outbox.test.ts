import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import { makeOutbox } from "../../../../../src/layers/connection/ServerConnector/http/Outbox.ts"
import { ANSWERS_UNTAKEN_MAX, ANSWERS_WAITING_MAX } from "../../../../../src/schemas/defaults/HostRequests.ts"

const MAX = ANSWERS_UNTAKEN_MAX + ANSWERS_WAITING_MAX

/** Answers that are taken when the test says so. */
const server = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const outbox = makeOutbox(yield* FiberSet.makeRuntime<never>().pipe(Scope.provide(scope)))
  const started: Array<number> = []
  const taken: Array<Deferred.Deferred<void>> = []
  const answer = (n: number) =>
    outbox(
      Effect.suspend(() => {
        started.push(n)
        const done = Deferred.makeUnsafe<void>()
        taken.push(done)
        return Deferred.await(done)
      })
    )
  const take = (n: number) => Effect.andThen(Deferred.succeed(taken[n]!, undefined), Effect.sleep(0))
  return { close: Scope.close(scope, Exit.void), started, taken, take, answer }
})

describe("Outbox", () => {
  it.live("limits the responses in flight and those that wait, and sends the waiting ones in order", () =>
    Effect.gen(function* () {
      const { answer, started, take, taken } = yield* server
      const answers = Array.from({ length: MAX + 1 }, (_, n) => answer(n))
      assert.lengthOf(started, ANSWERS_UNTAKEN_MAX)
      assert.deepStrictEqual([answers.indexOf(false), answers.at(-1)], [MAX, false])
      yield* take(5)
      yield* take(0)
      assert.deepStrictEqual(started.slice(ANSWERS_UNTAKEN_MAX), [ANSWERS_UNTAKEN_MAX, ANSWERS_UNTAKEN_MAX + 1])
      assert.isTrue(answer(MAX))
      for (let next = 1; next < taken.length; next++) if (next !== 5) yield* take(next)
      assert.deepStrictEqual(
        started,
        Array.from({ length: MAX + 1 }, (_, n) => n)
      )
    })
  )

  it.live("sends no waiting response after the connection closes", () =>
    Effect.gen(function* () {
      const { answer, close, started } = yield* server
      for (let n = 0; n < MAX; n++) answer(n)
      yield* close
      yield* Effect.sleep(0)
      assert.lengthOf(started, ANSWERS_UNTAKEN_MAX)
    })
  )
})
