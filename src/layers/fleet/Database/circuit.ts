/**
 * Whether the database is away. Whoever meets it away says so; from then on nobody waits for it, and one connection is tried again and again
 * until it answers.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { DATABASE_CONNECT_MS, DATABASE_PROBE_MS } from "../../../schemas/defaults/Fleet.ts"
import { untilDone } from "../../../system/rounds.ts"

export interface Circuit {
  readonly isAway: () => boolean
  readonly states: Stream.Stream<"here" | "away">
  /** Returns at once. */
  readonly open: (why: string) => Effect.Effect<void>
}

/** `probe` connects, asks something, and closes the connection. */
export const makeCircuit = Effect.fnUntraced(function* (
  probe: Effect.Effect<unknown, SqlError, Scope.Scope>
): Effect.fn.Return<Circuit, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const state = yield* SubscriptionRef.make<"here" | "away">("here")
  const isAway = () => SubscriptionRef.getUnsafe(state) === "away"

  const answered = Effect.scoped(probe).pipe(
    Effect.timeout(DATABASE_CONNECT_MS),
    Effect.retry(Schedule.spaced(DATABASE_PROBE_MS))
  )
  const untilHere = untilDone("fleet: looking for the database", DATABASE_PROBE_MS, answered).pipe(
    Effect.andThen(SubscriptionRef.set(state, "here")),
    Effect.andThen(Effect.logInfo("fleet: the database answers again"))
  )

  return {
    isAway,
    states: SubscriptionRef.changes(state),
    open: (why) =>
      Effect.suspend(() =>
        isAway()
          ? Effect.void
          : SubscriptionRef.set(state, "away").pipe(
              Effect.andThen(Effect.logWarning(`fleet: the database is away: ${why}`)),
              Effect.andThen(Effect.forkIn(untilHere, scope)),
              Effect.asVoid
            )
      ).pipe(Effect.uninterruptible)
  }
})
