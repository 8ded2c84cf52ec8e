/**
 * The work for one client, in turns with that of others. Small work is done in order, a few milliseconds of it in one turn of the event
 * loop. Large work has turns of its own (largeWork.ts), and so has small work that takes long again and again. Small work that took long
 * once was probably interrupted by the system, and costs next to nothing.
 */
import { setTimeout } from "node:timers/promises"
import { SMALL_COUNTS_MAX_MS } from "../schemas/defaults/LargeWork.ts"
import { STREAM_BURST_MS, STREAM_SHARE, STREAM_TURN_MS } from "../schemas/defaults/Wire.ts"
import { LargeWork, Party, type Piece } from "./largeWork.ts"
import { Rate } from "./rate.ts"

export interface Pace {
  /** For whom the work is done. */
  readonly party: Party
  /** Resolves at the turn of this client. What the caller does then counts, up to where it waits for something else. */
  readonly small: () => Promise<void>
  /** The same for a piece of large work. */
  readonly large: (piece?: Piece) => Promise<void>
  /** How fast it is read. */
  readonly rate: Rate
  /** It has sent something that takes as long as so many bytes; resolves when it may be used. */
  readonly arrived: (bytes: number) => Promise<void>
}

/** `arbiter` is that of the event loop (EventLoop.ts); with one of its own, a client has no others to give way to. */
export const makePace = (arbiter: LargeWork = new LargeWork()): Pace => {
  const party = new Party()
  const rate = new Rate((now) => arbiter.hasOthers(party, now))
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
    // After everything that it triggers immediately.
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
    large,
    rate,
    arrived: async (bytes) => {
      rate.charge(bytes)
      const ms = rate.restMs()
      if (ms > 0) await setTimeout(ms, undefined, { ref: false })
    }
  }
}
