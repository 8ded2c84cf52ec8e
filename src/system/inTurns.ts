/** Runs work that yields, with turns for everybody else in between. */
import * as Effect from "effect/Effect"
import type { InTurns } from "../schemas/InTurns.ts"
import { STREAM_TURN_MS } from "../schemas/defaults/Wire.ts"

export const inTurns = Effect.fnUntraced(function* <A>(work: InTurns<A>) {
  for (;;) {
    const until = performance.now() + STREAM_TURN_MS
    for (let step = work.next(); ; step = work.next()) {
      if (step.done === true) return step.value
      if (performance.now() > until) break
    }
    yield* Effect.yieldNow
  }
})
