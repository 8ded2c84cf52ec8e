/** What looks after the connections to the database goes on after a mistake in the program. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { makeCircuit } from "../../../../src/layers/fleet/Database/circuit.ts"
import { makeHeard } from "../../../../src/layers/fleet/Database/heard.ts"
import { makeLane } from "../../../../src/layers/fleet/Database/lane.ts"
import {
  DATABASE_ANSWER_LOOK_MS,
  DATABASE_ANSWER_MS,
  DATABASE_LISTEN_RETRY_MS,
  DATABASE_PROBE_MS
} from "../../../../src/schemas/defaults/Fleet.ts"
import { DatabaseAway } from "../../../../src/schemas/fleet/FleetError.ts"
import { quiet } from "../../../support/fleetStores.ts"

/** The first time it throws. */
const afterOne = <A>(then: Effect.Effect<A>) => {
  let count = 0
  return Effect.suspend(() => {
    if (++count === 1) throw new Error("a mistake")
    return then
  })
}

const away = (detail: string) => new DatabaseAway({ detail, retryInMs: 1_000 })

describe("after a mistake, the database", () => {
  it.effect("is found again", () =>
    Effect.gen(function* () {
      const circuit = yield* makeCircuit(afterOne(Effect.void))
      yield* circuit.open("as a test wants it")
      yield* TestClock.adjust(0)
      assert.isTrue(circuit.isAway())
      yield* TestClock.adjust(DATABASE_PROBE_MS)
      assert.isFalse(circuit.isAway())
    }).pipe(Effect.provide(quiet))
  )

  it.effect("is heard again", () =>
    Effect.gen(function* () {
      const said = yield* Queue.unbounded<{ readonly payload: string }>()
      const connection = { listen: () => Effect.succeed(said) } as unknown as PgConnection
      const heard = yield* makeHeard(afterOne(Effect.succeed(connection)))
      const seen: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(heard("pins"), (one) => Effect.sync(() => void seen.push(one._tag))),
        { startImmediately: true }
      )
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust(DATABASE_LISTEN_RETRY_MS)
      yield* Queue.offer(said, { payload: JSON.stringify(["pins", "a key"]) })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(seen, ["listening", "said"])
    }).pipe(Effect.provide(quiet))
  )

  it.effect("is given up by whoever gets no answer from it", () =>
    Effect.gen(function* () {
      let opened = 0
      let closed = 0
      const connect = Effect.acquireRelease(
        Effect.sync(() => {
          opened++
          const query = (statement: string) => (statement.startsWith("set") ? Effect.void : Effect.never)
          return { query } as unknown as PgConnection
        }),
        () =>
          Effect.sync(() => {
            if (++closed === 1) throw new Error("a mistake")
          })
      )
      const lane = yield* makeLane({
        away,
        connect,
        isAway: () => false,
        failed: (detail) => Effect.fail(away(detail))
      })
      for (const past of [1, 2]) {
        yield* Effect.forkChild(lane.run("x", "select 1", []), { startImmediately: true })
        yield* TestClock.adjust(DATABASE_ANSWER_MS + DATABASE_ANSWER_LOOK_MS)
        assert.deepStrictEqual([opened, closed], [past, past])
      }
    }).pipe(Effect.provide(quiet))
  )
})
