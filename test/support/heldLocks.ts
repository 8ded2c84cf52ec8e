/** Locks that a test holds in a database, so that whoever comes next has to wait: what has to happen in one moment does. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TestDatabase } from "./postgres.ts"

/** Holds what these statements lock. The result lets all go on who wait for it. */
export const holding = Effect.fnUntraced(function* ({ url }: TestDatabase, ...statements: ReadonlyArray<string>) {
  const connection = yield* Effect.orDie(PgConnection.make({ url: Redacted.make(url) }))
  const say = (statement: string) => Effect.orDie(connection.query(statement))
  yield* Effect.forEach(["begin", ...statements], say, { discard: true })
  return say("commit")
})

/** Until so many statements wait for a lock. */
export const untilTheyWait = (database: TestDatabase, many: number): Effect.Effect<void> =>
  Effect.flatMap(
    database.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
    (rows) => (rows.length === many ? Effect.void : untilTheyWait(database, many))
  )
