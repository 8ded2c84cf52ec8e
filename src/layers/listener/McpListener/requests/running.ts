/** Work for a client in the Scope of its connection, and waiting for it to come back. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Whatever is run with this ends with the Scope that it belongs to. */
export type Run = <A, E>(effect: Effect.Effect<A, E>, options?: Effect.RunOptions) => Fiber.Fiber<A, E>

/** Gives up after that time, unless what this returns was called before. */
export const waitFor = (run: Run, time: Duration.Input, giveUp: () => void): (() => void) => {
  const returned = Deferred.makeUnsafe<void>()
  run(Effect.timeoutOrElse(Deferred.await(returned), { duration: time, orElse: () => Effect.sync(giveUp) }))
  return () => void Deferred.doneUnsafe(returned, Effect.void)
}
