import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SessionDirectoryLayer from "../../../src/layers/fleet/SessionDirectory.ts"
import type { SessionRecord } from "../../../src/schemas/listener/SessionRecord.ts"
import { CallsOfDead } from "../../../src/services/fleet/CallsOfDead.ts"
import { Peers } from "../../../src/services/fleet/Peers.ts"
import { databaseLayer } from "../../support/fleetDatabase.ts"
import { loneFleet } from "../../support/loneFleet.ts"
import { quiet } from "../../support/fleetStores.ts"
import { holding, untilTheyWait } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const SESSION = "one.1.s"

const recordOf = (...subscriptions: ReadonlyArray<string>): SessionRecord => ({
  id: SESSION,
  principal: "token me",
  initialize: {},
  subscriptions
})

/** What a node knows that finds nobody else alive. */
const directoryAt = (url: string, name: string) =>
  Effect.flatMap(
    Layer.build(
      Layer.mergeAll(
        loneFleet(name),
        Layer.mock(Peers)({}),
        Layer.mock(CallsOfDead)({}),
        databaseLayer(url, { node: name })
      ).pipe(Layer.orDie, Layer.provide(quiet), Layer.fresh)
    ),
    (context) => Effect.provide(SessionDirectoryLayer.make(), context)
  )

describePostgres("a session that is taken over", () => {
  it.live("has what its node wrote with its last breath", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { find } = yield* directoryAt(database.url, "two")
      yield* database.query(
        "insert into mcp_live.sessions (id, node, incarnation, record) values ($1, 'one', '1', $2)",
        [SESSION, JSON.stringify(recordOf())]
      )
      const last = recordOf("file:///a")
      const release = yield* holding(database, `update mcp_live.sessions set record = '${JSON.stringify(last)}'`)
      const finding = yield* Effect.forkChild(find(SESSION, true))
      yield* untilTheyWait(database, 1)
      yield* release
      assert.deepStrictEqual<unknown>(yield* Fiber.join(finding), { at: "here", session: last })
    }).pipe(Effect.scoped)
  )
})
