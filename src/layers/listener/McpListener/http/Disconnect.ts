/** Whether the sender of a request is still there. What that means for the request can be for somebody else to say. */
export class Disconnect {
  readonly #controller = new AbortController()
  #instead: (() => void) | undefined
  #hasLeft = false

  /** Nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolved when that is so. */
  get ended(): Promise<void> {
    const { signal } = this
    return new Promise((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener("abort", () => resolve(), { once: true })
    })
  }

  /** The connection is closed: all is said, or the client has left. */
  leave(): void {
    this.#hasLeft = true
    if (this.#instead === undefined) this.end()
    else this.#instead()
  }

  /** From now on this is done when the connection is closed, and the request goes on. */
  instead(left: () => void): void {
    this.#instead = left
    if (this.#hasLeft) left()
  }

  end(): void {
    this.#controller.abort()
  }
}
