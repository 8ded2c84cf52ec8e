import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as CallLimiterLayer from "../../src/layers/CallLimiter.ts"
import { CALLS_IN_FLIGHT_MAX } from "../../src/schemas/Defaults.ts"
import { CallLimiter } from "../../src/services/CallLimiter.ts"

/** Whether a call to `server` is let in now. */
const hasRoom = Effect.fnUntraced(function* (server: string) {
  const limiter = yield* CallLimiter
  return Exit.isSuccess(yield* Effect.exit(limiter.admit(server, Effect.void)))
})

/** Starts `count` calls that stay in flight until they are interrupted or `gate` opens. */
const occupy = Effect.fnUntraced(function* (server: string, count: number, gate: Deferred.Deferred<void>) {
  const limiter = yield* CallLimiter
  const call = limiter.admit(server, Deferred.await(gate))
  return yield* Effect.forEach(Array.from({ length: count }), () => Effect.forkChild(call, { startImmediately: true }))
})

describe("CallLimiter", () => {
  it.effect("a call above the limit is refused at once and never run", () =>
    Effect.gen(function* () {
      const limiter = yield* CallLimiter
      const gate = yield* Deferred.make<void>()
      yield* occupy("fs", 2, gate)
      let ran = false
      const refused = yield* Effect.flip(
        limiter.admit(
          "fs",
          Effect.sync(() => (ran = true))
        )
      )
      assert.deepInclude(refused, { _tag: "Overloaded", server: "fs", limit: 2 })
      assert.isFalse(ran)
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 2 })))
  )

  it.effect("a server that is full does not touch another", () =>
    Effect.gen(function* () {
      yield* occupy("fs", 2, yield* Deferred.make<void>())
      assert.isFalse(yield* hasRoom("fs"))
      assert.isTrue(yield* hasRoom("git"))
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 2 })))
  )

  it.effect("the default lets the documented number in", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      yield* occupy("fs", CALLS_IN_FLIGHT_MAX - 1, gate)
      assert.isTrue(yield* hasRoom("fs"))
      yield* occupy("fs", 1, gate)
      assert.isFalse(yield* hasRoom("fs"))
    }).pipe(Effect.provide(CallLimiterLayer.layer()))
  )

  it.effect("the place is free again after success, failure, defect and interruption", () =>
    Effect.gen(function* () {
      const limiter = yield* CallLimiter
      const endings = [Effect.void, Effect.fail("no"), Effect.die("bug"), Effect.interrupt]
      for (const ending of endings) {
        yield* Effect.exit(limiter.admit("fs", ending))
        assert.isTrue(yield* hasRoom("fs"))
      }
      const gate = yield* Deferred.make<void>()
      const [fiber] = yield* occupy("fs", 1, gate)
      assert.isFalse(yield* hasRoom("fs"))
      yield* Fiber.interrupt(fiber!)
      assert.isTrue(yield* hasRoom("fs"))
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 1 })))
  )

  it.effect("an interruption at any moment leaves no place taken", () =>
    Effect.gen(function* () {
      const limiter = yield* CallLimiter
      // Yielding after every few operations puts the interruption at each point of the way in and out.
      for (let steps = 0; steps < 24; steps++) {
        const call = limiter.admit("fs", Effect.yieldNow)
        const fiber = yield* Effect.forkChild(call.pipe(Effect.andThen(call)), { startImmediately: steps % 2 === 0 })
        for (let step = 0; step < steps / 2; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* hasRoom("fs"), `interrupted after ${steps}`)
      }
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 1 })))
  )

  it.effect("a refused call gives nothing back that it did not take", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const fibers = yield* occupy("fs", 1, gate)
      assert.isFalse(yield* hasRoom("fs"))
      assert.isFalse(yield* hasRoom("fs"))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
      assert.isTrue(yield* hasRoom("fs"))
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 1 })))
  )
})
