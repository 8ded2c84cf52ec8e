/**
 * Work for one stranger in turns with everybody else's. Small work is done in the order in which it came, a few milliseconds of it
 * in one turn of the event loop; large work has turns of its own (largeWork.ts). So has small work that takes long again and
 * again. What took long once was interrupted, and costs next to nothing.
 */
import { SMALL_COUNTS_MAX_MS } from "../schemas/defaults/LargeWork.ts"
import { STREAM_BURST_MS, STREAM_SHARE, STREAM_TURN_MS } from "../schemas/defaults/Wire.ts"
import { largeWork, Party, type LargeWork, type Piece } from "./largeWork.ts"

export interface Pace {
  /** For whom it is. */
  readonly party: Party
  /** Done when it is this one's turn. What is done then counts, up to where something is waited for that has not happened yet. */
  readonly small: () => Promise<void>
  /** The same for a piece of large work. */
  readonly large: (piece?: Piece) => Promise<void>
}

export const makePace = (arbiter: LargeWork = largeWork): Pace => {
  const party = new Party()
  const waiting: Array<() => void> = []
  let [isTaken, isOver, spentMs, from] = [false, true, 0, 0]
  /** For small work that takes longer than a turn. */
  let [leftMs, at] = [STREAM_BURST_MS, 0]

  const spend = (ms: number, now: number) => {
    leftMs = Math.min(STREAM_BURST_MS, leftMs + (now - at) * STREAM_SHARE)
    at = now
    if (ms > STREAM_TURN_MS) leftMs -= Math.min((ms * ms) / STREAM_TURN_MS, SMALL_COUNTS_MAX_MS)
  }

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
    const now = performance.now()
    spentMs += now - from
    spend(now - from, now)
    if (isOver || spentMs <= STREAM_TURN_MS) next()
  }

  const large = (piece?: Piece) => new Promise<void>((resolve) => arbiter.inOwnTurn(resolve, party, piece))

  return {
    party,
    small: () => {
      spend(0, performance.now())
      if (leftMs <= 0) return large("cut")
      return new Promise((resolve) => {
        waiting.push(resolve)
        if (!isTaken) next()
      })
    },
    large
  }
}
