/**
 * How often the tokens of one server are renewed: a few times at once, and then each one waits until some time has passed. A
 * server that refuses every token after its first use makes its own calls wait, and costs others nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { RENEWALS_MAX, RENEWALS_WINDOW_MS } from "../../../schemas/defaults/Authorization.ts"

export interface Pace {
  /** Completes when the next renewal may begin. */
  readonly turn: Effect.Effect<void>
  /** One was made now. */
  readonly note: Effect.Effect<void>
}

export const makePace = (): Pace => {
  let made: ReadonlyArray<number> = []
  const since = Effect.map(Clock.currentTimeMillis, (now) => {
    // Also without those that a clock that was set back left in the future.
    made = made.filter((at) => at <= now && now - at < RENEWALS_WINDOW_MS).slice(-RENEWALS_MAX)
    return now
  })
  return {
    turn: Effect.flatMap(since, (now) =>
      made.length < RENEWALS_MAX ? Effect.void : Effect.sleep(made[0]! + RENEWALS_WINDOW_MS - now)
    ),
    note: Effect.map(since, (now) => void (made = [...made, now]))
  }
}
