/**
 * Our answers to an HTTP server. Each holds a connection until the server has taken it, so that only so many are on their way;
 * the others wait, in order and within a bound, for a server that asks much at once waits for all of them.
 */
import { ANSWERS_UNTAKEN_MAX, ANSWERS_WAITING_MAX } from "../../../../schemas/defaults/HostRequests.ts"

type Send = () => Promise<void>

export class Outbox {
  #onTheirWay = 0
  #waiting: Array<Send> = []

  /** `false` when too many wait, and this one will not be sent. `send` does not fail. */
  send(send: Send): boolean {
    if (this.#onTheirWay < ANSWERS_UNTAKEN_MAX) this.#start(send)
    else if (this.#waiting.length < ANSWERS_WAITING_MAX) this.#waiting.push(send)
    else return false
    return true
  }

  /** Nothing more is sent. */
  close(): void {
    this.#waiting = []
  }

  #start(send: Send) {
    this.#onTheirWay++
    void send().finally(() => {
      this.#onTheirWay--
      const next = this.#waiting.shift()
      if (next !== undefined) this.#start(next)
    })
  }
}
