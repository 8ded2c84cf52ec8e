/** What is written in the background, also when the database is away. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import { makeWriter } from "../../../../src/layers/fleet/SessionDirectory/writer.ts"
import { DIRECTORY_AGAIN_MS } from "../../../../src/schemas/defaults/FleetSessions.ts"
import { DatabaseAway } from "../../../../src/schemas/fleet/FleetError.ts"
import { quiet } from "../../../support/fleetStores.ts"

const away = new DatabaseAway({ detail: "nothing can be written", retryInMs: 1_000 })

const making = (max = 100) =>
  Effect.gen(function* () {
    const state = yield* SubscriptionRef.make<"here" | "away">("here")
    const rounds: Array<ReadonlyArray<readonly [string, string]>> = []
    let gate: Effect.Effect<void, DatabaseAway> = Effect.void
    const writer = yield* makeWriter<string>(
      { isAway: () => SubscriptionRef.getUnsafe(state) === "away", states: SubscriptionRef.changes(state) },
      (states) =>
        Effect.andThen(
          gate,
          Effect.sync(() => void rounds.push([...states]))
        ),
      max
    )
    return {
      writer,
      rounds,
      set: (next: "here" | "away") => SubscriptionRef.set(state, next),
      gate: (next: Effect.Effect<void, DatabaseAway>): void => {
        gate = next
      }
    }
  })

describe("what is written in the background", () => {
  it.effect("is written after something for which the writing threw, which is left out", () =>
    Effect.gen(function* () {
      const state = yield* SubscriptionRef.make<"here" | "away">("here")
      const written: Array<string> = []
      const writer = yield* makeWriter<string>(
        { isAway: () => false, states: SubscriptionRef.changes(state) },
        (states) => {
          if (states.has("one")) throw new Error("a mistake")
          return Effect.sync(() => void written.push(...states.keys()))
        },
        100
      )
      for (const key of ["one", "two"]) writer.write(key, "first")
      assert.isTrue(yield* writer.written)
      writer.write("three", "first")
      assert.isTrue(yield* writer.written)
      assert.deepStrictEqual(written, ["two", "three"])
    }).pipe(Effect.provide(quiet))
  )

  it.effect("is written together if it comes while something is written, the newest state of each", () =>
    Effect.gen(function* () {
      const { gate, rounds, writer } = yield* making()
      const open = yield* Deferred.make<void>()
      gate(Deferred.await(open))
      writer.write("one", "first")
      const written = yield* Effect.forkChild(writer.written, { startImmediately: true })
      yield* Effect.yieldNow
      for (const [key, state] of [
        ["one", "second"],
        ["two", "first"],
        ["one", "third"]
      ] as const)
        writer.write(key, state)
      assert.deepStrictEqual([writer.pending("one"), writer.pending("two")], ["third", "first"])
      yield* Deferred.succeed(open, undefined)
      assert.isTrue(yield* Fiber.join(written))
      assert.isTrue(yield* writer.written)
      assert.deepStrictEqual(rounds, [
        [["one", "first"]],
        [
          ["two", "first"],
          ["one", "third"]
        ]
      ])
      assert.isUndefined(writer.pending("one"))
    })
  )

  it.effect("is left out alone if the database refuses it, and all that comes with it and after it is written", () =>
    Effect.gen(function* () {
      const rounds: Array<ReadonlyArray<string>> = []
      const state = yield* SubscriptionRef.make<"here" | "away">("here")
      const writer = yield* makeWriter<string>(
        { isAway: () => false, states: SubscriptionRef.changes(state) },
        (states) => {
          if (states.has("refused")) return Effect.die("no such text")
          return Effect.sync(() => void rounds.push([...states.keys()]))
        },
        100
      )
      for (const key of ["one", "refused", "two"]) writer.write(key, "state")
      yield* writer.written
      writer.write("three", "state")
      assert.isTrue(yield* writer.written)
      assert.deepStrictEqual(rounds, [["one"], ["two"], ["three"]])
      assert.isUndefined(writer.pending("refused"))
    })
  )

  it.effect("waits while the database is away, nobody waits for it, and it is written afterwards", () =>
    Effect.gen(function* () {
      const { gate, rounds, set, writer } = yield* making()
      yield* set("away")
      gate(Effect.fail(away))
      writer.write("one", "first")
      assert.isFalse(yield* writer.written)
      yield* Effect.yieldNow
      writer.write("two", "first")
      assert.isFalse(yield* writer.written)
      gate(Effect.void)
      yield* set("here")
      assert.isTrue(
        yield* Effect.repeat(Effect.andThen(Effect.yieldNow, writer.written), { until: (is) => is, times: 100 })
      )
      assert.deepStrictEqual(
        new Map(rounds.flat()),
        new Map([
          ["one", "first"],
          ["two", "first"]
        ])
      )
    })
  )

  it.effect("is written again when the database was busy", () =>
    Effect.gen(function* () {
      const { gate, rounds, writer } = yield* making()
      gate(Effect.fail(away))
      writer.write("one", "first")
      assert.isFalse(yield* writer.written)
      gate(Effect.void)
      yield* TestClock.adjust(DIRECTORY_AGAIN_MS)
      assert.isTrue(yield* writer.written)
      assert.deepStrictEqual(rounds.flat(), [["one", "first"]])
    })
  )

  it.effect("is bounded", () =>
    Effect.gen(function* () {
      const { set, writer } = yield* making(1)
      yield* set("away")
      writer.write("one", "first")
      writer.write("two", "first")
      writer.write("one", "second")
      assert.isUndefined(writer.pending("two"))
    })
  )
})
