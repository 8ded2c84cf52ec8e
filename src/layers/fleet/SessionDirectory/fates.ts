/** What the journal of calls knows of a call whose node is dead. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { Database } from "../../../services/fleet/Database.ts"
import type { CallFate, Directory } from "../../../services/listener/SessionDirectory.ts"

const UNKNOWN: CallFate = "unknown"

export const makeFates =
  ({ run }: Database["Service"]): Directory["fateOf"] =>
  ({ request, session }) =>
    run("the journal of calls cannot be read", (sql) =>
      sql.unsafe<{ readonly state: string }>(
        "select state from mcp_live.calls where session = $1 and request = $2 order by opened_at desc limit 1",
        [session, String(request)]
      )
    ).pipe(
      Effect.map(([row]) => {
        if (row === undefined) return undefined
        return row.state === "done" || row.state === "failed" ? row.state : UNKNOWN
      }),
      Effect.catchCause((cause) =>
        Effect.as(
          Cause.hasDies(cause) ? Effect.logError("the journal of calls cannot be read", cause) : Effect.void,
          UNKNOWN
        )
      )
    )
