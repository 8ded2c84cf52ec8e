/**
 * Brings the tables to this version, while other nodes run: several that start at once wait for each other. Then looks whether the database is
 * this fleet's, and whether this node may use it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { scryptSync } from "node:crypto"
import {
  CLOCK_OFF_MAX_MS,
  DATABASE_MIGRATION_MS,
  DATABASE_OLDEST_VERSION,
  FLEET_CONTRACT
} from "../../../schemas/defaults/Fleet.ts"
import { FleetRefused } from "../../../schemas/fleet/FleetError.ts"
import { MIGRATIONS } from "./migrations.ts"
import type { Migration } from "./migrations/Migration.ts"

/** "mcpl": whoever changes the tables has this lock. */
const LOCK = 0x6d_63_70_6c

const refuse = (detail: string) => Effect.fail(new FleetRefused({ detail }))

const MINUTE_MS = 60_000

const minutes = (ms: number): string => {
  const count = Math.max(1, Math.round(ms / MINUTE_MS))
  return count === 1 ? "a minute" : `${count} minutes`
}

/** Of the machines of a fleet, the database's clock is the one that counts. */
const checkClock = Effect.fnUntraced(function* (sql: PgClient) {
  const sent = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ now: number; version: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now, current_setting('server_version_num')::int as version`
  const answered = yield* Clock.currentTimeMillis
  if (row!.version < DATABASE_OLDEST_VERSION) {
    return yield* refuse(
      `the database is PostgreSQL ${Math.floor(row!.version / 10_000)}: use version ${DATABASE_OLDEST_VERSION / 10_000} or later`
    )
  }
  const ahead = (sent + answered) / 2 - row!.now
  if (Math.abs(ahead) <= CLOCK_OFF_MAX_MS + (answered - sent) / 2) return
  const direction = ahead > 0 ? "ahead of" : "behind"
  return yield* refuse(
    `the clock of this machine is ${minutes(Math.abs(ahead))} ${direction} that of the database: set both by a time server (NTP)`
  )
})

/** What is stored of the peers' secret: enough to tell another one apart, and of no use to whoever reads the database. */
const fingerprintOf = (fleetId: string, secret: Redacted.Redacted<string>): string =>
  scryptSync(Redacted.value(secret), `mcp-live fleet ${fleetId}`, 32).toString("hex")

interface FleetRow {
  readonly id: string
  readonly peers_fingerprint: string | null
  readonly oldest_contract: number
  readonly migrated_by: string
}

const fleetRow = (sql: PgClient) =>
  Effect.map(
    sql<FleetRow>`select id::text as id, peers_fingerprint, oldest_contract, migrated_by from mcp_live.fleet`,
    ([row]) => row!
  )

const steps = Effect.fnUntraced(function* (sql: PgClient, migrations: ReadonlyArray<Migration>, version: string) {
  yield* sql.unsafe(`set local statement_timeout = ${DATABASE_MIGRATION_MS}`)
  yield* sql.unsafe(`set local lock_timeout = ${DATABASE_MIGRATION_MS}`)
  yield* sql`select pg_advisory_xact_lock(${LOCK}::bigint)`
  // Who may not create a schema may use one that is there.
  const [found] = yield* sql<{ there: boolean }>`select to_regnamespace('mcp_live') is not null as there`
  if (!found!.there) yield* sql`create schema mcp_live`
  const [table] = yield* sql<{ there: boolean }>`select to_regclass('mcp_live.migrations') is not null as there`
  if (!table!.there) {
    yield* sql`create table mcp_live.migrations (name text primary key, version text not null, applied_at timestamptz not null default now())`
  }
  const rows = yield* sql<{ name: string }>`select name from mcp_live.migrations`
  const applied = new Set(rows.map(({ name }) => name))
  if (applied.has(migrations[0]!.name)) {
    const { migrated_by: by, oldest_contract: oldest } = yield* fleetRow(sql)
    if (oldest > FLEET_CONTRACT) {
      return yield* refuse(
        `the database was changed by mcp-live ${by}, which this version cannot work with: install ${by} or later`
      )
    }
  }
  const missing = migrations.filter(({ name }) => !applied.has(name))
  for (const { name, oldestContract, statements } of missing) {
    for (const statement of statements) yield* sql.unsafe(statement)
    yield* sql`insert into mcp_live.migrations (name, version) values (${name}, ${version})`
    if (oldestContract !== undefined) {
      yield* sql`update mcp_live.fleet set oldest_contract = greatest(oldest_contract, ${oldestContract}::int)`
    }
  }
  if (missing.length > 0) yield* sql`update mcp_live.fleet set migrated_by = ${version}`
})

/** The first node of a fleet says which secret its peers have; a node with another secret is of another fleet. */
const checkFleet = Effect.fnUntraced(function* (sql: PgClient, secret: Redacted.Redacted<string>) {
  const { id } = yield* fleetRow(sql)
  const own = fingerprintOf(id, secret)
  yield* sql`update mcp_live.fleet set peers_fingerprint = ${own} where peers_fingerprint is null`
  const { peers_fingerprint: theirs } = yield* fleetRow(sql)
  if (theirs !== own) {
    return yield* refuse(
      "the database belongs to another fleet, whose `fleet.peers.secret` is another one: correct `fleet.database` or the secret"
    )
  }
  return id
})

export interface Joining {
  readonly secret: Redacted.Redacted<string>
  readonly version: string
  readonly migrations?: ReadonlyArray<Migration> | undefined
}

/** The id of the fleet. */
export const migrate = (
  sql: PgClient,
  { migrations = MIGRATIONS, secret, version }: Joining
): Effect.Effect<string, FleetRefused | SqlError> =>
  Effect.andThen(checkClock(sql), sql.withTransaction(steps(sql, migrations, version))).pipe(
    Effect.andThen(checkFleet(sql, secret))
  )
