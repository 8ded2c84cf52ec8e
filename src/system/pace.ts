/**
 * Work for one stranger in turns with everybody else's. Small work is done in the order in which it came, a few milliseconds of it
 * in one turn of the event loop; large work has turns of its own (largeWork.ts).
 */
import { STREAM_TURN_MS } from "../schemas/defaults/Wire.ts"
import { largeWork, Party, type LargeWork } from "./largeWork.ts"

export interface Pace {
  /** For whom it is. */
  readonly party: Party
  /** Done when it is this one's turn. What is done then counts, up to where something is waited for that has not happened yet. */
  readonly small: () => Promise<void>
  /** The same for a piece of large work. */
  readonly large: () => Promise<void>
}

export const makePace = (arbiter: LargeWork = largeWork): Pace => {
  const party = new Party()
  const waiting: Array<() => void> = []
  let [isTaken, isOver, spentMs, from] = [false, true, 0, 0]

  const anew = () => {
    isOver = true
    spentMs = 0
    next()
  }

  const next = () => {
    const begin = waiting.shift()
    isTaken = begin !== undefined
    if (begin === undefined) return
    arbiter.seen(party)
    from = performance.now()
    if (isOver) setImmediate(anew)
    isOver = false
    // After all that follows from it at once.
    queueMicrotask(() => process.nextTick(end))
    begin()
  }

  const end = () => {
    spentMs += performance.now() - from
    if (isOver || spentMs <= STREAM_TURN_MS) next()
  }

  return {
    party,
    small: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (!isTaken) next()
      }),
    large: () => new Promise((resolve) => arbiter.inOwnTurn(resolve, party))
  }
}
