/**
 * How much of everybody's time one server may take with what it writes. A message that answers a request of ours is what it
 * is there for, and not counted. Of the rest (notifications, rubbish, stderr) it has a burst, and then a small share
 * of the time; all that have used up theirs wait in one queue, and have a share together.
 */
import {
  STREAM_BURST_MS,
  STREAM_DEBT_MAX_MS,
  STREAM_LONG_COUNTS_MS,
  STREAM_SHARE,
  STREAM_TOGETHER_MS,
  STREAM_TOGETHER_SHARE,
  STREAM_TURN_MS
} from "../schemas/defaults/Wire.ts"

export interface Allowance {
  /** Work that counts so many milliseconds has been done, `now` by `performance.now()`. */
  readonly spend: (count: number, now: number) => void
  /** A request of ours was answered: what is spent next was for that. */
  readonly answered: () => void
  /** Whether it is used up. */
  readonly isSpent: () => boolean
  /** Milliseconds until there is enough of it for a turn. */
  readonly waitMs: (now: number) => number
}

/**
 * What a turn counts. One with a long message could not be interrupted, and held up everybody: it counts more the longer it
 * took, and comes the more rarely. Any other that took long was interrupted, by the system or by a garbage collection.
 */
export const countOf = (ms: number, isLong: boolean, most: number = STREAM_LONG_COUNTS_MS): number =>
  isLong && ms > STREAM_TURN_MS ? Math.max(ms, Math.min((ms * ms) / STREAM_TURN_MS, most)) : Math.min(ms, most)

export const makeAllowance = (): Allowance => {
  let [left, at] = [STREAM_BURST_MS, 0]
  let isAnswer = false
  /** It was used up, and is far from what it was. */
  let isLow = false

  const earn = (now: number) => {
    left = Math.min(STREAM_BURST_MS, left + Math.max(0, now - at) * (isLow ? shareOfEach(now) : STREAM_SHARE))
    at = now
  }

  const allowance: Allowance = {
    spend: (count, now) => {
      earn(now)
      if (isAnswer) {
        isAnswer = false
        return
      }
      left = Math.max(left - count, -STREAM_DEBT_MAX_MS)
      isLow = left <= 0 || (isLow && left < STREAM_BURST_MS / 2)
      if (!isLow) return void low.delete(allowance)
      low.set(allowance, now)
      keepClear(count, now)
    },
    answered: () => {
      isAnswer = true
    },
    isSpent: () => left <= 0,
    waitMs: (now) => {
      earn(now)
      return Math.max(0, STREAM_TURN_MS - left) / shareOfEach(now)
    }
  }
  return allowance
}

// ---- all of them together ------------------------------------------------------------------------------------------

/** When each that has used up its allowance had its last turn. */
const low = new Map<Allowance, number>()

/** The more there are, the less each of them has. */
const shareOfEach = (now: number): number => {
  for (const [allowance, last] of low) if (now - last > STREAM_TOGETHER_MS) low.delete(allowance)
  return Math.min(STREAM_SHARE, STREAM_TOGETHER_SHARE / Math.max(1, low.size))
}

const queue: Array<() => void> = []
let clearUntil = 0
let isArmed = false

/** Time for everybody else, after work for one of those. */
const keepClear = (ms: number, now: number) => {
  clearUntil = Math.max(clearUntil, now) + Math.min(ms, STREAM_DEBT_MAX_MS) * (1 / STREAM_TOGETHER_SHARE - 1)
}

const arm = () => {
  isArmed = true
  // It keeps no process alive: whoever waits for an answer has a deadline that does.
  setTimeout(admit, Math.max(0, clearUntil - performance.now())).unref()
}

const admit = () => {
  isArmed = false
  if (performance.now() >= clearUntil) queue.shift()?.()
  if (queue.length > 0) arm()
}

/** Calls back when it is the turn of one that has used up its allowance: one at a time, in order. */
export const enqueue = (done: () => void): void => {
  queue.push(done)
  if (!isArmed) arm()
}
