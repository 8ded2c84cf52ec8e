import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as TestClock from "effect/testing/TestClock"
import * as CallLimiterLayer from "../../../src/layers/call/CallLimiter.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../../src/schemas/call/CallLimits.ts"
import type { CallError } from "../../../src/schemas/call/CallError.ts"
import { CallTimeout } from "../../../src/schemas/connection/RequestError.ts"
import { CallLimiter, type LimitedCaller } from "../../../src/services/call/CallLimiter.ts"

const callerOf = (server: string, limits: Partial<CallLimits> = {}, agent = "main"): LimitedCaller => ({
  agent,
  server,
  process: `${server}\n0123456789abcdef`,
  limits: { ...DEFAULT_CALL_LIMITS, burst: 20, ...limits }
})
const NO_BUCKET = { perMinute: 0 }

const admit = <A>(caller: LimitedCaller, call: Effect.Effect<A, CallError>) =>
  Effect.flatMap(CallLimiter, (limiter) => limiter.admit(caller, call))

const answer = Effect.succeed("ok")
const timeout = Effect.fail(new CallTimeout({ server: "a", method: "tools/call", timeoutMs: 1, deadline: "idle" }))

/** How a call ends: `ok`, or the error without what only words need. */
const end = (caller: LimitedCaller, call: Effect.Effect<string, CallError> = answer) =>
  Effect.match(admit(caller, call), {
    onSuccess: (value): unknown => value,
    onFailure: (error) => ("retryInMs" in error ? [error._tag, error.retryInMs] : error._tag)
  })
const ends = (times: number, caller: LimitedCaller, call?: Effect.Effect<string, CallError>) =>
  Effect.replicateEffect(end(caller, call), times)

/** A call that goes on until it is told how to end; it is under way when this returns. */
const underWay = Effect.fnUntraced(function* (caller: LimitedCaller) {
  const outcome = yield* Deferred.make<string, CallError>()
  const fiber = yield* Effect.forkChild(end(caller, Deferred.await(outcome)), { startImmediately: true })
  return {
    fiber,
    finish: (exit: Exit.Exit<string, CallError>) => Effect.andThen(Deferred.done(outcome, exit), Fiber.join(fiber))
  }
})

const limiter = CallLimiterLayer.layer()

describe("calls in flight", () => {
  const a = callerOf("a", { inFlight: 2 })

  it.effect("leave a place for other clients of the same server", () =>
    Effect.gen(function* () {
      const of = (client: string) => ({ ...callerOf("a", { ...NO_BUCKET, inFlight: 4 }), client })
      const first = yield* underWay(of("one"))
      yield* underWay(of("one"))
      yield* underWay(of("one"))
      assert.deepInclude(yield* Effect.flip(admit(of("one"), answer)), { _tag: "Overloaded", limit: 3 })
      assert.strictEqual(yield* end(of("two")), "ok")
      yield* first.finish(Exit.succeed("ok"))
      assert.strictEqual(yield* end(of("one")), "ok")
      yield* underWay(of("two"))
      yield* underWay(of("two"))
      assert.deepInclude(yield* Effect.flip(admit(of("one"), answer)), { _tag: "Overloaded", limit: 4 })
    }).pipe(Effect.provide(limiter))
  )

  it.effect("are limited per server over all agents, and the error names the limit", () =>
    Effect.gen(function* () {
      yield* underWay(a)
      yield* underWay(callerOf("a", { inFlight: 2 }, "other"))
      const refused = yield* Effect.flip(admit(a, answer))
      assert.deepInclude(refused, { _tag: "Overloaded", server: "a", limit: 2 })
      assert.strictEqual(yield* end(callerOf("b", { inFlight: 2 })), "ok")
    }).pipe(Effect.provide(limiter))
  )

  it.effect("free their place on success, error, interruption and defect", () =>
    Effect.gen(function* () {
      const one = callerOf("a", { ...NO_BUCKET, inFlight: 1 })
      for (let i = 0; i < 3; i++) {
        const { fiber, finish } = yield* underWay(one)
        assert.strictEqual(yield* end(one), "Overloaded")
        if (i === 0) yield* finish(Exit.succeed("ok"))
        if (i === 1) yield* finish(yield* Effect.exit(timeout))
        if (i === 2) yield* Fiber.interrupt(fiber)
        yield* Effect.exit(admit(one, Effect.die("bug")))
      }
      assert.strictEqual(yield* end(one), "ok")
    }).pipe(Effect.provide(limiter))
  )

  it.effect("use no token when they are refused as Overloaded", () =>
    Effect.gen(function* () {
      const one = callerOf("a", { inFlight: 1, burst: 2 })
      const { finish } = yield* underWay(one)
      yield* ends(5, one)
      yield* finish(Exit.succeed("ok"))
      assert.deepStrictEqual(yield* ends(2, one), ["ok", ["RateLimited", 600]])
    }).pipe(Effect.provide(limiter))
  )

  it.effect("can have a lower limit in the layer than in the configuration", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(admit(a, answer)), { _tag: "Overloaded", limit: 0 })
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 0 })))
  )
})

describe("token bucket", () => {
  it.effect("allows the burst, then one call per 600 ms, and says when to retry", () =>
    Effect.gen(function* () {
      const a = callerOf("a")
      assert.deepStrictEqual(
        yield* ends(20, a),
        Array.from({ length: 20 }, () => "ok")
      )
      assert.deepStrictEqual(yield* end(a), ["RateLimited", 600])
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual(yield* end(a), ["RateLimited", 350])
      yield* TestClock.adjust("349 millis")
      assert.deepStrictEqual(yield* end(a), ["RateLimited", 1])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* ends(2, a), ["ok", ["RateLimited", 600]])
    }).pipe(Effect.provide(limiter))
  )

  it.effect("holds at most the burst after an idle hour, and then allows 100 calls a minute", () =>
    Effect.gen(function* () {
      const a = callerOf("a")
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(
        (yield* ends(50, a)).filter((outcome) => outcome === "ok"),
        20
      )
      let passed = 0
      for (let ms = 0; ms < 60_000; ms += 100) {
        yield* TestClock.adjust("100 millis")
        if ((yield* end(a)) === "ok") passed++
      }
      assert.strictEqual(passed, 100)
    }).pipe(Effect.provide(limiter))
  )

  it.effect("is separate for each agent and each server, also for servers with the same name", () =>
    Effect.gen(function* () {
      const one = { burst: 1 }
      const namesake = { ...callerOf("a", one), process: "a\nfedcba9876543210" }
      assert.deepStrictEqual(yield* ends(2, callerOf("a", one)), ["ok", ["RateLimited", 600]])
      assert.strictEqual(yield* end(callerOf("a", one, "other")), "ok")
      assert.strictEqual(yield* end(callerOf("b", one)), "ok")
      assert.strictEqual(yield* end(namesake), "ok")
    }).pipe(Effect.provide(limiter))
  )

  it.effect("gives the time to retry for any rate and burst, and has no limit at 0 a minute", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ends(2, callerOf("a", { perMinute: 7, burst: 1 })), ["ok", ["RateLimited", 8572]])
      assert.deepStrictEqual(yield* ends(2, callerOf("b", { perMinute: 60_000, burst: 1 })), ["ok", ["RateLimited", 1]])
      assert.deepStrictEqual(
        yield* ends(300, callerOf("c", NO_BUCKET)),
        Array.from({ length: 300 }, () => "ok")
      )
    }).pipe(Effect.provide(limiter))
  )

  it.effect("applies new limits from the next call on", () =>
    Effect.gen(function* () {
      yield* ends(20, callerOf("a"))
      assert.deepStrictEqual(yield* end(callerOf("a", { perMinute: 60 })), ["RateLimited", 1000])
    }).pipe(Effect.provide(limiter))
  )

  it.effect("keeps its state while thousands of other servers are called", () =>
    Effect.gen(function* () {
      const a = callerOf("a")
      yield* ends(20, a)
      for (let i = 0; i < 1_000; i++) yield* end(callerOf(`s${i}`))
      assert.deepStrictEqual(yield* end(a), ["RateLimited", 600])
      yield* TestClock.adjust("11999 millis")
      for (let i = 0; i < 1_000; i++) yield* end(callerOf(`t${i}`))
      assert.lengthOf(
        (yield* ends(20, a)).filter((outcome) => outcome === "ok"),
        19
      )
      yield* TestClock.adjust("601 millis")
      for (let i = 0; i < 1_000; i++) yield* end(callerOf(`u${i}`))
      assert.deepStrictEqual(yield* ends(3, a), ["ok", "ok", ["RateLimited", 600]])
    }).pipe(Effect.provide(limiter))
  )
})

describe("token bucket in a shared store", () => {
  const gateway = () => Layer.build(Layer.fresh(CallLimiterLayer.layerShared()))

  it.effect("is shared by several gateways", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* gateway(), yield* gateway()]
      const a = callerOf("a", { burst: 2 })
      assert.strictEqual(yield* Effect.provide(end(a), first), "ok")
      assert.strictEqual(yield* Effect.provide(end(a), second), "ok")
      assert.deepStrictEqual(yield* Effect.provide(end(a), first), ["RateLimited", 600])
      assert.deepStrictEqual(yield* Effect.provide(end(a), second), ["RateLimited", 600])
    }).pipe(Effect.provide(RateLimiter.layerStoreMemory))
  )

  it.effect("lets calls through when the store fails, with at most one warning a minute", () => {
    const warnings: Array<unknown> = []
    const lost = Effect.fail(
      new RateLimiter.RateLimiterError({
        reason: new RateLimiter.RateLimitStoreError({ message: "connection refused" })
      })
    )
    const broken = Layer.succeed(RateLimiter.RateLimiterStore, {
      fixedWindow: () => lost,
      tokenBucket: () => lost,
      adaptiveConsume: () => lost,
      adaptiveFeedback: () => lost
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ends(2, callerOf("a", { burst: 1 })), ["ok", "ok"])
      assert.lengthOf(warnings, 1)
      yield* TestClock.adjust(Duration.minutes(1))
      yield* end(callerOf("a"))
      assert.lengthOf(warnings, 2)
    }).pipe(
      Effect.provide([
        CallLimiterLayer.layerShared().pipe(Layer.provide(broken)),
        Logger.layer([Logger.make(({ message }) => warnings.push(message))])
      ])
    )
  })
})

describe("clients of one agent", () => {
  const of = (client: string, limits: Partial<CallLimits>) => ({ ...callerOf("a", limits), client })

  it.effect("have a token bucket each", () =>
    Effect.gen(function* () {
      const limits = { burst: 2 }
      assert.deepStrictEqual(yield* ends(3, of("one", limits)), ["ok", "ok", ["RateLimited", 600]])
      assert.deepStrictEqual(yield* ends(3, of("two", limits)), ["ok", "ok", ["RateLimited", 600]])
    }).pipe(Effect.provide(limiter))
  )

  it.effect("have separate circuits, which are listed and reset together", () =>
    Effect.gen(function* () {
      const limits = { ...NO_BUCKET, failures: 2 }
      const { forgive, openCircuits } = yield* CallLimiter
      yield* ends(2, of("one", limits), timeout)
      assert.deepStrictEqual(yield* end(of("one", limits)), ["CircuitOpen", 30_000])
      assert.strictEqual(yield* end(of("two", limits)), "ok")
      assert.strictEqual(yield* end(callerOf("a", limits)), "ok")
      const { process } = callerOf("a")
      assert.deepStrictEqual(openCircuits(process), { retryInMs: 30_000 })
      assert.isUndefined(openCircuits("a\n0"))
      forgive(process)
      assert.isUndefined(openCircuits(process))
    }).pipe(Effect.provide(Layer.provideMerge(limiter, Logger.layer([]))))
  )
})
