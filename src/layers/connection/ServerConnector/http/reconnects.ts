/**
 * When a broken stream of events is opened again (up to 2025-11-25): after the time that the server asked for, within
 * bounds, for a server may ask for none at all or for a time that overflows a timer. Nothing is left when the link is closed.
 */
import {
  STREAM_RECONNECT_BASE_MS,
  STREAM_RECONNECT_CAP_MS,
  STREAM_RECONNECT_MAX_MS,
  STREAM_RECONNECT_MIN_MS,
  STREAM_RECONNECT_TRIES
} from "../../../../schemas/defaults/Wire.ts"

export class Reconnects {
  readonly #timers = new Set<NodeJS.Timeout>()
  /** What the SDK's transport reads each time that a stream ends. */
  readonly options = {
    initialReconnectionDelay: STREAM_RECONNECT_BASE_MS,
    maxReconnectionDelay: STREAM_RECONNECT_CAP_MS,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: STREAM_RECONNECT_TRIES
  }

  readonly schedule = (reconnect: () => void, delayMs: number): (() => void) => {
    const bounded = Math.min(Math.max(delayMs, STREAM_RECONNECT_MIN_MS), STREAM_RECONNECT_MAX_MS)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      reconnect()
    }, bounded)
    this.#timers.add(timer)
    return () => this.#drop(timer)
  }

  /** Since 2026-07-28 a stream that broke is lost, and so is its request (Streamable HTTP › Receiving Messages). */
  forbid(): void {
    this.options.maxRetries = 0
  }

  close(): void {
    for (const timer of this.#timers) this.#drop(timer)
  }

  #drop(timer: NodeJS.Timeout) {
    clearTimeout(timer)
    this.#timers.delete(timer)
  }
}
