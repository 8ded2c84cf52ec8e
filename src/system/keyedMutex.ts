/** Work under the same key, one at a time within this process. Keys that nobody uses are forgotten. */
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

export interface KeyedMutex {
  readonly inTurn: <A, E, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits for the turn of the key, and keeps it until the Scope closes. */
  readonly hold: (key: string) => Effect.Effect<void, never, Scope.Scope>
  /** Whether somebody has the turn of the key, or waits for it. */
  readonly isBusy: (key: string) => Effect.Effect<boolean>
}

export const makeKeyedMutex: Effect.Effect<KeyedMutex, never, Scope.Scope> = Effect.gen(function* () {
  const turns = yield* RcMap.make<string, Semaphore.Semaphore, never, never>({ lookup: () => Semaphore.make(1) })
  return {
    // The work does not get this Scope, which is for the turn alone.
    inTurn: (key, work) =>
      Effect.scopedWith((scope) =>
        RcMap.get(turns, key).pipe(
          Scope.provide(scope),
          Effect.flatMap((turn) => turn.withPermit(work))
        )
      ),
    hold: Effect.fnUntraced(function* (key) {
      const turn = yield* RcMap.get(turns, key)
      yield* Effect.acquireRelease(turn.take(1), () => turn.release(1), { interruptible: true })
    }),
    isBusy: (key) => RcMap.has(turns, key)
  }
})
