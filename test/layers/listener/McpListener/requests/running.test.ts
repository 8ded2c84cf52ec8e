import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { waitFor } from "../../../../../src/layers/listener/McpListener/requests/running.ts"

const MS = 1_000

const waiting = Effect.gen(function* () {
  let givenUp = 0
  const returned = waitFor(Effect.runForkWith(yield* Effect.context<never>()), MS, () => void givenUp++)
  return { returned, givenUp: () => givenUp }
})

describe("a client that may come back", () => {
  it.effect("is given up once, when its time is over", () =>
    Effect.gen(function* () {
      const { givenUp, returned } = yield* waiting
      yield* TestClock.adjust(MS - 1)
      assert.strictEqual(givenUp(), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(givenUp(), 1)
      returned()
      yield* TestClock.adjust(MS * 10)
      assert.strictEqual(givenUp(), 1)
    })
  )

  it.effect("is not given up after it has returned", () =>
    Effect.gen(function* () {
      const { givenUp, returned } = yield* waiting
      returned()
      yield* TestClock.adjust(MS * 10)
      assert.strictEqual(givenUp(), 0)
    })
  )
})
