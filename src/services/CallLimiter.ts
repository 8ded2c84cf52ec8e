/** Decides whether a call may start now. Plain functions: they stand on the way of every call, and none of them waits. */
import * as Context from "effect/Context"
import type { Overloaded } from "../schemas/McpError.ts"

export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /** Takes a place among the calls in flight of `server`, or says why there is none. Whoever got one must `leave`. */
    readonly enter: (server: string) => Overloaded | undefined
    /** Gives a place back, however the call ended. */
    readonly leave: (server: string) => void
  }
>()("mcp-live/services/CallLimiter") {}
