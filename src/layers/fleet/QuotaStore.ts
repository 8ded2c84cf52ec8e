/** The counts of quotas in the database: one number for all nodes. One statement counts for all quotas that need it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { quotasOf } from "../../schemas/call/Quota.ts"
import { CLOCK_OFF_MAX_MS } from "../../schemas/defaults/Fleet.ts"
import { QUOTA_SWEEP_MS } from "../../schemas/defaults/Quotas.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import { QuotaStore } from "../../services/call/QuotaStore.ts"
import { Database } from "../../services/fleet/Database.ts"
import { again } from "../../system/rounds.ts"

const DETAIL = "quotas cannot be counted"

interface Row {
  readonly name: string
  readonly granted: number
  readonly count: number
}

const words = ({ message }: DatabaseAway): string => message

const make = Effect.gen(function* () {
  const { run } = yield* Database
  // By the clock of a node whose is behind, the period of a quota may not be over yet.
  const sweep = Effect.ignore(
    run(
      DETAIL,
      (sql) => sql`
        delete from mcp_live.call_quotas
        where ends_at < clock_timestamp() - make_interval(secs => ${(2 * CLOCK_OFF_MAX_MS) / 1000}::float8)`
    )
  )
  yield* Effect.forkScoped(again("fleet: the removal of old quotas", QUOTA_SWEEP_MS, sweep))
  return QuotaStore.of({
    take: (asks) =>
      run(
        DETAIL,
        (sql) => sql<Row>`select name, granted, count from mcp_live.take_quotas_1(${JSON.stringify(asks)}::text::jsonb)`
      ).pipe(
        Effect.map((rows) => {
          const given = new Map(rows.map((row) => [row.name, row]))
          return asks.map(({ name }) => given.get(name) ?? { granted: 0, count: 0 })
        }),
        Effect.mapError(words)
      ),
    forget: (personId) =>
      run(
        "quotas cannot be removed",
        (sql) => sql`delete from mcp_live.call_quotas where starts_with(name, ${quotasOf(personId)}) returning name`
      ).pipe(
        Effect.map((rows) => rows.length),
        Effect.mapError(words)
      )
  })
})

/** One count for all nodes of the fleet. */
export const layer: Layer.Layer<QuotaStore, never, Database> = Layer.effect(QuotaStore, make)
