import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

describePostgres("the PostgreSQL server of the tests", () => {
  it.live("gives each test an empty database", () =>
    Effect.gen(function* () {
      const one = yield* newDatabase()
      const other = yield* newDatabase()
      yield* one.query("create table things (id int)")
      assert.deepStrictEqual(yield* other.query("select to_regclass('things') as found"), [{ found: null }])
    })
  )

  it.live("keeps what it has over a stop and a crash", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query } = yield* newDatabase(server)
      yield* query("create table things (id int)")
      yield* server.tell("stop")
      yield* server.tell("start")
      yield* query("insert into things values (1)")
      yield* server.tell("kill")
      yield* server.tell("start")
      yield* server.tell("freeze")
      yield* server.tell("thaw")
      assert.deepStrictEqual(yield* query("select id from things"), [{ id: 1 }])
    })
  )
})
