/** What a client is offered; or, to be said to it, why it is offered nothing. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { RequestRefused } from "../../schemas/ListenerError.ts"
import type { McpOffer } from "../../services/McpListener.ts"
import type { Run } from "./Call.ts"
import { cancelled, internalError } from "./refusals.ts"

export type Made = McpOffer | RequestRefused

export const made = async (run: Run, serve: Effect.Effect<McpOffer, RequestRefused>): Promise<Made> => {
  const logged = Effect.tapCause(serve, (cause) =>
    Cause.hasDies(cause) ? Effect.logError("an MCP client cannot be served: unexpected failure", cause) : Effect.void
  )
  const exit = await Effect.runPromise(Fiber.await(run(logged)))
  if (Exit.isSuccess(exit)) return exit.value
  const refused = exit.cause.reasons.find(Cause.isFailReason)?.error as RequestRefused | undefined
  return refused ?? (Cause.hasDies(exit.cause) ? internalError() : cancelled())
}
