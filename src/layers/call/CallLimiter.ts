/**
 * Limits calls in flight, and puts a token bucket and a circuit breaker before them. Each pair of server and agent has its
 * own, so that none affects the others.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
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

  /**
   * Removing and adding an entry for each call would rebuild the map all the time, so some idle entries stay. They are limited,
   * because servers of sessions come and go.
   */
  const countTo = (key: string, count: number): void => {
    if (count <= 0 && inFlight.size > IDLE_KEPT_MAX) inFlight.delete(key)
    else inFlight.set(key, count)
  }

  const enter = (caller: LimitedCaller): Overloaded | undefined => {
    const { limits, process, server } = caller
    const limit = Math.min(limits.inFlight, most)
    const count = inFlight.get(process) ?? 0
    if (count >= limit) return new Overloaded({ server, limit })
    const own = clientKeyOf(caller)
    if (own !== undefined) {
      const share = Math.ceil(limit * CALLS_IN_FLIGHT_SHARE)
      const ofOwn = inFlight.get(own) ?? 0
      if (ofOwn >= share) return new Overloaded({ server, limit: share })
      inFlight.set(own, ofOwn + 1)
    }
    inFlight.set(process, count + 1)
    return undefined
  }

  const leave = (caller: LimitedCaller): void => {
    places?.leave(caller)
    const own = clientKeyOf(caller)
    if (own !== undefined) countTo(own, (inFlight.get(own) ?? 0) - 1)
    countTo(caller.process, (inFlight.get(caller.process) ?? 0) - 1)
  }

  /** A place first, then a token: a call that is refused for lack of a place takes no token. */
  const admitted = <A, E extends CallError, R>(
    caller: LimitedCaller,
    call: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | LimitError, R> => {
    const place = places?.enter(caller, Math.min(caller.limits.inFlight, most))
    const next = (): Effect.Effect<A, E | LimitError, R> => {
      const token = caller.limits.perMinute === 0 ? undefined : buckets.take(caller)
      return token === undefined ? call : Effect.flatMap(token, () => call)
    }
    return place === undefined ? next() : Effect.flatMap(place, next)
  }

  const pass = <A, E extends CallError, R>(
    caller: LimitedCaller,
    call: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | LimitError, R> => {
    const isWatched = caller.limits.failures > 0
    let [entered, isTrial] = [false, false]
    const entering = (): Effect.Effect<A, E | LimitError, R> => {
      const refused = enter(caller)
      if (refused !== undefined) return Effect.fail(refused)
      entered = true
      return admitted(caller, call)
    }
    return Effect.onExitPrimitive(
      Effect.suspend((): Effect.Effect<A, E | LimitError, R> => {
        isTrial = isWatched && circuits.isOpen(caller)
        return isTrial ? circuits.tryOut(caller, Effect.suspend(entering)) : entering()
      }),
      (exit) => {
        // The only place where it is released, so that every end of a call releases it.
        if (entered) leave(caller)
        return isWatched && !isTrial ? circuits.ended(caller, exit) : undefined
      }
    )
  }

  return CallLimiter.of({
    admit: pass,
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
