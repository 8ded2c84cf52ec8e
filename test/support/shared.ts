/** What all tests of a file or a block share: it starts with the first of them that needs it, and ends after the last. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"

export const shared = <A, E>(make: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A> => {
  const scope = Scope.makeUnsafe()
  let made: Promise<A> | undefined
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.promise(() => (made ??= Effect.runPromise(Scope.provide(make, scope))))
}
