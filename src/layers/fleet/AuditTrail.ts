/** Reads the audit log of all nodes from the database of the fleet. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type AuditRecord, parseAuditLine } from "../../schemas/call/AuditRecord.ts"
import { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import type { PastAsked } from "../../schemas/data/PastPage.ts"
import { AUDIT_ROWS_AT_ONCE, AUDIT_ROWS_PAGE_MAX } from "../../schemas/defaults/Fleet.ts"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import { forgetIn } from "./AuditTrail/forget.ts"
import { usageIn } from "./AuditTrail/usage.ts"
import { Database } from "../../services/fleet/Database.ts"

const PLACE = "the database of the fleet"

interface Row {
  readonly day: string
  readonly tx: string
  readonly id: string
  readonly line: string
}

type Position = Omit<Row, "line">

const written = ({ day, id, tx }: Position): string => `${day}.${tx}.${id}`

const positionIn = (cursor: string): Position | undefined => {
  const [, day, tx, id] = /^(\d{4}-\d\d-\d\d)\.(\d{1,19})\.(\d{1,19})$/.exec(cursor) ?? []
  return day === undefined || tx === undefined || id === undefined ? undefined : { day, tx, id }
}

const BEFORE_ALL: Position = { day: "1970-01-01", tx: "0", id: "0" }
const AFTER_ALL: Position = { day: "9999-12-31", tx: "0", id: "0" }

const lineOf = ({ line }: Row) => ({ text: line, record: parseAuditLine(line) })

const make = Effect.gen(function* () {
  const database = yield* Database
  const failed = (error: { readonly message: string }) =>
    new AuditUnreadable({ directory: PLACE, detail: error.message })
  const run: typeof database.run = (_, work) => database.run("nothing can be read", work)

  /** The newest first. */
  const older = ({ day, id, tx }: Position) =>
    run(
      "",
      (sql) => sql<Row>`
        select on_day::text as day, tx::text as tx, id::text as id, line from mcp_live.audit
        where (on_day, tx, id) < (${day}::date, ${tx}::text::xid8, ${id}::bigint) and on_day <= ${day}::date
        order by audit.on_day desc, audit.tx desc, audit.id desc limit ${AUDIT_ROWS_AT_ONCE}::int`
    )

  /** A search looks at so many rows at a time. */
  const past = Effect.fnUntraced(function* ({ accepts, before, limit }: PastAsked<AuditRecord>) {
    let position = (before === undefined ? AFTER_ALL : positionIn(before)) ?? AFTER_ALL
    const found: Array<{ readonly text: string; readonly record: AuditRecord }> = []
    for (let looked = 0; looked < AUDIT_ROWS_PAGE_MAX;) {
      const rows = yield* older(position)
      looked += rows.length
      for (const row of rows) {
        position = row
        const { record, text } = lineOf(row)
        if (record !== undefined && accepts(record)) found.push({ text, record })
        if (found.length === limit) return { lines: found.toReversed(), cursor: written(position) }
      }
      if (rows.length < AUDIT_ROWS_AT_ONCE) return { lines: found.toReversed() }
    }
    return { lines: found.toReversed(), cursor: written(position) }
  })

  /** Rows of transactions that have not ended may still get a place before others: they are read when they have. */
  const newer = ({ day, id, tx }: Position, since: string) =>
    run(
      "",
      (sql) => sql<Row>`
        select on_day::text as day, tx::text as tx, id::text as id, line from mcp_live.audit
        where (tx, id) > (${tx}::text::xid8, ${id}::bigint) and tx < pg_snapshot_xmin(pg_current_snapshot()) and on_day >= ${since}::date
        order by audit.tx, audit.id limit ${AUDIT_ROWS_AT_ONCE}::int`
    ).pipe(Effect.map((rows) => ({ rows, last: rows.at(-1) ?? { day, tx, id } })))

  return AuditTrail.of({
    directory: PLACE,
    forget: (person) => Effect.mapError(forgetIn(database, person), failed),
    usage: (asked) => Effect.mapError(usageIn(database, asked), failed),
    past: (asked) => Effect.mapError(past(asked), failed),
    read: (since = 0) =>
      Effect.sync(() => {
        const day = new Date(since).toISOString().slice(0, 10)
        let position = BEFORE_ALL
        return Stream.paginate(undefined, () =>
          Effect.map(newer(position, day), ({ last, rows }) => {
            position = last
            const isAll = rows.length < AUDIT_ROWS_AT_ONCE
            return [[rows.map(lineOf)], isAll ? Option.none() : Option.some(undefined)] as const
          })
        ).pipe(Stream.mapError(failed))
      })
  })
})

/** Reads the audit log of all nodes from the database of the fleet. */
export const layer: Layer.Layer<AuditTrail, never, Database> = Layer.effect(AuditTrail, make)
