/**
 * Rows of calls that are about to leave. One statement at a time: the rows of calls that come while it is under way are the next one.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { JOURNAL_BATCH_MAX } from "../../../schemas/defaults/Fleet.ts"
import { roundsOf } from "../../../system/rounds.ts"
import type { Closed, Opened } from "./rows.ts"

export interface Departure {
  readonly row: Opened
  /** Whether the database has the row; otherwise it is owed. */
  readonly written: Deferred.Deferred<boolean>
  /** How the call ended, if that is known before the row is written. */
  ended?: Closed
}

export interface Departures {
  /** Begins to write the row. */
  readonly add: (row: Opened) => Departure
  /** False if its row is on its way already. */
  readonly takeBack: (departure: Departure) => boolean
  /** Writes all that wait. No row is written afterwards. */
  readonly last: Effect.Effect<void>
}

/** `write` says whether the database has the rows. It may throw or die of a row that the database refuses. `wasWritten` is told of each row whose call has ended meanwhile. */
export const makeDepartures = Effect.fnUntraced(function* (
  write: (rows: ReadonlyArray<Opened>) => Effect.Effect<boolean>,
  wasWritten: (end: Closed) => void
): Effect.fn.Return<Departures, never, Scope.Scope> {
  const waiting: Array<Departure> = []
  let wake = Deferred.makeUnsafe<void>()
  let isEnding = false

  const settle = (some: ReadonlyArray<Departure>, exit: Exit.Exit<boolean>) => {
    for (const { written } of some) Deferred.doneUnsafe(written, exit)
    for (const { ended } of some) if (ended !== undefined) wasWritten(ended)
  }

  /** A row that the database refuses fails its own call, and no others: they are written again, each by itself. */
  const writeThese = (some: ReadonlyArray<Departure>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(Effect.suspend(() => write(some.map(({ row }) => row)))), (exit) => {
      if (Exit.isFailure(exit) && some.length > 1) {
        return Effect.forEach(some, (one) => writeThese([one]), { discard: true })
      }
      settle(some, exit)
      return Effect.void
    })

  const writeAll = Effect.whileLoop({
    while: () => waiting.length > 0,
    body: () => writeThese(waiting.splice(0, JOURNAL_BATCH_MAX)),
    step: () => undefined
  })

  const round = Effect.suspend(() =>
    Effect.andThen(
      Effect.suspend(() => (waiting.length > 0 ? Effect.void : Deferred.await(wake))),
      Effect.suspend(() => {
        wake = Deferred.makeUnsafe()
        return writeAll
      })
    )
  )
  const rounds = roundsOf("fleet: the writing of calls that leave")
  const writing = yield* Effect.repeat(rounds(round), { until: () => isEnding }).pipe(
    Effect.uninterruptible,
    Effect.forkScoped({ startImmediately: true })
  )

  const begin = () => void Deferred.doneUnsafe(wake, Effect.void)
  const last = Effect.suspend(() => {
    isEnding = true
    begin()
    return Effect.asVoid(Fiber.await(writing))
  })
  // Nothing else ends the fiber.
  yield* Effect.addFinalizer(() => last)

  return {
    add: (row) => {
      const departure: Departure = { row, written: Deferred.makeUnsafe() }
      waiting.push(departure)
      begin()
      return departure
    },
    takeBack: (departure) => {
      const place = waiting.indexOf(departure)
      if (place !== -1) waiting.splice(place, 1)
      return place !== -1
    },
    last
  }
})
