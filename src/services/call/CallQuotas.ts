/**
 * Decides whether a call is within the quotas of a person: calls a day and a month, kept over restarts. Where nobody counts, every call is within
 * them, and costs nothing more.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RateLimited } from "../../schemas/call/CallError.ts"
import type { Counted } from "../../schemas/call/Quota.ts"

export interface Quotas {
  /** Counts a call: `undefined` when that was possible at once, else the remaining work or the error. */
  readonly take: (counted: Counted) => Effect.Effect<void, RateLimited> | undefined
}

/** Whoever counts calls for quotas in this process. */
export class CallQuotas extends Context.Reference<Quotas>("mcp-live/services/CallQuotas", {
  defaultValue: () => ({ take: () => undefined })
}) {}
