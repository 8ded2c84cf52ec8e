/**
 * How much one client may send while others are there: a burst, and then so much in a millisecond. What is more waits. What it sends while
 * nobody else is there never waits. The times are those of the real clock (`performance.now`), because they limit work, which Effect's
 * `Clock` does not measure.
 */
import { RATE_BURST_BYTES, RATE_BYTES_PER_MS, RATE_REST_MAX_MS } from "../schemas/defaults/LargeWork.ts"

export class Rate {
  readonly #hasOthers: (now: number) => boolean
  /** Negative: a debt. */
  #left = RATE_BURST_BYTES
  #at = 0

  constructor(hasOthers: (now: number) => boolean) {
    this.#hasOthers = hasOthers
  }

  /** So many bytes have arrived, or something that takes as long. */
  charge(bytes: number, now = performance.now()): void {
    const earned = Math.min(RATE_BURST_BYTES, this.#left + (now - this.#at) * RATE_BYTES_PER_MS)
    this.#left = Math.max(earned - bytes, this.#hasOthers(now) ? -RATE_REST_MAX_MS * RATE_BYTES_PER_MS : 0)
    this.#at = now
  }

  /** The milliseconds until more of this client may be used. */
  restMs(now = performance.now()): number {
    if (this.#left >= 0 || !this.#hasOthers(now)) return 0
    return Math.max(0, this.#at - this.#left / RATE_BYTES_PER_MS - now)
  }
}
