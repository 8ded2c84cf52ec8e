/** Runs the requests about one session one after the other. A message can be cancelled while it waits. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

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

export const makeLines = (): Lines => {
  const lines = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()
  /** The messages that are waiting, by session. */
  const delayed = new Map<string, Set<Deferred.Deferred<void>>>()

  const inTurn: Lines["inTurn"] = (sessionId, work) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const line = lines.get(sessionId) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
        line.waiting++
        lines.set(sessionId, line)
        return line
      }),
      ({ turn }) => turn.withPermit(work),
      (line) =>
        Effect.sync(() => {
          if (--line.waiting === 0) lines.delete(sessionId)
        })
    )

  const behind: Lines["behind"] = (sessionId, work, given) =>
    Effect.suspend(() => {
      if (!lines.has(sessionId)) return work
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
}
