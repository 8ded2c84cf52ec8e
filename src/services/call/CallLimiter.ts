/**
 * Decides whether a call may start now: by the calls in flight to a server, the rate of calls of an agent, and whether the
 * server has failed too often. A refused call was not sent; its error says when to try again.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallLimits } from "../../schemas/call/CallLimits.ts"
import type { CallError, LimitError } from "../../schemas/call/CallError.ts"

/** An agent and the server that it calls. Made once for each server of an agent and each of its clients, not for each call. */
export interface LimitedCaller {
  readonly agent: string
  /**
   * The client of the agent, where it has several that do not know each other. Each has its own rate limit and circuit, and
   * none can take all places.
   */
  readonly client?: string | undefined
  /** The server's name, for messages. */
  readonly server: string
  /** Identifies the server (`processOf`): two servers may have the same name, and one may belong to several agents. */
  readonly process: string
  readonly limits: CallLimits
}

/** Whose bucket of tokens it is. Only the first part may contain line breaks, and its end contains none: different keys cannot be equal. */
export const bucketKey = ({ agent, client, process }: LimitedCaller): string =>
  client === undefined ? `${process}\n${agent}` : `${process}\n${agent}\n${client}`

/**
 * Decides whether a call may start now: by the calls in flight, their rate, and how often the server failed. A refused call
 * was not sent; its error says when to try again.
 */
export class CallLimiter extends Context.Service<
  CallLimiter,
  {
    /**
     * Runs `call`, or fails at once with `CircuitOpen`, `Overloaded` or `RateLimited`. The call's place is given back however
     * it ends; its outcome decides whether the server counts as failing.
     */
    readonly admit: <A, E extends CallError, R>(
      caller: LimitedCaller,
      call: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | LimitError, R>
    /** Closes the server's circuit for all clients, because a person restarted it. The first failure opens it again. */
    readonly forgive: (process: string) => void
    /**
     * Whether a server's circuit is open for any client, and in how many milliseconds a call may try again: 0 when the next
     * one may.
     */
    readonly openCircuits: (process: string) => { readonly retryInMs: number } | undefined
    /** How many calls of a server are under way, for all clients. */
    readonly inFlight?: ((process: string) => number) | undefined
  }
>()("mcp-live/services/CallLimiter") {}
