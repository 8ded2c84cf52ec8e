/** Decides whether a call may start now. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Overloaded } from "../schemas/McpError.ts"

export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /** Runs `call` as one of the calls in flight of `server`; refuses it, without running it, when there are too many. */
    readonly admit: <A, E, R>(server: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
  }
>()("mcp-live/services/CallLimiter") {}
