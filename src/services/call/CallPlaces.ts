/** Places for calls in flight to a server, for all who call it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Overloaded } from "../../schemas/call/CallError.ts"
import type { LimitedCaller } from "./CallLimiter.ts"

/** Places for calls in flight to a server, for all who call it. */
export class CallPlaces extends Context.Service<
  CallPlaces,
  {
    /**
     * Takes one of `limit` places: `undefined` when that has succeeded, else the remaining work or the error. Whoever calls it also calls
     * `leave`, whether there was a place or not.
     */
    readonly enter: (caller: LimitedCaller, limit: number) => Effect.Effect<unknown, Overloaded> | undefined
    readonly leave: (caller: LimitedCaller) => void
  }
>()("mcp-live/services/CallPlaces") {}
