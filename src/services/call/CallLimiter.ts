/**
 * Decides whether a call may start now: how many of a server are in flight, how many an agent makes, and whether the server
 * has failed too often. Who is refused is told when to come back; nothing was sent then.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallLimits } from "../../schemas/call/CallLimits.ts"
import type { CallError } from "../../schemas/call/CallError.ts"

/** Who calls whom. Made once for each server of an agent, and for each of its clients, not for each call. */
export interface Caller {
  readonly agent: string
  /**
   * Which client of the agent this is, where it has several that are strangers to each other: each has its own bucket and its
   * own circuit, and none can take all places.
   */
  readonly client?: string | undefined
  /** The server's name, for words. */
  readonly server: string
  /** Which server that is (`processOf`): two may have the same name, and one may belong to several agents. */
  readonly process: string
  readonly limits: CallLimits
}

/**
 * Decides whether a call may start now, by what is in flight, how many there were, and how often its server failed.
 * Who is refused is told when to come back; nothing was sent then.
 */
export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /**
     * Runs `call`, or fails at once with `CircuitOpen`, `Overloaded` or `RateLimited`. Its place among the calls in flight is
     * given back however it ends, and how it ended decides whether the server counts as failing.
     */
    readonly admit: <A, R>(caller: Caller, call: Effect.Effect<A, CallError, R>) => Effect.Effect<A, CallError, R>
    /**
     * A person has started this server anew: calls of all clients go to it at once, whatever has been, and the first failure
     * has it left alone again.
     */
    readonly forgive: (process: string) => void
    /**
     * Whether a server's circuit is open, for any client, and how long until a call may try it again: 0 when the next one may.
     */
    readonly openCircuits: (process: string) => { readonly retryInMs: number } | undefined
  }
>()("mcp-live/services/CallLimiter") {}
