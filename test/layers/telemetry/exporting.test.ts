import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { asWhole, inBatches, type Post } from "../../../src/layers/telemetry/Telemetry/exporting.ts"
import { OTLP_BATCH_MAX, OTLP_RETRY_MAX_MS, OTLP_WAITING_MAX } from "../../../src/schemas/defaults/Telemetry.ts"

const EVERY_MS = 5_000

/** A collector that answers as it is told. */
const collector = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const state = { answer: "sent" as Effect.Success<ReturnType<Post>>, tries: 0 }
  let packed: ReadonlyArray<number> = []
  const post: Post = () =>
    Effect.sync(() => {
      state.tries++
      if (state.answer !== "away") batches.push(packed)
      return state.answer
    })
  return {
    state,
    post,
    batches,
    pack: (batch: ReadonlyArray<number>) => {
      packed = batch
      return { body: new Uint8Array(), contentType: "" }
    }
  }
}

describe("what is exported in batches", () => {
  it.effect("is sent after a while, sooner when there is much, and in bounded parts", () =>
    Effect.gen(function* () {
      const { batches, pack, post } = collector()
      const take = yield* inBatches(EVERY_MS, post, pack)
      take(0)
      yield* TestClock.adjust(EVERY_MS - 1)
      assert.lengthOf(batches, 0)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(batches, [[0]])
      for (let i = 0; i < OTLP_BATCH_MAX + 1; i++) take(i)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        batches.map(({ length }) => length),
        [1, OTLP_BATCH_MAX, 1]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("waits for a collector that is away, as far as there is room, and is sent when it is back", () =>
    Effect.gen(function* () {
      const { batches, pack, post, state } = collector()
      state.answer = "away"
      const take = yield* inBatches(EVERY_MS, post, pack)
      for (let round = 0; round < 10; round++) {
        for (let i = 0; i < OTLP_WAITING_MAX; i++) take(i)
        yield* TestClock.adjust(OTLP_RETRY_MAX_MS)
      }
      // It is tried now and then, however much there is.
      assert.isBelow(state.tries, 10 * (OTLP_RETRY_MAX_MS / EVERY_MS) + 1)
      state.answer = "sent"
      yield* TestClock.adjust(OTLP_RETRY_MAX_MS)
      assert.strictEqual(
        batches.reduce((sum, { length }) => sum + length, 0),
        OTLP_WAITING_MAX
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that comes faster than it is sent is dropped where there is no room", () =>
    Effect.gen(function* () {
      const { batches, pack, post } = collector()
      const take = yield* inBatches(EVERY_MS, post, pack)
      for (let i = 0; i < OTLP_WAITING_MAX * 5; i++) take(i)
      yield* TestClock.adjust(EVERY_MS)
      assert.deepStrictEqual(
        batches.flat(),
        Array.from({ length: OTLP_WAITING_MAX }, (_, i) => i)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is not sent again if the collector does not want it", () =>
    Effect.gen(function* () {
      const { batches, pack, post, state } = collector()
      state.answer = "refused"
      const take = yield* inBatches(EVERY_MS, post, pack)
      take(1)
      yield* TestClock.adjust(EVERY_MS * 10)
      assert.deepStrictEqual(batches, [[1]])
    }).pipe(Effect.scoped)
  )

  it.effect("is sent at the end, and a collector that never answers does not delay it", () =>
    Effect.gen(function* () {
      const { batches, pack, post } = collector()
      const scope = yield* Scope.make()
      const take = yield* Scope.provide(inBatches(EVERY_MS, post, pack), scope)
      take(1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(batches, [[1]])

      const silent = yield* Scope.make()
      yield* Scope.provide(
        asWhole(
          EVERY_MS,
          () => Effect.never,
          () => [pack([])].values()
        ),
        silent
      )
      const closing = yield* Effect.forkChild(Scope.close(silent, Exit.void))
      yield* TestClock.adjust("1 minute")
      assert.isDefined(closing.pollUnsafe())
    })
  )
})

describe("what is exported as a whole", () => {
  const parcels = (count: number, made: (i: number) => void) =>
    function* () {
      for (let i = 0; i < count; i++) {
        made(i)
        yield { body: new Uint8Array([i]), contentType: "" }
      }
    }

  it.live("is made one parcel in a turn of the event loop, each when the one before was sent", () =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      let turn = 0
      const ticking = setInterval(() => {}, 1)
      const tick = () => {
        turn++
        immediate = setImmediate(tick)
      }
      let immediate = setImmediate(tick)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearInterval(ticking)
          clearImmediate(immediate)
        })
      )
      const events: Array<string> = []
      const turns: Array<number> = []
      const post: Post = ({ body: [i] }) =>
        Effect.sync(() => {
          events.push(`sent ${i}`)
          if (i === 9) Deferred.doneUnsafe(done, Effect.void)
          return "sent" as const
        })
      const pack = parcels(10, (i) => {
        events.push(`made ${i}`)
        turns.push(turn)
      })
      yield* asWhole(1, post, pack)
      yield* Deferred.await(done)
      const expected = Array.from({ length: 10 }, (_, i) => [`made ${i}`, `sent ${i}`]).flat()
      assert.deepStrictEqual(events.slice(0, 20), expected)
      assert.lengthOf(new Set(turns.slice(0, 10)), 10)
    }).pipe(Effect.scoped)
  )

  it.live("is given up where the collector is away", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const made: Array<number> = []
      const post: Post = () => Effect.as(Deferred.succeed(first, undefined), "away")
      const pack = parcels(10, (i) => made.push(i))
      yield* asWhole(1, post, pack)
      yield* Deferred.await(first)
      assert.deepStrictEqual(made, [0])
    }).pipe(Effect.scoped)
  )
})
