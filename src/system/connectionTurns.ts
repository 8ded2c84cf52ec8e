/**
 * Turns of connections: what arrives is handed on a piece at a time. In one turn of the event loop, each who has connections here
 * gets one piece, or as many small ones as take no longer than one may, however many connections it has. So nobody waits longer than
 * that for each other, and for the work that follows. Those that have not shown who they are share one turn of a fixed time.
 */
import type { Socket } from "node:net"
import { CONNECTION_PIECE_MS, CONNECTION_STRANGERS_MS } from "../schemas/defaults/Listener.ts"
import { MeteredSocket } from "./meteredSocket.ts"

type Whose = string | undefined

export class ConnectionTurns {
  /** The longest waiting first. */
  readonly #waiting = new Map<Whose, Set<MeteredSocket>>()
  /** Those that have had their piece in this turn of the loop. */
  readonly #served = new Set<Whose>()
  #isComing = false

  meter(socket: Socket): MeteredSocket {
    return new MeteredSocket(socket, (one) => this.#ask(one))
  }

  /** Who is the first of its own in this turn of the loop does not wait. */
  #ask(one: MeteredSocket): void {
    const { whose } = one
    const waiting = this.#waiting.get(whose)
    if (waiting !== undefined) waiting.add(one)
    else if (this.#served.has(whose)) this.#waiting.set(whose, new Set([one]))
    else {
      this.#served.add(whose)
      one.hand()
    }
    this.#comeSoon()
  }

  #comeSoon(): void {
    if (this.#isComing) return
    this.#isComing = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isComing = false
    this.#served.clear()
    for (const [whose, waiting] of this.#waiting) {
      this.#served.add(whose)
      const until = performance.now() + (whose === undefined ? CONNECTION_STRANGERS_MS : CONNECTION_PIECE_MS)
      for (const one of waiting) {
        waiting.delete(one)
        one.hand()
        if (performance.now() >= until) break
      }
      if (waiting.size === 0) this.#waiting.delete(whose)
    }
    if (this.#served.size > 0) this.#comeSoon()
  }
}
