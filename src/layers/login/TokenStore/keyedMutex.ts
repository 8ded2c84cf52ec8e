/** One after the other under the same key, within this process. What nobody waits for is not remembered. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  users: number
}

export interface Turns {
  readonly inTurn: <A, E, R>(key: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Keys under which something runs or waits. */
  readonly size: () => number
}

export const makeTurns = (): Turns => {
  const turns = new Map<string, Turn>()
  const join = (key: string): Turn => {
    const turn = turns.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    turn.users++
    turns.set(key, turn)
    return turn
  }
  return {
    size: () => turns.size,
    inTurn: (key, work) =>
      Effect.acquireUseRelease(
        Effect.sync(() => join(key)),
        ({ semaphore }) => semaphore.withPermit(work),
        (turn) =>
          Effect.sync(() => {
            if (--turn.users === 0) turns.delete(key)
          })
      )
  }
}
