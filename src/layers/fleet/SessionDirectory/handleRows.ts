/** Which client was given which kept result. */
import * as Effect from "effect/Effect"
import { HANDLES_KEPT_HOURS } from "../../../schemas/defaults/FleetSessions.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { Database } from "../../../services/fleet/Database.ts"

/** As they are made; nothing else is looked up. */
const HANDLE = /^[A-Za-z0-9-]{1,64}$/

export const makeHandleRows = ({ run }: Database["Service"]) => ({
  give: (principal: string, handles: ReadonlyArray<string>): Effect.Effect<void> =>
    run("the kept results cannot be written", (sql) =>
      sql.unsafe(
        `insert into mcp_live.handles (handle, principal) select x, $2 from jsonb_array_elements_text($1::jsonb) as x
         on conflict do nothing`,
        [JSON.stringify(handles), principal]
      )
    ).pipe(Effect.ignore),
  has: (principal: string, handle: string): Effect.Effect<boolean> => {
    if (!HANDLE.test(handle)) return Effect.succeed(false)
    return run("the kept results cannot be looked up", (sql) =>
      sql.unsafe("select from mcp_live.handles where handle = $1 and principal = $2", [handle, principal])
    ).pipe(
      Effect.map((rows) => rows.length > 0),
      Effect.orElseSucceed(() => false)
    )
  },
  sweep: (): Effect.Effect<void, DatabaseAway> =>
    run("old results cannot be removed", (sql) =>
      sql.unsafe(`delete from mcp_live.handles where given_at < now() - interval '${HANDLES_KEPT_HOURS} hours'`)
    ).pipe(Effect.asVoid)
})
