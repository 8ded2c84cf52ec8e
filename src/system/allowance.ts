/**
 * How much time of the event loop each server may take with what it writes. A message that answers a request of ours is not counted.
 * For everything else (notifications, invalid messages, stderr) a server has a burst, and then a small share of the time. All servers
 * that have used up their allowance wait in one queue and share one part of the time. The times are those of the real clock
 * (`performance.now`): they measure work, which Effect's `Clock` does not.
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
  /** Work has been done that counts as so many milliseconds; `now` is `performance.now()`. */
  readonly spend: (count: number, now: number) => void
  /** A request of ours was answered: the next `spend` was for that. */
  readonly answered: () => void
  /** Whether it is used up. */
  readonly isSpent: () => boolean
  /** Milliseconds until there is enough of it for a turn. */
  readonly waitMs: (now: number) => number
  /** Calls back at the turn of a server that has used up its allowance: one server at a time, in order. */
  readonly enqueue: (done: () => void) => void
}

/**
 * What a turn counts. A turn with a long message could not be interrupted and blocked everybody: it counts more the longer it took.
 * Any other turn that took long was interrupted itself, by the system or by a garbage collection.
 */
export const countOf = (ms: number, isLong: boolean, most: number = STREAM_LONG_COUNTS_MS): number =>
  isLong && ms > STREAM_TURN_MS ? Math.max(ms, Math.min((ms * ms) / STREAM_TURN_MS, most)) : Math.min(ms, most)

/** What all servers that have used up their allowance share. */
class Together {
  /** When each of them had its last turn. */
  readonly #low = new Map<Allowance, number>()
  readonly #queue: Array<() => void> = []
  #clearUntil = 0
  #isArmed = false

  leave(allowance: Allowance): void {
    this.#low.delete(allowance)
  }

  /** After this work, the others have the event loop for some time. */
  worked(allowance: Allowance, ms: number, now: number): void {
    this.#low.set(allowance, now)
    const rest = Math.min(ms, STREAM_DEBT_MAX_MS) * (1 / STREAM_TOGETHER_SHARE - 1)
    this.#clearUntil = Math.max(this.#clearUntil, now) + rest
  }

  /** The more there are, the less each of them has. */
  shareOfEach(now: number): number {
    for (const [allowance, last] of this.#low) if (now - last > STREAM_TOGETHER_MS) this.#low.delete(allowance)
    return Math.min(STREAM_SHARE, STREAM_TOGETHER_SHARE / Math.max(1, this.#low.size))
  }

  enqueue(done: () => void): void {
    this.#queue.push(done)
    if (!this.#isArmed) this.#arm()
  }

  #arm(): void {
    this.#isArmed = true
    // This timer must not keep the process alive: a caller that waits for an answer has a deadline that does.
    setTimeout(() => this.#admit(), Math.max(0, this.#clearUntil - performance.now())).unref()
  }

  #admit(): void {
    this.#isArmed = false
    if (performance.now() >= this.#clearUntil) this.#queue.shift()?.()
    if (this.#queue.length > 0) this.#arm()
  }
}

const makeAllowance = (together: Together): Allowance => {
  let [left, at] = [STREAM_BURST_MS, 0]
  let isAnswer = false
  /** It was used up, and less than half of it is back. */
  let isLow = false

  const earn = (now: number) => {
    left = Math.min(STREAM_BURST_MS, left + Math.max(0, now - at) * (isLow ? together.shareOfEach(now) : STREAM_SHARE))
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
      if (isLow) together.worked(allowance, count, now)
      else together.leave(allowance)
    },
    answered: () => {
      isAnswer = true
    },
    isSpent: () => left <= 0,
    waitMs: (now) => {
      earn(now)
      return Math.max(0, STREAM_TURN_MS - left) / together.shareOfEach(now)
    },
    enqueue: (done) => together.enqueue(done)
  }
  return allowance
}

/** Makes the allowances of the servers of one event loop. */
export const makeAllowances = (): (() => Allowance) => {
  const together = new Together()
  return () => makeAllowance(together)
}
