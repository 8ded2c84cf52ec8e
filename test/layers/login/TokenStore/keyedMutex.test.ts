import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeTurns } from "../../../../src/layers/login/TokenStore/keyedMutex.ts"

describe("turns", () => {
  it.effect("come one after the other under one key, and at once under two", () =>
    Effect.gen(function* () {
      const { inTurn } = makeTurns()
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

  it.effect("leave nothing behind, also when they fail or are given up", () =>
    Effect.gen(function* () {
      const { inTurn, size } = makeTurns()
      yield* inTurn("done", Effect.void)
      yield* Effect.exit(inTurn("failed", Effect.fail("no")))
      const running = yield* Effect.forkChild(inTurn("given up", Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(inTurn("given up", Effect.void), { startImmediately: true })
      assert.strictEqual(size(), 1)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(size(), 1)
      yield* Fiber.interrupt(running)
      assert.strictEqual(size(), 0)
    })
  )
})
