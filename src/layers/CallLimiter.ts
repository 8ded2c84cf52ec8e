/** Counts the calls in flight per server and refuses one too many. A server that is full does not touch the others. */
import * as Layer from "effect/Layer"
import { CALLS_IN_FLIGHT_MAX } from "../schemas/Defaults.ts"
import { Overloaded } from "../schemas/McpError.ts"
import { CallLimiter } from "../services/CallLimiter.ts"

/** Servers that may be remembered while they have no call in flight. */
const IDLE_KEPT_MAX = 64

export interface Options {
  /** Calls in flight per server. */
  readonly inFlight?: number | undefined
}

const make = (limit: number): CallLimiter["Service"] => {
  const inFlight = new Map<string, number>()
  return {
    enter: (server) => {
      const taken = inFlight.get(server) ?? 0
      if (taken >= limit) return new Overloaded({ server, limit })
      inFlight.set(server, taken + 1)
      return undefined
    },
    leave: (server) => {
      const left = (inFlight.get(server) ?? 0) - 1
      // A map that an entry enters and leaves with each call is built anew all the time: an idle one may stay. But servers
      // of sessions come and go, and may not pile up.
      if (left <= 0 && inFlight.size > IDLE_KEPT_MAX) inFlight.delete(server)
      else inFlight.set(server, left)
    }
  }
}

export const layer = (options?: Options) =>
  Layer.sync(CallLimiter, () => make(options?.inFlight ?? CALLS_IN_FLIGHT_MAX))
