import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SLICE_MS } from "../../src/schemas/defaults/Slices.ts"
import { inSlices } from "../../src/schemas/InSlices.ts"

/** Holds the loop for longer than a slice may. */
const busy = () => {
  const until = performance.now() + SLICE_MS * 2
  while (performance.now() < until);
}

describe("inSlices", () => {
  it.live("everybody else has a turn between two slices", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const fiber = yield* Effect.forkChild(
        inSlices([1, 2, 3], (item) => {
          order.push(`item ${item}`)
          busy()
        })
      )
      for (let turn = 0; turn < 20 && fiber.pollUnsafe() === undefined; turn++) {
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

  it("what takes no time is done at once", () => {
    const seen: Array<number> = []
    Effect.runSync(inSlices([1, 2, 3], (item) => void seen.push(item)))
    assert.deepStrictEqual(seen, [1, 2, 3])
  })
})
