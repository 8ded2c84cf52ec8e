/**
 * Counts the calls in flight per server and refuses one too many. A server that is full does not touch the others; nothing
 * waits, and no call leaves its place taken, however it ends.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CALLS_IN_FLIGHT_MAX } from "../schemas/Defaults.ts"
import { Overloaded } from "../schemas/McpError.ts"
import { CallLimiter } from "../services/CallLimiter.ts"

export interface Options {
  /** Calls in flight per server. */
  readonly inFlight?: number | undefined
}

const make = (limit: number): CallLimiter["Service"] => {
  const inFlight = new Map<string, number>()

  const release = (server: string) => {
    const left = inFlight.get(server)! - 1
    // Servers of sessions come and go: one without a call leaves nothing behind.
    if (left === 0) inFlight.delete(server)
    else inFlight.set(server, left)
  }

  return {
    admit: <A, E, R>(server: string, call: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        let entered = false
        // The place is taken inside of what gives it back: an interruption cannot come between the two.
        const enter = Effect.suspend((): Effect.Effect<A, E | Overloaded, R> => {
          const taken = inFlight.get(server) ?? 0
          if (taken >= limit) return Effect.fail(new Overloaded({ server, limit }))
          inFlight.set(server, taken + 1)
          entered = true
          return call
        })
        return Effect.onExitPrimitive(enter, () => {
          if (entered) release(server)
          return undefined
        })
      })
  }
}

export const layer = (options?: Options) =>
  Layer.sync(CallLimiter, () => make(options?.inFlight ?? CALLS_IN_FLIGHT_MAX))
