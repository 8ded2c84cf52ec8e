import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as CallQuotasLayer from "../../../src/layers/call/CallQuotas.ts"
import * as QuotaStoreLayer from "../../../src/layers/fleet/QuotaStore.ts"
import { callerOf } from "../../../src/schemas/call/Caller.ts"
import { QUOTA_SWEEP_MS } from "../../../src/schemas/defaults/Quotas.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { CallQuotas } from "../../../src/services/call/CallQuotas.ts"
import { QuotaStore } from "../../../src/services/call/QuotaStore.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { databaseLayer, openDatabase } from "../../support/fleetDatabase.ts"
import { quiet, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const person = { issuer: "https://login.example.com", subject: "1", name: "Ada" }
const CALL = { agent: "main", caller: { ...callerOf("cli"), person }, server: "git", tool: "push", limits: {} }

/** A node of its own; `statements` counts what it asks the database. */
const nodeAt = Effect.fnUntraced(function* (url: string, node: string, limits: { perDay: number; perMonth: number }) {
  let statements = 0
  const counted = Layer.effect(
    Database,
    Effect.map(Database, (database) => ({
      ...database,
      run: ((detail, work) => {
        statements++
        return database.run(detail, work)
      }) as Database["Service"]["run"]
    }))
  )
  const context = yield* Layer.build(
    CallQuotasLayer.layerStored({ limits: () => limits }).pipe(
      Layer.provideMerge(QuotaStoreLayer.layer),
      Layer.provide(counted),
      Layer.provide(databaseLayer(url, { node })),
      Layer.orDie,
      Layer.provide(quiet),
      Layer.fresh
    )
  )
  const { take } = Context.get(context, CallQuotas)
  const attempt = Effect.suspend(() => Effect.isSuccess(take(CALL) ?? Effect.void))
  return { attempt, store: Context.get(context, QuotaStore), statements: () => statements }
})

describePostgres("quotas in a fleet", () => {
  it.live("are one number for all nodes, that is never exceeded, without a statement for each call", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const nodes = yield* Effect.forEach(["node-1", "node-2", "node-3"], (name) =>
        nodeAt(url, name, { perDay: 300, perMonth: 1_000 })
      )
      const all = yield* Effect.forEach(
        nodes.flatMap((node) => Array.from({ length: 200 }, () => node)),
        ({ attempt }) => attempt,
        { concurrency: 12 }
      )
      const allowed = all.filter((isAllowed) => isAllowed).length
      assert.isAtMost(allowed, 300)
      assert.isAtLeast(allowed, 300 - 3 * 32)
      assert.isBelow(
        nodes.reduce((sum, { statements }) => sum + statements(), 0),
        allowed / 2
      )
      const [counts] = yield* query("select count from mcp_live.call_quotas where name ~ '\\d{4}-\\d\\d-\\d\\d$'")
      assert.isAtLeast(Number(counts!["count"]), allowed)
      assert.strictEqual(yield* nodes[0]!.store.forget(personIdOf(person)), 2)
      assert.deepStrictEqual(yield* query("select * from mcp_live.call_quotas"), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are there until their period is over also by a clock that is behind that of the database", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* TestClock.withLive(openDatabase(url))
      yield* Layer.build(QuotaStoreLayer.layer.pipe(Layer.provide(Layer.succeed(Database, database))))
      yield* query(`insert into mcp_live.call_quotas (name, count, ends_at)
        values ('just over', 1, now() - interval '50 seconds'), ('over', 1, now() - interval '1 hour')`)
      yield* TestClock.adjust(QUOTA_SWEEP_MS)
      const there = Effect.map(query("select name from mcp_live.call_quotas order by name"), (rows) =>
        rows.map(({ name }) => name).join()
      )
      yield* TestClock.withLive(until(Effect.map(there, (names) => !names.endsWith("over,over"))))
      assert.strictEqual(yield* there, "just over")
    }).pipe(Effect.scoped)
  )
})
