/** When a server was last used. A server that nobody has used for `idleTtlMs` is stopped; 0 means never. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Uses {
  /** Counts an effect as a use while it runs. */
  readonly during: <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The idle time begins now. */
  readonly begin: (now: number) => void
  /** How long the server is at least not idle yet; 0 or less when it is idle. */
  readonly leftMs: (now: number) => number
}

export const makeUses = (idleTtlMs: number): Uses => {
  // They change with every call, so they are not part of the published state.
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
