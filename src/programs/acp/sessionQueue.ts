/** Runs the requests about one session one after the other. A message can be cancelled while it waits. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"

export interface Lines {
  /** Runs `work` after the earlier requests about this session. */
  readonly inTurn: <A, E>(sessionId: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Runs `work` after the earlier requests about this session. Returns `undefined` when it is cancelled, or `given`
   * completes, before that.
   */
  readonly behind: <A, E>(
    sessionId: string,
    work: Effect.Effect<A, E>,
    given: Effect.Effect<void>
  ) => Effect.Effect<A | undefined, E>
  /** Cancels the messages that are waiting. */
  readonly cancel: (sessionId: string) => void
}

export const makeLines: Effect.Effect<Lines, never, Scope.Scope> = Effect.gen(function* () {
  const { inTurn, isBusy } = yield* makeKeyedMutex
  /** Messages that wait in the line of their session. */
  const delayed = new Map<string, Set<Deferred.Deferred<void>>>()

  const behind: Lines["behind"] = (sessionId, work, given) =>
    Effect.flatMap(isBusy(sessionId), (busy) => {
      if (!busy) return work
      const cancelled = Deferred.makeUnsafe<void>()
      const others = delayed.get(sessionId) ?? new Set()
      delayed.set(sessionId, others.add(cancelled))
      const over = Effect.as(Effect.raceFirst(Deferred.await(cancelled), given), undefined)
      return Effect.raceFirst(inTurn(sessionId, work), over).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            others.delete(cancelled)
            if (others.size === 0 && delayed.get(sessionId) === others) delayed.delete(sessionId)
          })
        )
      )
    })

  return {
    inTurn,
    behind,
    cancel: (sessionId) => {
      const given = delayed.get(sessionId)
      // Once cancelled, it must not see the next cancellation.
      delayed.delete(sessionId)
      for (const one of given ?? []) Deferred.doneUnsafe(one, Effect.void)
    }
  }
})
