/**
 * A connection of its own for statements on whose answers calls wait: no other statement is before them, and no time is spent on finding a
 * connection. One after the other; the next one gets a new connection when something went wrong.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { DATABASE_ANSWER_LOOK_MS, DATABASE_ANSWER_MS } from "../../../schemas/defaults/Fleet.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { Lane } from "../../../services/fleet/Database.ts"
import { again } from "../../../system/rounds.ts"
import { meansAway } from "./faults.ts"

interface Options {
  readonly connect: Effect.Effect<PgConnection, SqlError, Scope.Scope>
  readonly isAway: () => boolean
  readonly away: (detail: string) => DatabaseAway
  /** What a fault means for whoever asked. */
  readonly failed: (detail: string, error: SqlError) => Effect.Effect<never, DatabaseAway>
}

export const makeLane = Effect.fnUntraced(function* ({
  away,
  connect,
  failed,
  isAway
}: Options): Effect.fn.Return<Lane, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  let open: { readonly connection: PgConnection; readonly scope: Scope.Closeable } | undefined
  let askedAt = Number.POSITIVE_INFINITY

  const close = Effect.suspend(() => {
    const had = open
    open = undefined
    return had === undefined ? Effect.void : Scope.close(had.scope, Exit.void)
  })

  const opened = Effect.suspend(() => {
    const scope = Scope.makeUnsafe()
    return Scope.provide(connect, scope).pipe(
      Effect.onError(() => Scope.close(scope, Exit.void)),
      Effect.tap((connection) => {
        open = { connection, scope }
        // Nobody waits for the disk.
        return connection.query("set synchronous_commit = off")
      })
    )
  })

  const ask = (statement: string, parameters: ReadonlyArray<unknown>) =>
    open === undefined
      ? Effect.flatMap(opened, (connection) => connection.query(statement, parameters))
      : open.connection.query(statement, parameters)

  /** A connection that was not used for a while may have been closed by the other end. */
  const asked = (statement: string, parameters: ReadonlyArray<unknown>) => {
    if (open === undefined) return ask(statement, parameters)
    return ask(statement, parameters).pipe(
      Effect.catch((error) =>
        meansAway(error) && clock.currentTimeMillisUnsafe() - askedAt < DATABASE_ANSWER_MS
          ? Effect.andThen(
              close,
              Effect.suspend(() => ask(statement, parameters))
            )
          : Effect.fail(error)
      )
    )
  }

  // One look at the clock now and then instead of a timer for each statement. Whoever waits is answered by the end of the connection.
  const look = Effect.suspend(() =>
    clock.currentTimeMillisUnsafe() - askedAt < DATABASE_ANSWER_MS ? Effect.void : close
  )
  yield* Effect.forkScoped(again("fleet: looking for statements without an answer", DATABASE_ANSWER_LOOK_MS, look))
  yield* Effect.addFinalizer(() => close)

  return {
    run: (detail, statement, parameters) =>
      Effect.suspend(() => {
        if (isAway()) return Effect.fail(away(detail))
        askedAt = clock.currentTimeMillisUnsafe()
        return Effect.matchEffect(asked(statement, parameters), {
          onSuccess: () => {
            askedAt = Number.POSITIVE_INFINITY
            return Effect.void
          },
          onFailure: (error) => {
            askedAt = Number.POSITIVE_INFINITY
            return Effect.andThen(close, failed(detail, error))
          }
        })
      })
  }
})
