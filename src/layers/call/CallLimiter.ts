/**
 * Limits calls in flight, and puts a token bucket and a circuit breaker before them. Each pair of server and agent has its
 * own, so that none affects the others.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type * as RateLimiter from "effect/persistence/RateLimiter"
import { CALLS_IN_FLIGHT_SHARE, CIRCUIT_KEPT_MS } from "../../schemas/defaults/CallLimits.ts"
import { Overloaded, type CallError, type LimitError } from "../../schemas/call/CallError.ts"
import { CallLimiter, type LimitedCaller } from "../../services/call/CallLimiter.ts"
import { CallPlaces } from "../../services/call/CallPlaces.ts"
import { CallTokens } from "../../services/call/CallTokens.ts"
import { makeOwnBuckets, makeSharedBuckets } from "./CallLimiter/buckets.ts"
import { makeCircuits } from "./CallLimiter/circuits.ts"

/** This many servers without a call in flight may stay in the map. */
const IDLE_KEPT_MAX = 64

/** Limits over those of each server. */
export interface Options {
  /** The most calls in flight for any server, even if its own configuration allows more. */
  readonly inFlight?: number | undefined
}

const clientKeyOf = ({ client, process }: LimitedCaller): string | undefined =>
  client === undefined ? undefined : `${process}\nof ${client}`

const make = Effect.fnUntraced(function* (
  buckets: CallTokens["Service"],
  { inFlight: most = Infinity }: Options = {},
  /** Those that are shared with other processes. */
  places?: CallPlaces["Service"]
) {
  const circuits = makeCircuits(yield* CircuitBreaker.CircuitBreakerStore, yield* Clock.Clock)
  const inFlight = new Map<string, number>()

  const enter = (caller: LimitedCaller): Overloaded | undefined => {
    const { limits, process, server } = caller
    const limit = Math.min(limits.inFlight, most)
    const own = clientKeyOf(caller)
    const share = own === undefined ? limit : Math.ceil(limit * CALLS_IN_FLIGHT_SHARE)
    if ((inFlight.get(process) ?? 0) >= limit) return new Overloaded({ server, limit })
    if (own !== undefined && (inFlight.get(own) ?? 0) >= share) return new Overloaded({ server, limit: share })
    for (const key of own === undefined ? [process] : [process, own]) inFlight.set(key, (inFlight.get(key) ?? 0) + 1)
    return undefined
  }

  const leave = (caller: LimitedCaller): void => {
    places?.leave(caller)
    const own = clientKeyOf(caller)
    for (const key of own === undefined ? [caller.process] : [caller.process, own]) {
      const left = (inFlight.get(key) ?? 0) - 1
      // Removing and adding an entry for each call would rebuild the map all the time, so some idle entries stay. They are
      // limited, because servers of sessions come and go.
      if (left <= 0 && inFlight.size > IDLE_KEPT_MAX) inFlight.delete(key)
      else inFlight.set(key, left)
    }
  }

  /** A place first, then a token: a call that is refused for lack of a place takes no token. */
  const pass = <A, E extends CallError, R>(
    caller: LimitedCaller,
    call: Effect.Effect<A, E, R>,
    onEnd?: (exit: Exit.Exit<A, E | LimitError>) => Effect.Effect<void> | undefined
  ): Effect.Effect<A, E | LimitError, R> => {
    let entered = false
    return Effect.onExitPrimitive(
      Effect.suspend((): Effect.Effect<A, E | LimitError, R> => {
        const refused = enter(caller)
        if (refused !== undefined) return Effect.fail(refused)
        entered = true
        const place = places?.enter(caller, Math.min(caller.limits.inFlight, most))
        const next = (): Effect.Effect<A, E | LimitError, R> => {
          const token = caller.limits.perMinute === 0 ? undefined : buckets.take(caller)
          return token === undefined ? call : Effect.andThen(token, call)
        }
        return place === undefined ? next() : Effect.flatMap(place, next)
      }),
      (exit) => {
        // The only place where it is released, so that every end of a call releases it.
        if (entered) leave(caller)
        return onEnd?.(exit)
      }
    )
  }

  return CallLimiter.of({
    admit: (caller, call) =>
      Effect.suspend(() => {
        if (caller.limits.failures === 0) return pass(caller, call)
        if (circuits.isOpen(caller)) return circuits.tryOut(caller, pass(caller, call))
        return pass(caller, call, (exit) => circuits.ended(caller, exit))
      }),
    forgive: circuits.forgive,
    inFlight: (process) => inFlight.get(process) ?? 0,
    openCircuits: (process) => {
      const retryInMs = circuits.retryInMs(process)
      return retryInMs === undefined ? undefined : { retryInMs }
    }
  })
})

const circuitStore = () => CircuitBreaker.layerStoreMemory({ idleTimeToLive: CIRCUIT_KEPT_MS })

/** Keeps all limits in this process. */
export const layer = (options?: Options): Layer.Layer<CallLimiter> =>
  Layer.effect(
    CallLimiter,
    Effect.flatMap(makeOwnBuckets, (buckets) => make(buckets, options))
  ).pipe(Layer.provide(circuitStore()))

/**
 * Keeps the token buckets in a store that you provide, so that gateways whose entries of a server are equal share them. While
 * the store fails, calls are allowed, with a warning in the log. Circuits stay separate, like connections.
 */
export const layerShared = (options?: Options): Layer.Layer<CallLimiter, never, RateLimiter.RateLimiterStore> =>
  Layer.effect(
    CallLimiter,
    Effect.flatMap(makeSharedBuckets, (buckets) => make(buckets, options))
  ).pipe(Layer.provide(circuitStore()))

/** Takes tokens and places where `CallTokens` and `CallPlaces` say. Circuits are those of this process. */
export const layerStored = (options?: Options): Layer.Layer<CallLimiter, never, CallTokens | CallPlaces> =>
  Layer.effect(
    CallLimiter,
    Effect.gen(function* () {
      return yield* make(yield* CallTokens, options, yield* CallPlaces)
    })
  ).pipe(Layer.provide(circuitStore()))
