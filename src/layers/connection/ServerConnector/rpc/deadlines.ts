/**
 * The deadlines of all requests in flight of one connector. A timer for each request would cost more than the request, so one fiber checks
 * all of them every 50 ms while something is in flight. A deadline may fire up to 50 ms late. Connections are watched as a whole, so
 * that a request costs one look-up.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import { roundsOf } from "../../../../system/rounds.ts"

export interface Deadline {
  /** In milliseconds of `now()`. It may change while it is watched, and may be infinite. */
  at: number
  readonly expire: () => void
}

/** The requests in flight of one connection; the map changes. */
type InFlight = ReadonlyMap<unknown, Deadline>

export interface Deadlines {
  /** Milliseconds of a clock that never goes back; its zero has no meaning. */
  readonly now: () => number
  /** Call this whenever you add a request. */
  readonly watch: (inFlight: InFlight) => void
}

const TICK_MS = 50

/** The clock of a program that sets none. */
const REAL = Context.get(Context.empty(), Clock.Clock)

/** Milliseconds of Effect's monotonic clock. Without its big integers where it is the real one, because every request asks. */
export const monotonicMs = (clock: Clock.Clock): number =>
  clock === REAL ? performance.now() : Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Streams that stay open have no deadline. */
const hasDeadline = (inFlight: InFlight): boolean => {
  for (const { at } of inFlight.values()) if (at !== Number.POSITIVE_INFINITY) return true
  return false
}

/** Nothing expires after the Scope is closed. */
export const makeDeadlines: Effect.Effect<Deadlines, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const fork = yield* FiberHandle.makeRuntime<never>()
  const watched = new Set<InFlight>()
  let isTicking = false
  const now = () => monotonicMs(clock)

  const look = () => {
    const at = now()
    for (const inFlight of watched) {
      if (!hasDeadline(inFlight)) watched.delete(inFlight)
      for (const deadline of inFlight.values()) if (deadline.at <= at) deadline.expire()
    }
    isTicking = watched.size > 0
  }
  const tick = Effect.sync(look).pipe(
    Effect.delay(TICK_MS),
    roundsOf("looking for requests without an answer"),
    Effect.repeat({ while: () => isTicking })
  )

  return {
    now,
    watch: (inFlight) => {
      watched.add(inFlight)
      if (isTicking) return
      isTicking = true
      fork(tick)
    }
  }
})
