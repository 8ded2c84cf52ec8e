/**
 * A time limit that holds whatever the limited effect does. An effect that takes longer is interrupted, and cleans up in the background (ending
 * a stubborn command takes a while); closing the Scope waits for that.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

export interface Excuses {
  /** The error if there is no answer in time. */
  readonly late: string
  /** The error if the effect dies or is interrupted. */
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
