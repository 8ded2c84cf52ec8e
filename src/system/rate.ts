/**
 * How much one client may send while others are there: a burst, and then so much in a millisecond. What is more waits, in order. What it
 * sends while nobody else is there never has to wait. The times are those of the real clock (`performance.now`), because they
 * limit work, which Effect's `Clock` does not measure.
 */
import { RATE_BURST_BYTES, RATE_BYTES_PER_MS, RATE_REST_MAX_MS } from "../schemas/defaults/LargeWork.ts"

export class Rate {
  #left = RATE_BURST_BYTES
  #at = 0

  /** Takes `bytes`; returns the milliseconds to wait before they are used. */
  take(bytes: number, now: number, hasOthers: boolean): number {
    const earned = Math.min(RATE_BURST_BYTES, this.#left + (now - this.#at) * RATE_BYTES_PER_MS)
    this.#left = Math.max(earned - bytes, hasOthers ? -RATE_REST_MAX_MS * RATE_BYTES_PER_MS : 0)
    this.#at = now
    return Math.max(0, -this.#left / RATE_BYTES_PER_MS)
  }
}
