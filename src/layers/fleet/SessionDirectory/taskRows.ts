/** The rows of tasks. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../../schemas/fleet/Node.ts"
import { TaskRecord } from "../../../schemas/listener/TaskRecord.ts"
import type { Database } from "../../../services/fleet/Database.ts"

const Rows = Schema.Array(Schema.Struct({ record: Schema.fromJsonString(TaskRecord) }))
const decode = Schema.decodeUnknownEffect(Rows)

export type TaskState = TaskRecord | "forgotten"

const recordsIn = (rows: unknown) => Effect.orDie(Effect.map(decode(rows), (all) => all.map(({ record }) => record)))

/** A node that is taken for dead writes nothing: others say that its tasks are lost. It is not taken for dead before this is written. */
const KEEP = `
  with living as (select from mcp_live.nodes where incarnation = $2 and state <> 'dead' for share)
  insert into mcp_live.tasks (id, owner, record, expires_at)
  select x.id, x.owner, x.record, now() + make_interval(secs => x.ttl)
  from living, jsonb_to_recordset($1::jsonb) as x(id text, owner text, ttl float8, record text)
  on conflict (id) do update set record = excluded.record`

export const makeTaskRows = (
  { run, transaction }: Database["Service"],
  /** Whether the node as it is now gave this name. */
  isOwn: (id: string) => boolean
) => ({
  write: (self: NodeId, states: ReadonlyMap<string, TaskState>): Effect.Effect<void, DatabaseAway> =>
    transaction("the tasks cannot be written", (sql) =>
      Effect.gen(function* () {
        const kept = [...states.values()].flatMap((record) =>
          record === "forgotten" || !isOwn(record.id)
            ? []
            : [{ id: record.id, owner: record.owner, ttl: record.ttlMs / 1000, record: JSON.stringify(record) }]
        )
        const forgotten = [...states].flatMap(([id, record]) => (record === "forgotten" ? [id] : []))
        if (kept.length > 0) yield* sql.unsafe(KEEP, [JSON.stringify(kept), self.incarnation])
        if (forgotten.length === 0) return
        yield* sql.unsafe("delete from mcp_live.tasks where id in (select jsonb_array_elements_text($1::jsonb))", [
          JSON.stringify(forgotten)
        ])
      })
    ),
  read: (id: string): Effect.Effect<TaskRecord | undefined, DatabaseAway> =>
    run("the task cannot be looked up", (sql) =>
      sql.unsafe("select record from mcp_live.tasks where id = $1 and expires_at > now()", [id])
    ).pipe(
      Effect.flatMap(recordsIn),
      Effect.map(([record]) => record)
    ),
  of: (owner: string): Effect.Effect<ReadonlyArray<TaskRecord>, DatabaseAway> =>
    run("the tasks cannot be listed", (sql) =>
      sql.unsafe(
        "select record from mcp_live.tasks where owner = $1 and expires_at > now() order by expires_at limit 256",
        [owner]
      )
    ).pipe(Effect.flatMap(recordsIn))
})
