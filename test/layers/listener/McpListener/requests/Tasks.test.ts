/** Clients that wait for the result of a task (2025-11-25) are asked what its call wants to know. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Push } from "../../../../../src/layers/listener/McpListener/requests/asking.ts"
import type { Waiter } from "../../../../../src/layers/listener/McpListener/requests/Call.ts"
import { Calls } from "../../../../../src/layers/listener/McpListener/requests/Calls.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { Tasks } from "../../../../../src/layers/listener/McpListener/requests/Tasks.ts"
import type { Handler } from "../../../../../src/services/listener/McpListener.ts"

const waiterWith = (push: Push): Waiter => ({
  can: { elicitation: { form: true, url: true }, sampling: true, roots: true },
  progress: undefined,
  log: undefined,
  asking: { push }
})

const unasked: Push = () => Effect.die("nobody waits yet")

/** A task whose call asks two questions at once, and gives both answers. */
const begun = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const holder = new ClientQuota()
  const calls = new Calls(run, holder)
  const tasks = new Tasks(run, holder, () => {})
  const handler: Handler = (_, { ask }) =>
    Effect.all([ask("roots/list", {}, "first"), ask("roots/list", {}, "second")], { concurrency: "unbounded" }).pipe(
      Effect.orDie,
      Effect.map((answers) => ({ answers }))
    )
  const request = { method: "tools/call", params: {}, state: undefined, answers: {} }
  const { task } = yield* tasks.begin((before) => calls.answer(handler, request, waiterWith(unasked), before), {})
  const { taskId } = task as { readonly taskId: string }
  return (push: Push) => tasks.legacy("tasks/result", { taskId }, () => waiterWith(push)) ?? Effect.die("no result")
})

describe("a task that asks", () => {
  it.effect("asks one of those who wait for it everything; if that one leaves, the next", () =>
    Effect.gen(function* () {
      const result = yield* begun
      const asked = yield* Deferred.make<void>()
      let count = 0
      const silent: Push = () =>
        Effect.andThen(
          Effect.suspend(() => (++count === 2 ? Deferred.succeed(asked, undefined) : Effect.void)),
          Effect.never
        )
      const first = yield* Effect.forkChild(result(silent))
      yield* Deferred.await(asked)
      const second = yield* Effect.forkChild(result(() => Effect.succeed({ said: "second" })))
      yield* Effect.yieldNow
      assert.isUndefined(second.pollUnsafe())
      yield* Fiber.interrupt(first)
      assert.deepInclude(yield* Fiber.join(second), { answers: [{ said: "second" }, { said: "second" }] })
    })
  )

  it.effect("is refused an answer if asking ends with a mistake in the program, instead of waiting for good", () =>
    Effect.gen(function* () {
      const result = yield* begun
      const waiting = yield* Effect.forkChild(Effect.exit(result(() => Effect.die("a mistake"))))
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      const exit = waiting.pollUnsafe()
      assert.isDefined(exit)
      yield* Fiber.interrupt(waiting)
    })
  )
})
