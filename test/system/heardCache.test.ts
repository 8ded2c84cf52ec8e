import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { EVERYTHING, makeHeardCache, type HeardChange } from "../../src/system/heardCache.ts"

const UNHEARD_MS = 1_000

const setUp = Effect.gen(function* () {
  const heard = yield* Queue.unbounded<HeardChange>()
  const states = yield* Queue.unbounded<"here" | "away">()
  const cache = yield* makeHeardCache<string>({
    heard: Stream.fromQueue(heard),
    states: Stream.fromQueue(states),
    unheardMs: UNHEARD_MS,
    max: 2
  })
  /** Returns when it was heard. */
  const hear = (change: HeardChange) => Effect.andThen(Queue.offer(heard, change), TestClock.adjust(0))
  const become = (state: "here" | "away") => Effect.andThen(Queue.offer(states, state), TestClock.adjust(0))
  yield* hear({ _tag: "listening" })
  return { cache, hear, become, load: (key: string) => cache.load(key, Effect.succeed(`${key}!`)) }
})

describe("a cache of what others change", () => {
  it.effect("remembers until it hears that a key has changed, or everything", () =>
    Effect.gen(function* () {
      const { cache, hear, load } = yield* setUp
      yield* load("a")
      yield* load("b")
      yield* hear({ _tag: "said", text: "a" })
      assert.isUndefined(cache.get("a"))
      assert.strictEqual(cache.get("b"), "b!")
      yield* hear({ _tag: "said", text: EVERYTHING })
      assert.isUndefined(cache.get("b"))
    })
  )

  it.effect("does not remember what changed while it was read", () =>
    Effect.gen(function* () {
      const { cache, hear } = yield* setUp
      const answer = yield* Deferred.make<string>()
      const reading = yield* Effect.forkChild(cache.load("a", Deferred.await(answer)), { startImmediately: true })
      yield* hear({ _tag: "said", text: "a" })
      yield* Deferred.succeed(answer, "old")
      assert.strictEqual(yield* Fiber.join(reading), "old")
      assert.isUndefined(cache.get("a"))
    })
  )

  it.effect("counts for a bounded time while nothing is heard, and for none before anything was", () =>
    Effect.gen(function* () {
      const { become, cache, hear, load } = yield* setUp
      yield* load("a")
      yield* TestClock.adjust(10 * UNHEARD_MS)
      yield* become("away")
      yield* TestClock.adjust(UNHEARD_MS - 1)
      assert.strictEqual(cache.get("a"), "a!")
      // Another reason not to hear does not prolong that.
      yield* hear({ _tag: "deaf" })
      yield* TestClock.adjust(1)
      assert.isUndefined(cache.get("a"))
      yield* become("here")
      assert.isUndefined(cache.get("a"))
      yield* hear({ _tag: "listening" })
      // What was said meanwhile was missed.
      assert.isUndefined(cache.get("a"))
      yield* load("a")
      assert.strictEqual(cache.get("a"), "a!")
    })
  )

  it.effect("keeps a bounded number", () =>
    Effect.gen(function* () {
      const { cache, load } = yield* setUp
      for (const key of ["a", "b", "c"]) yield* load(key)
      assert.deepEqual(
        ["a", "b", "c"].map((key) => cache.get(key)),
        [undefined, "b!", "c!"]
      )
    })
  )
})
