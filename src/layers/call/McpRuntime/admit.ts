/** The limits of calls, for requests of clients that are no calls: they count as calls of the same client. */
import * as Effect from "effect/Effect"
import type { CallError, LimitError } from "../../../schemas/call/CallError.ts"
import type { LimitedCaller, CallLimiter } from "../../../services/call/CallLimiter.ts"
import type { Quotas } from "../../../services/call/CallQuotas.ts"
import type { AskOptions } from "../../../services/call/McpRuntime.ts"
import type { AgentServer } from "./AgentServer.ts"
import { makeForClient } from "./forClient.ts"

/** Without `asked`, no client waits for the request, and no limits apply. */
export type Admit = <A, E extends CallError>(
  server: AgentServer,
  asked: AskOptions | undefined,
  request: () => Effect.Effect<A, E>,
  /** The server's own name of the tool, for a call of one. */
  tool?: string
) => Effect.Effect<A, E | LimitError>

export const makeAdmit = (limiter: CallLimiter["Service"], quotas: Quotas): Admit => {
  const callerFor = makeForClient<LimitedCaller>()
  return ({ caller }, asked, request, tool) => {
    if (asked === undefined) return Effect.suspend(request)
    const { agent, limits, server } = caller
    // Last, so that a call that is refused for another reason is not counted.
    const counted = Effect.suspend(() => {
      const taking = quotas.take({ agent, caller: asked.caller, server, tool, limits })
      return taking === undefined ? request() : Effect.flatMap(taking, request)
    })
    return limiter.admit(callerFor(caller, asked), counted)
  }
}
