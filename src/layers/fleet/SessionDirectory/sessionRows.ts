/** The rows of sessions. Whether a node lives is what the rows of the nodes say, at the moment of a statement: so at most one takes a session over. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../../schemas/fleet/Node.ts"
import { SessionRecord } from "../../../schemas/listener/SessionRecord.ts"
import type { Database } from "../../../services/fleet/Database.ts"

const Row = Schema.Struct({
  record: Schema.fromJsonString(SessionRecord),
  node: Schema.NullOr(Schema.String),
  incarnation: Schema.NullOr(Schema.String),
  epoch: Schema.String,
  isFree: Schema.Boolean
})
const decode = Schema.decodeUnknownEffect(Row)
const decodeTaken = Schema.decodeUnknownEffect(Schema.Struct({ record: Row.fields.record }))

export interface SessionRow {
  readonly record: SessionRecord
  /** Where it is, or was. */
  readonly node: NodeId | undefined
  /** Its node is dead, or gave it up. */
  readonly isFree: boolean
  readonly epoch: string
}

/** What is known of a session that this node has. */
export type SessionState = SessionRecord | "ended"

const FREE = `(s.incarnation is null or not exists (
  select from mcp_live.nodes n where n.incarnation = s.incarnation and n.state <> 'dead'))`

/** Of sessions that were opened in this life of the node: nobody else has had them, unless it gave them up. */
const KEEP_OWN = `
  insert into mcp_live.sessions as s (id, node, incarnation, record)
  select x.id, $2, $3, x.record from jsonb_to_recordset($1::jsonb) as x(id text, record text)
  on conflict (id) do update set record = excluded.record, changed_at = now() where s.incarnation = excluded.incarnation`

/** Of sessions that it took over. One that has ended elsewhere since does not come back. */
const KEEP_TAKEN = `
  update mcp_live.sessions s set record = x.record, changed_at = now()
  from jsonb_to_recordset($1::jsonb) as x(id text, record text) where s.id = x.id and s.node = $2 and s.incarnation = $3`

export const makeSessionRows = (
  { run, transaction }: Database["Service"],
  /** Whether the node as it is now gave this name. */
  isOwn: (id: string) => boolean
) => ({
  write: (self: NodeId, states: ReadonlyMap<string, SessionState>): Effect.Effect<void, DatabaseAway> =>
    transaction("the sessions cannot be written", (sql) =>
      Effect.gen(function* () {
        const kept = [...states].flatMap(([id, record]) =>
          record === "ended" ? [] : [{ id, record: JSON.stringify(record) }]
        )
        const ended = [...states].flatMap(([id, record]) => (record === "ended" ? [id] : []))
        const own = kept.filter(({ id }) => isOwn(id))
        const taken = kept.filter(({ id }) => !isOwn(id))
        if (own.length > 0) yield* sql.unsafe(KEEP_OWN, [JSON.stringify(own), self.name, self.incarnation])
        if (taken.length > 0) yield* sql.unsafe(KEEP_TAKEN, [JSON.stringify(taken), self.name, self.incarnation])
        if (ended.length === 0) return
        yield* sql.unsafe(
          `with gone as (delete from mcp_live.sessions where incarnation = $2
             and id in (select jsonb_array_elements_text($1::jsonb)) returning id)
           delete from mcp_live.tasks where owner in (select id from gone)`,
          [JSON.stringify(ended), self.incarnation]
        )
      })
    ),
  read: (id: string): Effect.Effect<SessionRow | undefined, DatabaseAway> =>
    run("the session cannot be looked up", (sql) =>
      sql.unsafe(
        `select record, node, incarnation, epoch::text as epoch, ${FREE} as "isFree" from mcp_live.sessions s where id = $1`,
        [id]
      )
    ).pipe(
      Effect.flatMap(([row]) => (row === undefined ? Effect.succeed(undefined) : Effect.orDie(decode(row)))),
      Effect.map((row): SessionRow | undefined =>
        row === undefined
          ? undefined
          : {
              record: row.record,
              epoch: row.epoch,
              isFree: row.isFree,
              node:
                row.node === null || row.incarnation === null
                  ? undefined
                  : { name: row.node, incarnation: row.incarnation }
            }
      )
    ),
  /** As it is now, if this node is the one that took it over: the one before may have written since it was read. */
  take: (self: NodeId, id: string, epoch: string): Effect.Effect<SessionRecord | undefined, DatabaseAway> =>
    run("the session cannot be taken over", (sql) =>
      sql.unsafe(
        `update mcp_live.sessions s set node = $2, incarnation = $3, epoch = epoch + 1, changed_at = now(), alone_since = null
         where id = $1 and epoch = $4::bigint and ${FREE} returning record`,
        [id, self.name, self.incarnation, epoch]
      )
    ).pipe(
      Effect.flatMap(([row]) => (row === undefined ? Effect.succeed(undefined) : Effect.orDie(decodeTaken(row)))),
      Effect.map((row) => row?.record)
    ),
  /** Whether any other node may take it over now. */
  free: (self: NodeId, id: string): Effect.Effect<boolean, DatabaseAway> =>
    run("the session cannot be handed over", (sql) =>
      sql.unsafe(
        `update mcp_live.sessions set node = null, incarnation = null, epoch = epoch + 1, changed_at = now(), alone_since = now()
         where id = $1 and incarnation = $2 returning id`,
        [id, self.incarnation]
      )
    ).pipe(Effect.map((rows) => rows.length > 0)),
  /** Removes those that nobody has come back for. */
  sweep: (idleMs: number): Effect.Effect<void, DatabaseAway> =>
    run("old sessions cannot be removed", (sql) =>
      Effect.gen(function* () {
        yield* sql.unsafe(`update mcp_live.sessions s set alone_since = now() where alone_since is null and ${FREE}`)
        yield* sql.unsafe(
          `with gone as (delete from mcp_live.sessions s
             where alone_since < now() - make_interval(secs => $1::float8) and ${FREE} returning id)
           delete from mcp_live.tasks where owner in (select id from gone)`,
          [idleMs / 1000]
        )
        yield* sql`delete from mcp_live.tasks where expires_at < now()`
      })
    )
})

export type SessionRows = ReturnType<typeof makeSessionRows>
