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

describePostgres("the records of a session", () => {
  const idsIn = ({ query }: { readonly query: (text: string) => Effect.Effect<ReadonlyArray<object>> }) =>
    query("select id from mcp_live.sessions")

  it.live("do not come back after it has ended elsewhere", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { keep } = yield* directoryAt(database.url, "two")
      yield* database.query(
        "insert into mcp_live.sessions (id, node, incarnation, record) values ($1, 'two', 'two', $2)",
        [SESSION, JSON.stringify(recordOf())]
      )
      const changed = recordOf("file:///a")
      yield* keep(changed)
      assert.deepStrictEqual(yield* database.query("select record from mcp_live.sessions"), [
        { record: JSON.stringify(changed) }
      ])
      yield* database.query("delete from mcp_live.sessions")
      yield* keep(recordOf("file:///b"))
      assert.isEmpty(yield* idsIn(database))
    }).pipe(Effect.scoped)
  )

  it.live("are there from its first one on at the node that gave it its name", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { keep, nameOf } = yield* directoryAt(database.url, "two")
      yield* keep({ ...recordOf(), id: nameOf("s") })
      assert.deepStrictEqual(yield* idsIn(database), [{ id: "two.two.s" }])
    }).pipe(Effect.scoped)
  )
})

describePostgres("the records of a task", () => {
  it.live("are not written by a node that is taken for dead", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const { keepTask, nameOf, self, tasksKept } = yield* directoryAt(url, "two")
      yield* query(
        "insert into mcp_live.nodes (incarnation, name, address, version, contract, state) values ('two', 'two', '', '', 0, 'dead')"
      )
      const keep = (random: string) => {
        const [createdAt, updatedAt] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]
        keepTask({
          id: nameOf(random),
          owner: "token me",
          node: self,
          status: "completed",
          createdAt,
          updatedAt,
          ttlMs: 600_000,
          isCut: false
        })
        return tasksKept
      }
      yield* keep("a")
      yield* query("update mcp_live.nodes set state = 'alive'")
      yield* keep("b")
      assert.deepStrictEqual(yield* query("select id from mcp_live.tasks"), [{ id: "two.two.b" }])
    }).pipe(Effect.scoped)
  )
})
