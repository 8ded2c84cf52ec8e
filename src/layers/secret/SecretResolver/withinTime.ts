/**
 * A time limit that holds whatever is limited. What runs over it is interrupted and cleans up behind everybody's back (a
 * command that does not want to end takes a while), but not beyond the Scope: closing it waits.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

export interface Excuses {
  /** Said when there is no answer in time. */
  readonly late: string
  /** Said when there never will be one. */
  readonly broken: string
}

export type WithinTime = <A>(self: Effect.Effect<A, string>, excuses: Excuses) => Effect.Effect<A, string>

export const make = Effect.fnUntraced(function* (millis: number): Effect.fn.Return<WithinTime, never, Scope.Scope> {
  const scope = yield* Effect.scope
  return (self, { broken, late }) =>
    Effect.acquireUseRelease(
      Effect.forkIn(self, scope, { startImmediately: true }),
      (fiber) => Effect.timeoutOption(Fiber.await(fiber), millis),
      (fiber) => Effect.sync(() => fiber.interruptUnsafe())
    ).pipe(
      Effect.flatMap((ended) => {
        if (Option.isNone(ended)) return Effect.fail(late)
        const exit = ended.value
        if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
        return Effect.fail(Option.getOrElse(Exit.findErrorOption(exit), () => broken))
      })
    )
})
