import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { makeDepartures } from "../../../../src/layers/fleet/CallJournal/departures.ts"
import type { Closed, Opened } from "../../../../src/layers/fleet/CallJournal/rows.ts"
import { JOURNAL_BATCH_MAX } from "../../../../src/schemas/defaults/Fleet.ts"
import { quiet } from "../../../support/fleetStores.ts"

const row = (seq: number): Opened => ({
  incarnation: "one",
  seq,
  day: "2026-01-01",
  node: "node-1",
  at: 0,
  agent: "main",
  server: "files",
  tool: "read"
})

const end = (seq: number): Closed => ({ incarnation: "one", seq, day: "2026-01-01", at: 0, outcome: "done" })

it.effect("a row for which the writing throws fails its own call, and no others", () =>
  Effect.gen(function* () {
    const { add } = yield* makeDepartures(
      (rows) => {
        if (rows.some(({ seq }) => seq === 1)) throw new Error("a mistake")
        return Effect.succeed(true)
      },
      () => {}
    )
    const departures = [1, 2].map((seq) => add(row(seq)))
    yield* TestClock.adjust(0)
    departures.push(add(row(3)))
    yield* TestClock.adjust(0)
    assert.isTrue(departures.every(({ written }) => Deferred.isDoneUnsafe(written)))
    const exits = yield* Effect.forEach(departures, ({ written }) => Effect.exit(Deferred.await(written)))
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, true, true])
  }).pipe(Effect.provide(quiet))
)

it.effect("rows are written after mistakes of whoever is told of an end", () =>
  Effect.gen(function* () {
    const open = yield* Deferred.make<void>()
    let told = 0
    const { add } = yield* makeDepartures(
      () => Effect.as(Deferred.await(open), true),
      () => {
        told++
        throw new Error("a mistake")
      }
    )
    // The first is under way when the others come. They are more than are written at once, twice.
    const departures = Array.from({ length: 2 * JOURNAL_BATCH_MAX + 2 }, (_, seq) => add(row(seq)))
    for (const seq of [1, JOURNAL_BATCH_MAX + 1]) departures[seq]!.ended = end(seq)
    yield* Deferred.succeed(open, undefined)
    yield* TestClock.adjust(0)
    assert.strictEqual(told, 2)
    assert.isTrue(departures.every(({ written }) => Deferred.isDoneUnsafe(written)))
  }).pipe(Effect.provide(quiet))
)
