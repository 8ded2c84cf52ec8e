/** When a server was used last: one that nobody has used for `idleTtlMs` is stopped. Not for 0. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Uses {
  /** Counts an effect as a use as long as it runs. */
  readonly during: <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Time counts from now. */
  readonly begin: (now: number) => void
  /** Until the server is idle; not before then, whatever happens, unless it is 0 or less. */
  readonly leftMs: (now: number) => number
}

export const makeUses = (idleTtlMs: number): Uses => {
  // Counted for every call, and nobody's news.
  let inFlight = 0
  let lastAt = 0
  const ended = Effect.map(Clock.currentTimeMillis, (now) => {
    inFlight--
    lastAt = now
  })
  return {
    during: (use) => {
      if (idleTtlMs === 0) return use
      inFlight++
      return Effect.ensuring(use, ended)
    },
    begin: (now) => void (lastAt = now),
    leftMs: (now) => (inFlight > 0 ? idleTtlMs : lastAt + idleTtlMs - now)
  }
}
