import { assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { InTurns } from "../../src/schemas/data/InTurns.ts"
import { TURN_MS } from "../../src/schemas/defaults/Wire.ts"
import { EventLoop, makeEventLoop } from "../../src/system/EventLoop.ts"
import { eachInTurns, inTurns } from "../../src/system/inTurns.ts"

/** Holds the loop for longer than a slice may. */
const busy = () => {
  const until = performance.now() + TURN_MS * 2
  while (performance.now() < until);
}

describe("eachInTurns", () => {
  it.live("lets other work run between two slices", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const fiber = yield* Effect.forkChild(
        eachInTurns([1, 2, 3], (item) => {
          order.push(`item ${item}`)
          busy()
        })
      )
      // However long large work of others makes it rest.
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        order.push("other")
      }
      yield* Fiber.join(fiber)
      const worked = order.filter((what) => what !== "other")
      assert.deepStrictEqual(worked, ["item 1", "item 2", "item 3"])
      assert.include(order.slice(order.indexOf("item 1"), order.indexOf("item 2")), "other")
      assert.include(order.slice(order.indexOf("item 2"), order.indexOf("item 3")), "other")
    })
  )

  it.live("runs at most one slice in each turn of the loop, for all callers together", () =>
    Effect.gen(function* () {
      let turn = 0
      const pieces: Array<number> = []
      const work = eachInTurns([1, 2, 3, 4], () => {
        pieces.push(turn)
        busy()
      })
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(work))
      while (fibers.some((fiber) => fiber.pollUnsafe() === undefined)) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        turn++
      }
      // The first piece of each is done where it was asked for.
      const later = pieces.slice(fibers.length)
      assert.lengthOf(later, 9)
      assert.strictEqual(new Set(later).size, later.length, later.join())
    })
  )

  it.live("does not count time without a processor towards the limit", () =>
    Effect.gen(function* () {
      // Not earlier than what other tests have seen: the order of large work compares times.
      let now = performance.now()
      vi.spyOn(performance, "now").mockImplementation(() => (now += 100))
      function* work(): InTurns<string> {
        for (let step = 0; step < 20; step++) yield
        return "done"
      }
      assert.strictEqual(yield* inTurns(work(), { ms: 1_000, orElse: () => "given up" }), "done")
    }).pipe(
      Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())),
      // The one of the process rests until a time of the real clock.
      Effect.provideService(EventLoop, makeEventLoop())
    )
  )

  it.live("gives up work that takes longer than its limit", () =>
    Effect.gen(function* () {
      function* work(): InTurns<string> {
        for (;;) {
          busy()
          yield
        }
      }
      assert.strictEqual(yield* inTurns(work(), { ms: 20, orElse: () => "given up" }), "given up")
    })
  )

  it("finishes small work synchronously", () => {
    const seen: Array<number> = []
    Effect.runSync(eachInTurns([1, 2, 3], (item) => void seen.push(item)))
    assert.deepStrictEqual(seen, [1, 2, 3])
  })
})
