/**
 * Large work as an effect, in turns of a few milliseconds (largeWork.ts); between them others have their turns. Short work does not
 * suspend. What follows work that was not short has a turn of its own.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { TURN_MS } from "../schemas/defaults/Wire.ts"
import type { InTurns } from "../schemas/data/InTurns.ts"
import { EventLoop } from "./EventLoop.ts"
import type { Party, Piece } from "./largeWork.ts"

/** For whom the work of an effect is done; `undefined` for nobody in particular. */
export class WorkFor extends Context.Reference<Party | undefined>("mcp-live/system/WorkFor", {
  defaultValue: () => undefined
}) {}

/** Waits for the next turn for large work: one turn of the event loop has at most one piece of it. */
const turn = Effect.fnUntraced(function* (piece: Piece) {
  const { large } = yield* EventLoop
  const party = yield* WorkFor
  yield* Effect.callback<void>((resume) => large.inOwnTurn(() => resume(Effect.void), party, piece))
})

/** For work that is short by itself, but that many fibers may have at the same time: each waits for a turn first. */
export const nextTurn: Effect.Effect<void> = turn("cut")
/** The same for work that takes long and cannot be cut: whoever has much of it rests longer. */
export const wholeTurn: Effect.Effect<void> = turn("whole")

interface Limit<A> {
  /** Of the work itself, without the time in which it waits for a turn or for a processor. */
  readonly ms: number
  readonly orElse: () => A
}

/** Of all threads of this process. */
const cpuMs = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

const go = <A>(
  work: InTurns<A>,
  limit: Limit<A> | undefined,
  piece: Piece,
  spentMs: number,
  isFirst: boolean
): Effect.Effect<A> =>
  Effect.suspend((): Effect.Effect<A> => {
    const from = performance.now()
    // Not for short work, which is most.
    const cpuFrom = isFirst ? Number.NEGATIVE_INFINITY : cpuMs()
    let now = from
    do {
      const step = work.next()
      if (step.done === true) return isFirst ? Effect.succeed(step.value) : Effect.as(turn("whole"), step.value)
      now = performance.now()
    } while (now < from + TURN_MS)
    const spent = spentMs + Math.min(now - from, cpuMs() - cpuFrom)
    return limit !== undefined && spent > limit.ms
      ? Effect.sync(limit.orElse)
      : Effect.andThen(turn(piece), go(work, limit, piece, spent, false))
  })

/** Does all of the work and gives what it returns. What it throws is a defect. */
export const inTurns = <A>(work: InTurns<A>, limit?: Limit<A>): Effect.Effect<A> => go(work, limit, "cut", 0, true)

function* each<A>(items: Iterable<A>, work: (item: A) => void): InTurns<void> {
  for (const item of items) {
    work(item)
    yield
  }
}

/** Calls `work` for each item, in order. If it takes long for a single item, the pieces are `whole` ones. */
export const eachInTurns = <A>(
  items: Iterable<A>,
  work: (item: A) => void,
  piece: Piece = "cut"
): Effect.Effect<void> => Effect.suspend(() => go(each(items, work), undefined, piece, 0, true))
