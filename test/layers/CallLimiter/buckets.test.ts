import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { type Buckets, makeOwnBuckets, makeSharedBuckets } from "../../../src/layers/CallLimiter/buckets.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../../src/schemas/CallLimits.ts"
import type { Caller } from "../../../src/services/CallLimiter.ts"

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

/** Some calls of one of two agents, after a while; what limits there are may have been changed. */
const Visit = Schema.Struct({
  afterMs: Schema.Union([below(5), below(1_000), below(200_000)]),
  agent: below(2),
  limits: below(LIMITS.length),
  calls: below(25)
})

const outcome = (buckets: Buckets, caller: Caller) =>
  Effect.match(buckets.take(caller) ?? Effect.void, {
    onSuccess: (): unknown => "ok",
    onFailure: ({ retryInMs, server }) => [server, retryInMs]
  })

describe("a bucket of this process", () => {
  it.effect.prop(
    "decides and says as effect/persistence does, whatever is called when",
    [Schema.Array(Visit)],
    ([visits]) =>
      Effect.gen(function* () {
        const [own, reference] = [yield* makeOwnBuckets, yield* makeSharedBuckets]
        for (const { afterMs, agent, calls, limits } of visits) {
          yield* TestClock.adjust(afterMs)
          const caller: Caller = { agent: `agent${agent}`, server: "a", process: "a\n0", limits: LIMITS[limits]! }
          for (let call = 0; call < calls; call++) {
            assert.deepStrictEqual(yield* outcome(own, caller), yield* outcome(reference, caller))
          }
        }
      }).pipe(Effect.provide(RateLimiter.layerStoreMemory, { local: true }))
  )

  it.effect("is the same for whoever comes as the same agent to the same server", () =>
    Effect.gen(function* () {
      const own = yield* makeOwnBuckets
      const limits = { ...DEFAULT_CALL_LIMITS, burst: 1 }
      const again = (): Caller => ({ agent: "main", server: "a", process: "a\n0", limits: { ...limits } })
      assert.strictEqual(yield* outcome(own, again()), "ok")
      assert.deepStrictEqual(yield* outcome(own, again()), ["a", 600])
    })
  )
})
