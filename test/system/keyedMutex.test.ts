import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { makeKeyedMutex } from "../../src/system/keyedMutex.ts"

describe("a keyed mutex", () => {
  it.effect("runs work under one key in sequence, and under two keys concurrently", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* makeKeyedMutex
      const steps: Array<string> = []
      const work = (name: string) =>
        Effect.gen(function* () {
          steps.push(`${name} begins`)
          yield* Effect.yieldNow
          steps.push(`${name} ends`)
        })
      yield* Effect.all([inTurn("a", work("one")), inTurn("a", work("two")), inTurn("b", work("three"))], {
        concurrency: "unbounded"
      })
      assert.isBelow(steps.indexOf("one ends"), steps.indexOf("two begins"))
      assert.isBelow(steps.indexOf("three begins"), steps.indexOf("one ends"))
    })
  )

  it.effect("forgets a key when its work succeeds, fails or is interrupted", () =>
    Effect.gen(function* () {
      const { inTurn, isBusy } = yield* makeKeyedMutex
      yield* inTurn("done", Effect.void)
      yield* Effect.exit(inTurn("failed", Effect.fail("no")))
      const running = yield* Effect.forkChild(inTurn("given up", Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(inTurn("given up", Effect.void), { startImmediately: true })
      const busy = Effect.forEach(["done", "failed", "given up"], isBusy)
      assert.deepStrictEqual(yield* busy, [false, false, true])
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(yield* busy, [false, false, true])
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(yield* busy, [false, false, false])
    })
  )

  it.effect("holds a key until a Scope closes, and waiting for it can be interrupted", () =>
    Effect.gen(function* () {
      const { hold, inTurn } = yield* makeKeyedMutex
      const scope = yield* Scope.make()
      yield* Scope.provide(hold("a"), scope)
      const given = yield* Effect.forkChild(Effect.scoped(hold("a")), { startImmediately: true })
      yield* Fiber.interrupt(given)
      const waiting = yield* Effect.forkChild(inTurn("a", Effect.succeed("done")), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(waiting), "done")
    })
  )

  it.effect("leaves the resources of the work open until the caller's Scope closes", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* makeKeyedMutex
      let isOpen = true
      const acquire = Effect.acquireRelease(Effect.void, () => Effect.sync(() => (isOpen = false)))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* inTurn("a", acquire)
          assert.isTrue(isOpen)
        })
      )
      assert.isFalse(isOpen)
    })
  )
})
