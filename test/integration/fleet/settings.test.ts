import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AuditTrailLayer from "../../../src/layers/fleet/AuditTrail.ts"
import { AuditTrail } from "../../../src/services/call/AuditTrail.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { auditCall } from "../../support/auditRecords.ts"
import { openDatabase } from "../../support/fleetDatabase.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

describePostgres("what an operator has set for a database", () => {
  it.live("changes nothing of what a node reads there", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const name = new URL(url).pathname.slice(1)
      yield* query(`alter database ${name} set datestyle = 'German'`)
      yield* query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`)
      const database = yield* openDatabase(url)
      assert.deepStrictEqual(yield* database.run("", (sql) => sql`show transaction_isolation`), [
        { transaction_isolation: "read committed" }
      ])
      const records = [auditCall(0, { tool: "first" }), auditCall(1, { tool: "second" })]
      for (const record of records) {
        yield* query("insert into mcp_live.audit (on_day, node, line) values ($1::text::date, 'n', $2)", [
          record.time.slice(0, 10),
          JSON.stringify(record)
        ])
      }
      const context = yield* Layer.build(Layer.provide(AuditTrailLayer.layer, Layer.succeed(Database, database)))
      const page = (before: string | undefined) =>
        Context.get(context, AuditTrail).past({ limit: 1, accepts: () => true, before })
      const newest = yield* page(undefined)
      const older = yield* page(newest.cursor)
      assert.deepStrictEqual(
        [newest, older].map(({ lines }) => lines.map(({ text }) => text)),
        records.toReversed().map((record) => [JSON.stringify(record)])
      )
    })
  )
})
