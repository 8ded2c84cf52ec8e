/**
 * Large work in turns of a few milliseconds (largeWork.ts): between two of them everybody else has theirs. What is short does
 * not suspend; what follows on work that was not short has a turn of its own.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { TURN_MS } from "../schemas/defaults/Wire.ts"
import type { InTurns } from "../schemas/data/InTurns.ts"
import { largeWork, type Party, type Piece } from "./largeWork.ts"

/** For whom the work of an effect is done. */
export class WorkFor extends Context.Reference<Party>("mcp-live/system/WorkFor", {
  defaultValue: () => largeWork.nobody
}) {}

/** Until it is this one's turn: no two pieces of large work are done in one turn of the event loop. */
const turn = (piece: Piece): Effect.Effect<void> =>
  Effect.flatMap(WorkFor, (party) =>
    Effect.callback((resume) => largeWork.inOwnTurn(() => resume(Effect.void), party, piece))
  )

interface Limit<A> {
  /** Of the work itself, without the waiting for turns. */
  readonly ms: number
  readonly orElse: () => A
}

const go = <A>(work: InTurns<A>, limit: Limit<A> | undefined, spentMs: number): Effect.Effect<A> =>
  Effect.suspend((): Effect.Effect<A> => {
    const from = performance.now()
    let now = from
    do {
      const step = work.next()
      if (step.done === true) return spentMs === 0 ? Effect.succeed(step.value) : Effect.as(turn("whole"), step.value)
      now = performance.now()
    } while (now < from + TURN_MS)
    const spent = spentMs + now - from
    return limit !== undefined && spent > limit.ms
      ? Effect.sync(limit.orElse)
      : Effect.andThen(turn("cut"), go(work, limit, spent))
  })

/** Does all of it, and gives what it returns. What it throws is a defect. */
export const inTurns = <A>(work: InTurns<A>, limit?: Limit<A>): Effect.Effect<A> => go(work, limit, 0)

function* each<A>(items: Iterable<A>, work: (item: A) => void): InTurns<void> {
  for (const item of items) {
    work(item)
    yield
  }
}

/** `work` on each of them in their order. */
export const eachInTurns = <A>(items: Iterable<A>, work: (item: A) => void): Effect.Effect<void> =>
  Effect.suspend(() => inTurns(each(items, work)))
