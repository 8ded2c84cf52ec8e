/** What a client is offered; or, to be said to it, why it is offered nothing. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { McpOffer } from "../../../../services/listener/McpListener.ts"
import { refusalIn, type Run } from "./Call.ts"
import { cancelled } from "./refusals.ts"

/** Run where the listener runs, with its clock and its logs. */
export const exitOf = <A>(run: Run, effect: Effect.Effect<A, unknown>): Promise<Exit.Exit<A, unknown>> =>
  new Promise((resolve) => run(effect).addObserver(resolve))

/** Whatever runs in it ends with the Scope. */
export const runnerIn = async (run: Run, scope: Scope.Scope): Promise<Run> => {
  const exit = await exitOf(run, Scope.provide(FiberSet.makeRuntime(), scope))
  if (Exit.isFailure(exit)) throw cancelled()
  return exit.value
}

export type Made = McpOffer | RequestRefused

export const made = async (run: Run, serve: Effect.Effect<McpOffer, RequestRefused>): Promise<Made> => {
  const logged = Effect.tapCause(serve, (cause) =>
    Cause.hasDies(cause) ? Effect.logError("an MCP client cannot be served: unexpected failure", cause) : Effect.void
  )
  const exit = await exitOf(run, logged)
  if (Exit.isSuccess(exit)) return exit.value
  return refusalIn(exit.cause)
}
