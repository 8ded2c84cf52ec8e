import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { again, following, roundsOf, tryEach, untilDone } from "../../src/system/rounds.ts"

const PAUSE_MS = 1_000

const broken = Effect.sync((): never => {
  throw new Error("a mistake")
})

/** Rounds that end like these, one after the other, and like the last from then on; what they were, and what was logged. */
const playing = (...ends: ReadonlyArray<Effect.Effect<unknown, string>>) => {
  const [lines, causes]: [Array<string>, Array<string>] = [[], []]
  let count = 0
  const logger = Logger.layer([
    Logger.make(({ cause, logLevel, message }) => {
      lines.push(`${logLevel} ${String(message)}`)
      causes.push(String(cause))
    })
  ])
  return {
    lines,
    causes,
    logger,
    count: () => count,
    round: Effect.suspend(() => ends[Math.min(count++, ends.length - 1)]!)
  }
}

const LINE = "Warn the work failed unexpectedly and goes on; this is said once until it succeeds"

describe("rounds in the background", () => {
  it.effect("go on after one that failed or threw, with the usual pause, and one line for a run of failures", () =>
    Effect.gen(function* () {
      const { causes, count, lines, logger, round } = playing(
        Effect.void,
        broken,
        Effect.fail("no"),
        Effect.die("no"),
        Effect.void,
        Effect.fail("no again"),
        Effect.void
      )
      const fiber = yield* Effect.forkChild(again("the work", PAUSE_MS, round), { startImmediately: true }).pipe(
        Effect.provide(logger)
      )
      assert.strictEqual(count(), 0)
      for (let past = 1; past <= 7; past++) {
        yield* TestClock.adjust(PAUSE_MS - 1)
        assert.strictEqual(count(), past - 1)
        yield* TestClock.adjust(1)
        assert.strictEqual(count(), past)
      }
      assert.deepStrictEqual(lines, [LINE, LINE])
      assert.include(causes[0], "a mistake")
      assert.include(causes[1], "no again")
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("end when they are interrupted, in a pause and in a round, and say nothing of it", () =>
    Effect.gen(function* () {
      const { count, lines, logger, round } = playing(broken, Effect.never)
      const start = Effect.forkChild(again("the work", PAUSE_MS, round), { startImmediately: true })
      const pausing = yield* start
      yield* Fiber.interrupt(pausing)
      assert.strictEqual(count(), 0)
      const working = yield* Effect.provide(start, logger)
      yield* TestClock.adjust(2 * PAUSE_MS)
      assert.strictEqual(count(), 2)
      yield* Fiber.interrupt(working)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(working)))
      yield* TestClock.adjust(PAUSE_MS)
      assert.strictEqual(count(), 2)
      assert.deepStrictEqual(lines, [LINE])
    })
  )

  it.effect("go on when something of a round was interrupted, without a line", () =>
    Effect.gen(function* () {
      const { count, lines, logger, round } = playing(Effect.interrupt, Effect.void)
      yield* Effect.forkChild(again("the work", PAUSE_MS, round), { startImmediately: true }).pipe(
        Effect.provide(logger)
      )
      yield* TestClock.adjust(2 * PAUSE_MS)
      assert.strictEqual(count(), 2)
      assert.deepStrictEqual(lines, [])
    })
  )

  it.effect("begin when something happens", () =>
    Effect.gen(function* () {
      const wake = yield* Queue.unbounded<void>()
      const { count, logger, round } = playing(broken, Effect.void)
      yield* Effect.forkChild(again("the work", Queue.take(wake), round), { startImmediately: true }).pipe(
        Effect.provide(logger)
      )
      for (const past of [1, 2]) {
        yield* Queue.offer(wake, undefined)
        yield* TestClock.adjust(0)
        assert.strictEqual(count(), past)
      }
    })
  )

  it.effect("end with the first that succeeds, if that is what they are for", () =>
    Effect.gen(function* () {
      const { count, lines, logger, round } = playing(broken, Effect.fail("no"), Effect.void)
      const fiber = yield* Effect.forkChild(untilDone("the work", PAUSE_MS, round), { startImmediately: true }).pipe(
        Effect.provide(logger)
      )
      assert.strictEqual(count(), 1)
      yield* TestClock.adjust(PAUSE_MS)
      assert.strictEqual(count(), 2)
      yield* TestClock.adjust(PAUSE_MS)
      yield* Fiber.join(fiber)
      assert.strictEqual(count(), 3)
      assert.deepStrictEqual(lines, [LINE])
    })
  )

  it.effect("follow a stream past what failed", () =>
    Effect.gen(function* () {
      const { lines, logger } = playing()
      const seen: Array<number> = []
      const each = (n: number) => {
        if (n === 2) throw new Error("a mistake")
        return Effect.sync(() => void seen.push(n))
      }
      yield* Effect.provide(following("the work", Stream.make(1, 2, 3), each), logger)
      assert.deepStrictEqual(seen, [1, 3])
      assert.deepStrictEqual(lines, [LINE])
    })
  )

  it.effect("give what they found, and nothing if they failed", () =>
    Effect.gen(function* () {
      const { logger } = playing()
      const rounds = roundsOf("the work")
      assert.strictEqual(yield* rounds(Effect.succeed("found")), "found")
      assert.isUndefined(yield* Effect.provide(rounds(broken), logger))
    })
  )

  it.effect("try all of several things before they fail with what failed", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const act = (n: number) => (n === 1 ? Effect.fail("no") : Effect.sync(() => void seen.push(n)))
      assert.strictEqual(yield* Effect.flip(tryEach([1, 2, 3], act)), "no")
      assert.deepStrictEqual(seen, [2, 3])
      yield* tryEach([2], act)
      const late = (n: number) =>
        Effect.delay(
          Effect.suspend(() => act(n)),
          n
        )
      const all = yield* Effect.forkChild(Effect.exit(tryEach([3, 2, 1], late, { concurrency: "unbounded" })))
      yield* TestClock.adjust(3)
      assert.deepStrictEqual(yield* Fiber.join(all), Exit.fail("no"))
      assert.deepStrictEqual(seen, [2, 3, 2, 2, 3])
    })
  )
})
