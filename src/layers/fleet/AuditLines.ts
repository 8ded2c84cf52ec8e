/**
 * The audit log in the database of the fleet. While that is away, lines go to a bounded file of this node, and from there to the database
 * before anything else does. A line is lost only if the database refuses it, which the log says; one that was on its way when the database went away may be there twice.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { json } from "@effect/sql-pg/PgTypes"
import { join } from "node:path"
import { SPOOL_MAX_BYTES } from "../../schemas/defaults/Fleet.ts"
import { OWED_RETRY_MS } from "../../schemas/defaults/FleetStores.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import { AuditLines } from "../../services/call/AuditLines.ts"
import { Database } from "../../services/fleet/Database.ts"
import { untilDone } from "../../system/rounds.ts"
import { makeSpool, sendOwed } from "../../system/spool.ts"

export interface Options {
  readonly self: NodeId
  /** The folder of the spool. */
  readonly directory: string
  readonly maxBytes?: number | undefined
}

const NOT_WRITTEN = "the audit log cannot be written"
const PLACE = "the database of the fleet"
const AGAIN_MS = 1_000

/** The day is that of the record, as UTC has it. */
const rowOf = (line: string) => ({ day: /"time":"(\d{4}-\d\d-\d\d)T/.exec(line)?.[1] ?? "1970-01-01", line })

const make = Effect.fnUntraced(function* ({ directory, maxBytes = SPOOL_MAX_BYTES, self }: Options) {
  const database = yield* Database
  const spool = makeSpool(join(directory, `audit-${self.name}.jsonl`), maxBytes)

  const insert = (lines: ReadonlyArray<string>) =>
    database.run(
      NOT_WRITTEN,
      (sql) => sql`
        insert into mcp_live.audit (on_day, node, line)
        select x.day, ${self.name}::text, x.line
        from
          (select set_config('synchronous_commit', 'off', true)) as relaxed,
          json_to_recordset(${json(lines.map(rowOf))}) as x(day date, line text)`
    )

  /** What comes later must not overtake what is owed. */
  const owe = (lines: ReadonlyArray<string>) =>
    Effect.suspend(() =>
      spool.add(lines) ? Effect.void : Effect.fail(database.away("there is no more room for what the audit log owes"))
    )

  const append = (lines: ReadonlyArray<string>) =>
    Effect.suspend(() =>
      spool.isEmpty() ? Effect.catchTag(insert(lines), "DatabaseAway", () => owe(lines)) : owe(lines)
    ).pipe(Effect.as(lines.length))

  const sendAll = Effect.flatMap(sendOwed(spool, insert, database.isRefused), (wasOwed) =>
    wasOwed ? Effect.logInfo("fleet: the audit log is written again, including what had to wait") : Effect.void
  ).pipe(
    Effect.retry({ schedule: Schedule.spaced(AGAIN_MS), while: () => !database.isAway() }),
    Effect.ignore,
    (sent) => untilDone("fleet: the writing of what the audit log owes", AGAIN_MS, sent)
  )

  // A database that was only busy says nothing when it has time again.
  const whenOwed = Stream.filter(Stream.tick(OWED_RETRY_MS), () => !spool.isEmpty() && !database.isAway())
  yield* database.states.pipe(
    Stream.filter((state) => state === "here"),
    Stream.merge(whenOwed),
    Stream.runForEach(() => sendAll),
    Effect.forkScoped
  )
  const promised = yield* FiberSet.makeRuntimePromise()
  return AuditLines.of({ place: PLACE, append: (lines) => promised(append(lines)) })
})

/** The audit log in the database of the fleet. */
export const layer = (options: Options): Layer.Layer<AuditLines, never, Database> =>
  Layer.effect(AuditLines, make(options))
