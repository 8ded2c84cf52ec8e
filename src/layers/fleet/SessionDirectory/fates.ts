/** What the journal of calls knows of a call whose node is dead. */
import * as Effect from "effect/Effect"
import type { Database } from "../../../services/fleet/Database.ts"
import type { CallFate, Directory } from "../../../services/listener/SessionDirectory.ts"

const UNKNOWN: CallFate = "unknown"

export const makeFates =
  ({ run }: Database["Service"]): Directory["fateOf"] =>
  ({ request, session }) =>
    run("the journal of calls cannot be read", (sql) =>
      sql.unsafe<{ readonly outcome: string | null }>(
        "select outcome from mcp_live.calls where session = $1 and request = $2 order by opened_at desc limit 1",
        [session, JSON.stringify(request)]
      )
    ).pipe(
      Effect.map(([row]) => {
        if (row === undefined) return undefined
        return row.outcome === "done" || row.outcome === "failed" ? row.outcome : UNKNOWN
      }),
      Effect.orElseSucceed(() => UNKNOWN)
    )
