/** The statements of the journal. Each takes any number of rows as one parameter, so that it is the same text for all of them. */
import * as Effect from "effect/Effect"
import { json } from "@effect/sql-pg/PgTypes"
import type { JournalOutcome } from "../../../services/call/CallJournal.ts"
import type { CallOutcome } from "../../../services/fleet/CallsOfDead.ts"
import type { Sql } from "../../../services/fleet/Database.ts"

/** A call that leaves. Times are milliseconds since 1970. */
export interface Opened {
  readonly incarnation: string
  readonly seq: number
  /** The day of `at`, as UTC has it: it is part of the key. */
  readonly day: string
  readonly node: string
  readonly at: number
  readonly session?: string | undefined
  readonly request?: string | undefined
  readonly agent: string
  readonly client?: string | undefined
  readonly server: string
  readonly tool: string
  /** What its client asked for, encrypted, if it may be run again. */
  readonly again?: string | undefined
}

/** Its end. */
export interface Closed {
  readonly incarnation: string
  readonly seq: number
  readonly day: string
  readonly at: number
  readonly outcome: JournalOutcome
  /** By what is found what its client asked for, if that is kept until then. */
  readonly kept?: Pick<Opened, "session" | "request"> | undefined
}

/** For `Lane`. A row that is there already stays as it is. */
export const OPEN = `
  insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, session, request, agent, client, server, tool)
  select x.incarnation, x.seq, x.day, x.node, to_timestamp(x.at / 1000.0), x.session, x.request, x.agent, x.client, x.server, x.tool
  from json_to_recordset($1::json) as x(
    incarnation text, seq bigint, day date, node text, at float8, session text, request text, agent text, client text,
    server text, tool text
  )
  on conflict do nothing`

/** The same for rows of which some have what their clients asked for. */
export const OPEN_KEPT = `
  with given as (
    select * from json_to_recordset($1::json) as x(
      incarnation text, seq bigint, day date, node text, at float8, session text, request text, agent text, client text,
      server text, tool text, again text
    )
  ), kept as (
    insert into mcp_live.repeats (session, request, incarnation, seq, sealed)
    select distinct on (session, request) session, request, incarnation, seq, again from given where again is not null
    order by session, request, seq desc
    on conflict (session, request) do update
    set incarnation = excluded.incarnation, seq = excluded.seq, sealed = excluded.sealed, kept_at = now()
  )
  insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, session, request, agent, client, server, tool)
  select incarnation, seq, day, node, to_timestamp(at / 1000.0), session, request, agent, client, server, tool from given
  on conflict do nothing`

export const parametersOf = (opened: ReadonlyArray<Opened>): ReadonlyArray<unknown> => [json(opened)]

/** The same for one row, which is the usual case where a call waits for its own alone: the database has less to do. */
export const OPEN_ONE = `
  insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, session, request, agent, client, server, tool)
  values (
    $1::text, $2::text::bigint, $3::text::date, $4::text, to_timestamp($5::float8 / 1000.0), $6::text, $7::text, $8::text, $9::text, $10::text,
    $11::text
  )
  on conflict do nothing`

export const parametersOfOne = (row: Opened): ReadonlyArray<unknown> => [
  row.incarnation,
  String(row.seq),
  row.day,
  row.node,
  row.at,
  row.session ?? null,
  row.request ?? null,
  row.agent,
  row.client ?? null,
  row.server,
  row.tool
]

/**
 * The database answers before it has the ends on its disk, as it does with the rows: a crash of the database may lose the last moments, a crash
 * of a node loses nothing.
 */
export const close = (sql: Sql, closed: ReadonlyArray<Closed>) =>
  Effect.andThen(sql`select mcp_live.close_calls_1(${json(closed)})`, forget(sql, closed))

/** What was kept of calls that have ended, whichever of their runs it was kept for. */
const forget = (sql: Sql, closed: ReadonlyArray<Closed>) => {
  const kept = closed.flatMap((one) => one.kept ?? [])
  if (kept.length === 0) return Effect.void
  return Effect.asVoid(sql`
    delete from mcp_live.repeats r using json_to_recordset(${json(kept)}) as x(session text, request text)
    where r.session = x.session and r.request = x.request`)
}

/** How often a call has run as far as nobody knows how that ended. A run that has ended is not followed by another one. */
const runsOf = (sql: Sql, session: string, request: string) => sql`
  select count(*)::int from mcp_live.calls
  where session = ${session} and request = ${request} and coalesce(outcome, 'unknown') = 'unknown'`

/** Removes what was kept of it. */
export const takeRepeat = (sql: Sql, session: string, request: string) =>
  Effect.map(
    sql<{ sealed: string; runs: number }>`
      delete from mcp_live.repeats where session = ${session} and request = ${request}
      returning sealed, (${runsOf(sql, session, request)}) as runs`,
    (rows) => rows[0]
  )

export const hasRepeat = (sql: Sql, session: string, request: string, runsMax: number) =>
  Effect.map(
    sql`
      select from mcp_live.repeats
      where session = ${session} and request = ${request} and (${runsOf(sql, session, request)}) < ${runsMax}`,
    (rows) => rows.length > 0
  )

/** Of nodes that died, and whose clients have not come back. */
export const sweepRepeats = (sql: Sql, ms: number) =>
  Effect.asVoid(sql`delete from mcp_live.repeats where kept_at < now() - make_interval(secs => ${ms / 1_000}::float8)`)

/** All calls of a life that has ended. Says how many of them were running. */
export const loseCalls = (sql: Sql, incarnation: string) =>
  Effect.map(
    sql`update mcp_live.calls set outcome = 'unknown' where incarnation = ${incarnation} and outcome is null returning 1`,
    (rows) => rows.length
  )

/** The same for the last time, and that life itself. */
export const bury = (sql: Sql, incarnation: string) =>
  Effect.tap(
    loseCalls(sql, incarnation),
    () => sql`update mcp_live.lives set buried_at = now() where incarnation = ${incarnation}`
  )

/** Lives of nodes that count as dead, and that nobody has buried yet. The row of a node is there before that of its life. */
export const unburied = (sql: Sql, self: string) =>
  Effect.map(
    sql<{ incarnation: string }>`
      select incarnation from mcp_live.lives l
      where buried_at is null and incarnation <> ${self} and not exists (
        select from mcp_live.nodes n where n.incarnation = l.incarnation and n.state <> 'dead')`,
    (rows) => rows.map((row) => row.incarnation)
  )

export const begin = (sql: Sql, node: string, incarnation: string) =>
  sql`insert into mcp_live.lives (incarnation, node) values (${incarnation}, ${node}) on conflict do nothing`

interface OfRequest {
  readonly request: string
  readonly outcome: JournalOutcome | null
}

/** Of the last run of each request. Where that has failed, another one before it may have been executed. */
const lastOutcomes = (rows: ReadonlyArray<OfRequest>): ReadonlyMap<string, CallOutcome> => {
  const last = new Map<string, CallOutcome>()
  for (const { outcome, request } of rows) {
    const before = last.get(request)
    const isUnknown = outcome === "failed" && before !== undefined && before !== "failed"
    last.set(request, isUnknown ? "unknown" : (outcome ?? "running"))
  }
  return last
}

export const ofSession = (sql: Sql, session: string) =>
  Effect.map(
    sql<OfRequest>`
      select request, outcome from mcp_live.calls where session = ${session} and request is not null order by opened_at, seq`,
    lastOutcomes
  )
