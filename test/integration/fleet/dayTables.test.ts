import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as DayTablesLayer from "../../../src/layers/fleet/DayTables.ts"
import { databaseLayer, openDatabase } from "../../support/fleetDatabase.ts"
import { quiet } from "../../support/fleetStores.ts"
import { holding, untilTheyWait } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase, type TestDatabase } from "../../support/postgres.ts"

const DAY_MS = 86_400_000

const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

/** Returns when a node has looked for the first time. */
const looked = ({ url }: TestDatabase) =>
  Effect.asVoid(
    Layer.build(
      DayTablesLayer.layer(30).pipe(Layer.provide(databaseLayer(url)), Layer.orDie, Layer.provide(quiet), Layer.fresh)
    )
  )

const tablesOf = ({ query }: TestDatabase, table: string) =>
  Effect.map(
    query(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass order by c.relname`,
      [`mcp_live.${table}`]
    ),
    (rows) => rows.map(({ name }) => String(name))
  )

const named = (table: string, days: ReadonlyArray<number>) => [
  ...days.map((day) => `${table}_${dayIn(day).replaceAll("-", "")}`),
  `${table}_other`
]

describePostgres("the table of a day", () => {
  it.live("is made also when rows of that day were there before it, and has them", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      yield* openDatabase(database.url)
      for (const day of [0, 1]) {
        yield* database.query(
          `insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, agent, server, tool)
           values ('1', 1, $1::text::date, 'n', now(), 'main', 's', 't')`,
          [dayIn(day)]
        )
        yield* database.query("insert into mcp_live.audit (on_day, node, line) values ($1::text::date, 'n', '{}')", [
          dayIn(day)
        ])
      }
      yield* looked(database)
      for (const table of ["calls", "audit"]) {
        assert.deepStrictEqual(yield* tablesOf(database, table), named(table, [0, 1, 2, 3]))
        assert.deepStrictEqual(
          yield* database.query(`select tableoid::regclass::text as name from mcp_live.${table} order by on_day`),
          named(table, [0, 1])
            .slice(0, 2)
            .map((name) => ({ name: `mcp_live.${name}` }))
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("that is over goes without keeping calls from leaving for as long as somebody reads the audit log", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      yield* openDatabase(database.url)
      yield* database.query(
        "create table mcp_live.calls_20200101 partition of mcp_live.calls for values from ('2020-01-01') to ('2020-01-02')"
      )
      const release = yield* holding(database, "lock table mcp_live.audit in access share mode")
      const looking = yield* Effect.forkChild(looked(database))
      yield* untilTheyWait(database, 1)
      const locks = yield* database.query(
        "select from pg_locks where relation = 'mcp_live.calls'::regclass and mode = 'AccessExclusiveLock'"
      )
      yield* release
      yield* Fiber.join(looking)
      assert.lengthOf(locks, 0)
      assert.deepStrictEqual(yield* tablesOf(database, "calls"), named("calls", [0, 1, 2, 3]))
    }).pipe(Effect.scoped)
  )
})
