/**
 * Decides whether a call is within the quotas of a person: calls a day and a month, kept over restarts. Where nobody counts, every call is within
 * them, and costs nothing more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RateLimited } from "../../schemas/call/CallError.ts"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { Counted, QuotaState } from "../../schemas/call/Quota.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"

export interface Quotas {
  /** Counts a call: `undefined` when that was possible at once, else the remaining work or the error. */
  readonly take: (counted: Counted) => Effect.Effect<void, RateLimited> | undefined
  /** The quotas of a person, and how much of each is used; counts nothing. Without any that cannot be looked up. */
  readonly states: (caller: Caller, servers: ReadonlyArray<ServerConfig>) => Effect.Effect<ReadonlyArray<QuotaState>>
}

/** Whoever counts calls for quotas in this process. */
export class CallQuotas extends Context.Reference<Quotas>("mcp-live/services/CallQuotas", {
  defaultValue: () => ({ take: () => undefined, states: () => Effect.succeed([]) })
}) {}
