/** Progress of one call for a client that wants it: values increase, and only the newest waits for the client to read. */
import type { Progress } from "../../../../schemas/call/Tool.ts"

/** Done when the client can take another. */
export type SendProgress = (progress: Progress) => Promise<void>

export class Reports {
  #last = Number.NEGATIVE_INFINITY
  #held: Progress | undefined
  #isSending = false

  report(progress: Progress, send: SendProgress | undefined): void {
    if (send === undefined || !(progress.progress > this.#last)) return
    this.#last = progress.progress
    this.#held = progress
    if (!this.#isSending) void this.#sendAll(send)
  }

  /** Sends the last value. Call this before the answer. */
  end(send: SendProgress | undefined): void {
    const progress = this.#held
    this.#held = undefined
    if (progress !== undefined && send !== undefined) void send(progress).catch(() => {})
  }

  async #sendAll(send: SendProgress): Promise<void> {
    this.#isSending = true
    for (let next = this.#held; next !== undefined; next = this.#held) {
      this.#held = undefined
      // A client that is gone misses it.
      await send(next).catch(() => {})
    }
    this.#isSending = false
  }
}
