/**
 * Large work in turns of a few milliseconds: between two of them everybody else has theirs, and all large work of the process
 * together has half of the time. What is short does not suspend.
 */
import * as Effect from "effect/Effect"
import { TURN_MS } from "../schemas/defaults/Wire.ts"
import type { InTurns } from "../schemas/data/InTurns.ts"
import { inOwnTurn } from "./ownTurn.ts"

/** Until it is this one's turn: no two pieces of large work are done in one turn of the event loop. */
const turn: Effect.Effect<void> = Effect.callback((resume) => inOwnTurn(() => resume(Effect.void)))

/** Does all of it, and gives what it returns. What it throws is a defect. */
export const inTurns = <A>(work: InTurns<A>): Effect.Effect<A> =>
  Effect.suspend((): Effect.Effect<A> => {
    const until = performance.now() + TURN_MS
    do {
      const step = work.next()
      if (step.done === true) return Effect.succeed(step.value)
    } while (performance.now() < until)
    return Effect.andThen(turn, inTurns(work))
  })

function* each<A>(items: Iterable<A>, work: (item: A) => void): InTurns<void> {
  for (const item of items) {
    work(item)
    yield
  }
}

/** `work` on each of them in their order. */
export const eachInTurns = <A>(items: Iterable<A>, work: (item: A) => void): Effect.Effect<void> =>
  Effect.suspend(() => inTurns(each(items, work)))
