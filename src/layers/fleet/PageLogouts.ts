/**
 * Logouts in the database, as long as their sessions would last. A node asks about a session once, and remembers the answer until somebody says that
 * it has changed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { putNewest } from "../../schemas/data/Newest.ts"
import {
  LOGOUTS_KEPT_MORE_MS,
  OWED_RETRY_MS,
  REMEMBERED_MAX,
  REMEMBERED_UNHEARD_MS
} from "../../schemas/defaults/FleetStores.ts"
import { Database } from "../../services/fleet/Database.ts"
import { PageLogouts } from "../../services/fleet/PageLogouts.ts"
import { makeHeardCache } from "../../system/heardCache.ts"
import { again, tryEach } from "../../system/rounds.ts"

const SUBJECT = "page logouts"

const make = Effect.gen(function* () {
  const { heard, isAway, run, say, states, transaction } = yield* Database
  const known = yield* makeHeardCache<boolean>({
    heard: heard(SUBJECT),
    states,
    unheardMs: REMEMBERED_UNHEARD_MS,
    max: REMEMBERED_MAX
  })
  /** Those that are not in the database yet, and until when they count. */
  const owed = new Map<string, number>()

  const write = (session: string, until: number) =>
    transaction("a logout from the page cannot be stored", (sql) =>
      Effect.gen(function* () {
        yield* sql`delete from mcp_live.page_logouts where ends_at < now()`
        yield* sql`
          insert into mcp_live.page_logouts (session, ends_at)
          values (${session}, to_timestamp(${(until + LOGOUTS_KEPT_MORE_MS) / 1_000}::float8)) on conflict do nothing`
        yield* say(sql, SUBJECT, session)
      })
    )

  const pay = Effect.suspend(() =>
    isAway()
      ? Effect.void
      : tryEach([...owed], ([session, until]) =>
          write(session, until).pipe(
            Effect.tap(() => Effect.sync(() => owed.delete(session))),
            Effect.ignore
          )
        )
  )
  yield* Effect.forkScoped(again("fleet: the storing of logouts from the page", OWED_RETRY_MS, pay))

  const read = (session: string) =>
    Effect.map(
      run(
        "logouts from the page cannot be read",
        (sql) => sql`select from mcp_live.page_logouts where session = ${session}`
      ),
      (rows) => rows.length > 0
    )

  return PageLogouts.of({
    end: (session, until) =>
      write(session, until).pipe(
        Effect.catch(({ message }) => {
          putNewest(owed, session, until, REMEMBERED_MAX)
          return Effect.logWarning(`${message}: the other nodes are told later`)
        })
      ),
    hasEnded: (session) =>
      Effect.suspend(() => {
        const there = owed.has(session) || known.get(session)
        return there === undefined
          ? Effect.map(known.load(session, read(session)), (found) => found === true)
          : Effect.succeed(there)
      }),
    ended: heard(SUBJECT).pipe(
      Stream.filter((change) => change._tag === "said"),
      Stream.map(({ text }) => text)
    )
  })
})

/** Logouts in the database of the fleet. */
export const layer: Layer.Layer<PageLogouts, never, Database> = Layer.effect(PageLogouts, make)
