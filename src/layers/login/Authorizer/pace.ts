/**
 * How often the tokens of one server are renewed: a few times immediately, and then after a wait. A server that refuses each token after
 * its first use makes its own calls wait, and costs others nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { RENEWALS_MAX, RENEWALS_WINDOW_MS } from "../../../schemas/defaults/Authorization.ts"
import { makeSlidingWindow } from "../../../system/slidingWindow.ts"

export interface Pace {
  /** Waits until the next renewal may begin. */
  readonly turn: Effect.Effect<void>
  /** Counts a renewal. */
  readonly note: Effect.Effect<void>
}

export const makePace = (): Pace => {
  const renewals = makeSlidingWindow(RENEWALS_MAX, RENEWALS_WINDOW_MS)
  return {
    turn: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const waitMs = renewals.waitMs(now)
      return waitMs === 0 ? Effect.void : Effect.sleep(waitMs)
    }),
    note: Effect.map(Clock.currentTimeMillis, renewals.note)
  }
}
