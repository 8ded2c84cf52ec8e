import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { type Buckets, makeOwnBuckets, makeSharedBuckets } from "../../../../src/layers/call/CallLimiter/buckets.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../../../src/schemas/call/CallLimits.ts"
import type { LimitedCaller } from "../../../../src/services/call/CallLimiter.ts"

/** Rates that divide a minute and rates that do not, slower and faster than the clock ticks. */
const LIMITS: ReadonlyArray<CallLimits> = [
  [100, 20],
  [7, 1],
  [7, 3],
  [60_000, 2],
  [1_000_000, 5],
  [90_001, 4],
  [1, 2],
  [600, 0]
].map(([perMinute, burst]) => ({ ...DEFAULT_CALL_LIMITS, perMinute: perMinute!, burst: burst! }))

const below = (end: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: end - 1 }))

/** Some calls of one of two agents, after a while; how fast its tokens come back may have been changed. */
const Visit = Schema.Struct({
  afterMs: Schema.Union([below(5), below(1_000), below(200_000)]),
  agent: below(2),
  limits: below(LIMITS.length),
  calls: below(25)
})

const outcome = (buckets: Buckets, caller: LimitedCaller) =>
  Effect.match(buckets.take(caller) ?? Effect.void, {
    onSuccess: (): unknown => "ok",
    onFailure: ({ retryInMs, server }) => [server, retryInMs]
  })

describe("an in-process token bucket", () => {
  it.effect.prop(
    "decides as the rate limiter of effect/persistence does, for any sequence of calls",
    [Schema.Array(Visit)],
    ([visits]) =>
      Effect.gen(function* () {
        const [own, reference] = [yield* makeOwnBuckets, yield* makeSharedBuckets]
        for (const { afterMs, agent, calls, limits } of visits) {
          yield* TestClock.adjust(afterMs)
          const its = LIMITS[limits]!
          const name = `agent${agent}-${its.burst}`
          const caller: LimitedCaller = { agent: name, server: "a", process: "a\n0", limits: its }
          for (let call = 0; call < calls; call++) {
            assert.deepStrictEqual(yield* outcome(own, caller), yield* outcome(reference, caller))
          }
        }
      }).pipe(Effect.provide(RateLimiter.layerStoreMemory, { local: true }))
  )

  const callerOf = (limits: Partial<CallLimits>): LimitedCaller => ({
    agent: "main",
    server: "a",
    process: "a\n0",
    limits: { ...DEFAULT_CALL_LIMITS, ...limits }
  })

  it.effect("gives its next token on time after the clock is set back", () =>
    Effect.gen(function* () {
      const own = yield* makeOwnBuckets
      const caller = callerOf({ perMinute: 60, burst: 1 })
      yield* TestClock.setTime(10_000_000)
      assert.strictEqual(yield* outcome(own, caller), "ok")
      yield* TestClock.setTime(6_400_000)
      assert.deepStrictEqual(yield* outcome(own, caller), ["a", 1_000])
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* outcome(own, caller), "ok")
    })
  )

  it.effect("is reduced to a smaller burst with the next call", () =>
    Effect.gen(function* () {
      const own = yield* makeOwnBuckets
      const large = callerOf({ perMinute: 60, burst: 20 })
      const small = callerOf({ perMinute: 60, burst: 2 })
      assert.strictEqual(yield* outcome(own, large), "ok")
      const outcomes = [yield* outcome(own, small), yield* outcome(own, small), yield* outcome(own, small)]
      assert.deepStrictEqual(outcomes, ["ok", "ok", ["a", 1_000]])
      assert.deepStrictEqual(yield* outcome(own, large), ["a", 1_000])
    })
  )

  it.effect("is the same for equal callers that are different objects", () =>
    Effect.gen(function* () {
      const own = yield* makeOwnBuckets
      const limits = { ...DEFAULT_CALL_LIMITS, burst: 1 }
      const again = (): LimitedCaller => ({ agent: "main", server: "a", process: "a\n0", limits: { ...limits } })
      assert.strictEqual(yield* outcome(own, again()), "ok")
      assert.deepStrictEqual(yield* outcome(own, again()), ["a", 600])
    })
  )
})
