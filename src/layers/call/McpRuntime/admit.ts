/** The limits of calls, for requests of clients that are no calls: they count as calls of the same client. */
import type * as Effect from "effect/Effect"
import type { CallError, LimitError } from "../../../schemas/call/CallError.ts"
import type { LimitedCaller, CallLimiter } from "../../../services/call/CallLimiter.ts"
import type { AskOptions } from "../../../services/call/McpRuntime.ts"
import type { AgentServer } from "./AgentServer.ts"
import { makeForClient } from "./forClient.ts"

/** Without `asked`, no client waits for the request, and no limits apply. */
export type Admit = <A, E extends CallError>(
  server: AgentServer,
  asked: AskOptions | undefined,
  request: Effect.Effect<A, E>
) => Effect.Effect<A, E | LimitError>

export const makeAdmit = (limiter: CallLimiter["Service"]): Admit => {
  const callerFor = makeForClient<LimitedCaller>()
  return ({ caller }, asked, request) =>
    asked === undefined ? request : limiter.admit(callerFor(caller, asked), request)
}
