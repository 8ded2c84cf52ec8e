/** How long something is kept that nobody uses. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { Use } from "../../../../../src/layers/listener/McpListener/http/Use.ts"

const IDLE_MS = 1_000

const watched = (isBusy = () => false) =>
  Effect.gen(function* () {
    const use = new Use(yield* Clock.Clock)
    const fiber = yield* Effect.forkChild(use.unused(IDLE_MS, isBusy), { startImmediately: true })
    const isOver = Effect.sync(() => fiber.pollUnsafe() !== undefined)
    return { use, isOver, over: Fiber.join(fiber) }
  })

describe("what nobody uses", () => {
  it.effect("is over after its time, to the millisecond", () =>
    Effect.gen(function* () {
      const { isOver } = yield* watched()
      yield* TestClock.adjust(IDLE_MS - 1)
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isOver)
    })
  )

  it.effect("has its time anew after each use, however often it is used", () =>
    Effect.gen(function* () {
      const { isOver, use } = yield* watched()
      for (let times = 0; times < 10; times++) {
        yield* TestClock.adjust(IDLE_MS - 1)
        use.enter()
        use.leave()
      }
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust(IDLE_MS - 1)
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isOver)
    })
  )

  it.effect("is not over while one of several uses it, however long that is", () =>
    Effect.gen(function* () {
      const { isOver, use } = yield* watched()
      use.enter()
      use.enter()
      yield* TestClock.adjust(IDLE_MS * 10.5)
      use.leave()
      yield* TestClock.adjust(IDLE_MS * 10)
      assert.isFalse(yield* isOver)
      use.leave()
      yield* TestClock.adjust(IDLE_MS - 1)
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isOver)
    })
  )

  it.effect("is not over while it works for somebody who may come back", () =>
    Effect.gen(function* () {
      let isBusy = true
      const { isOver } = yield* watched(() => isBusy)
      yield* TestClock.adjust(IDLE_MS * 10)
      assert.isFalse(yield* isOver)
      isBusy = false
      yield* TestClock.adjust(IDLE_MS)
      assert.isTrue(yield* isOver)
    })
  )
})
