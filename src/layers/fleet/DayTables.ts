/**
 * The tables of single days: those of the next days are made, and those that are older than the configuration says are dropped. Each node does
 * this when it starts and every hour; several that do it at once wait for each other.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { DAY_TABLES_AHEAD, DAY_TABLES_LOOK_MS } from "../../schemas/defaults/Fleet.ts"
import { Database, type Sql } from "../../services/fleet/Database.ts"

const TABLES = ["calls", "audit"]
/** "mcpd": whoever makes or drops tables of days has this lock. */
const LOCK = 0x6d_63_70_64
const DAY_MS = 24 * 60 * 60_000

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const nameOf = (table: string, day: string): string => `${table}_${day.replaceAll("-", "")}`

const tablesNow = Effect.fnUntraced(function* (sql: Sql, table: string) {
  const rows = yield* sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${`mcp_live.${table}`}::regclass`
  return rows.map(({ name }) => name)
})

/** It becomes a part of the whole when it is complete: attaching it lets others go on, which making it as a part would not. */
const makeDay = Effect.fnUntraced(function* (sql: Sql, table: string, at: number) {
  const [day, next] = [dayOf(at), dayOf(at + DAY_MS)]
  const name = `mcp_live.${nameOf(table, day)}`
  const other = `mcp_live.${table}_other`
  const [found] = yield* sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`
  if (found!.there) return
  // Rows of calls change once: there is room for that beside them.
  yield* sql.unsafe(`create table ${name} (like mcp_live.${table} including all) with (fillfactor = 70)`)
  // Rows of the day that came before its table: with them elsewhere it could not be attached. None may come meanwhile.
  yield* sql.unsafe(`lock table ${other} in access exclusive mode`)
  yield* sql.unsafe(
    `with early as (delete from ${other} where on_day = '${day}' returning *) insert into ${name} select * from early`
  )
  yield* sql.unsafe(`alter table mcp_live.${table} attach partition ${name} for values from ('${day}') to ('${next}')`)
})

const make = Effect.fnUntraced(function* (keepDays: number) {
  const { run, transaction } = yield* Database
  const detail = "the tables of the next days cannot be made"

  /** Each step by itself: what one of them waits for holds up nobody who needs what the one before has locked. */
  const alone = (work: (sql: Sql) => Effect.Effect<unknown, SqlError>) =>
    transaction(detail, (sql) => Effect.andThen(sql`select pg_advisory_xact_lock(${LOCK}::bigint)`, work(sql)))

  const told = Effect.catchCause((cause: Cause.Cause<unknown>) =>
    Effect.logWarning("fleet: the tables of the next days are not made; rows go to the tables …_other meanwhile", cause)
  )

  const lookAt = Effect.fnUntraced(function* (table: string, now: number) {
    const names = yield* run(detail, (sql) => tablesNow(sql, table))
    for (let day = 0; day <= DAY_TABLES_AHEAD; day++) {
      const at = now + day * DAY_MS
      if (!names.includes(nameOf(table, dayOf(at)))) yield* told(alone((sql) => makeDay(sql, table, at)))
    }
    const oldest = dayOf(now - keepDays * DAY_MS)
    const over = names.filter((name) => /_\d{8}$/.test(name) && name < nameOf(table, oldest))
    for (const name of over) yield* told(alone((sql) => sql.unsafe(`drop table if exists mcp_live.${name}`)))
    yield* run(detail, (sql) => sql.unsafe(`delete from mcp_live.${table}_other where on_day < '${oldest}'`))
  })

  const look = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.forEach(TABLES, (table) => told(lookAt(table, now)), { discard: true })
  )
  yield* look
  yield* look.pipe(Effect.schedule(Schedule.spaced(DAY_TABLES_LOOK_MS)), Effect.forkScoped)
})

/** `keepDays`: how long rows are kept. */
export const layer = (keepDays: number): Layer.Layer<never, never, Database> => Layer.effectDiscard(make(keepDays))
