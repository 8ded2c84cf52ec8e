/** Whether a server is in use, and when it last was. A server that nobody has used for `idleTtlMs` is stopped; 0 means never. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Uses {
  /** Runs an effect that counts as a use from where it calls `begin` until it ends. */
  readonly during: <A, E, R>(use: (begin: () => void) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The idle time begins now. */
  readonly begin: (now: number) => void
  /** How long the server is at least not idle yet; 0 or less when it is idle. */
  readonly leftMs: (now: number) => number
  /** Completes when there is no use. */
  readonly none: Effect.Effect<void>
}

export const makeUses = (idleTtlMs: number, clock: Clock.Clock): Uses => {
  // They change with every call, so they are not part of the published state.
  let inFlight = 0
  let lastAt = 0
  const waiting = new Set<() => void>()
  const ended = (): void => {
    inFlight--
    if (idleTtlMs > 0) lastAt = clock.currentTimeMillisUnsafe()
    if (inFlight === 0) for (const tell of waiting) tell()
  }
  return {
    during: (use) => {
      let begun = false
      const begin = () => {
        begun = true
        inFlight++
      }
      return Effect.onExitPrimitive(
        Effect.suspend(() => use(begin)),
        () => void (begun && ended())
      )
    },
    begin: (now) => void (lastAt = now),
    leftMs: (now) => (inFlight > 0 ? idleTtlMs : lastAt + idleTtlMs - now),
    none: Effect.callback((resume) => {
      if (inFlight === 0) return resume(Effect.void)
      const tell = () => {
        waiting.delete(tell)
        resume(Effect.void)
      }
      waiting.add(tell)
      return Effect.sync(() => waiting.delete(tell))
    })
  }
}
