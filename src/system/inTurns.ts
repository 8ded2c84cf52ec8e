/**
 * Work on something large, in turns: a generator that yields after every few milliseconds of it. `inTurns` lets everybody else
 * have their turn, whenever it has worked for long enough.
 */
import * as Effect from "effect/Effect"
import { TURN_MS } from "../schemas/defaults/Wire.ts"

/** Does all of it, and gives what the generator returns. What it throws is a defect. */
export const inTurns = <A>(turns: Generator<undefined, A>): Effect.Effect<A> =>
  Effect.suspend((): Effect.Effect<A> => {
    const until = performance.now() + TURN_MS
    do {
      const turn = turns.next()
      if (turn.done === true) return Effect.succeed(turn.value)
    } while (performance.now() < until)
    return Effect.andThen(Effect.yieldNow, inTurns(turns))
  })
