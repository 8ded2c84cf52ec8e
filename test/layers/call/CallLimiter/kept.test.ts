import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as TestClock from "effect/testing/TestClock"
import { makeOwnBuckets } from "../../../../src/layers/call/CallLimiter/buckets.ts"
import { makeCircuits } from "../../../../src/layers/call/CallLimiter/circuits.ts"
import { DEFAULT_CALL_LIMITS } from "../../../../src/schemas/call/CallLimits.ts"
import { CallTimeout } from "../../../../src/schemas/connection/RequestError.ts"
import type { LimitedCaller } from "../../../../src/services/call/CallLimiter.ts"

const callerOf = (i: number): LimitedCaller => ({
  agent: `agent${i}`,
  server: "a",
  process: `a\n${i}`,
  limits: { ...DEFAULT_CALL_LIMITS, burst: 20 }
})

const failed = Exit.fail(new CallTimeout({ server: "a", method: "tools/call", timeoutMs: 1, deadline: "idle" }))

describe("the memory of CallLimiter", () => {
  it.effect("drops full token buckets, and keeps those that are still filling", () =>
    Effect.gen(function* () {
      const { kept, take } = yield* makeOwnBuckets
      for (let i = 0; i < 10_000; i++) {
        yield* take(callerOf(i)) ?? Effect.void
        // A hundred callers in the time in which a bucket fills.
        yield* TestClock.adjust("120 millis")
      }
      assert.isAtMost(kept(), 256)
      assert.isAtLeast(kept(), 100)
    })
  )

  it.effect("drops circuits that are no longer used, and those of servers that answer at once", () =>
    Effect.gen(function* () {
      const circuits = makeCircuits(yield* CircuitBreaker.CircuitBreakerStore, yield* Clock.Clock)
      const ended = (caller: LimitedCaller, exit: typeof failed | Exit.Exit<string>) =>
        circuits.ended(caller, exit) ?? Effect.void
      for (let i = 0; i < 2_000; i++) {
        yield* ended(callerOf(i), failed)
        yield* TestClock.adjust("1 minute")
      }
      assert.isAtMost(circuits.kept(), 128)
      for (let i = 0; i < 2_000; i++) yield* ended(callerOf(i), Exit.succeed("ok"))
      assert.strictEqual(circuits.kept(), 0)
    }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
  )
})
