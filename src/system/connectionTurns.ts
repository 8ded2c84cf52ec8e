/**
 * Turns of connections. What arrives is passed on in pieces. In one round, each client gets one piece, or as many small
 * pieces as take no longer than one large one may, however many connections it has. So a client waits at most that long for each other
 * client, and for the work that it causes. A new connection has the turns of the client whose token it begins with, so it waits neither for
 * other clients' new connections nor for strangers. All connections without a known token share one turn of a fixed time. A client that has
 * sent more than its rate allows (rate.ts) has no turn for a while.
 *
 * A round is a turn of the event loop. But the loop accepts one connection in each of its turns, in the order of their arrival. So a round goes on
 * while connections arrive, up to a number of them: otherwise, the work of whoever opens many would stand before each connection that waits.
 */
import type { Socket } from "node:net"
import { LARGE_OTHERS_MS } from "../schemas/defaults/LargeWork.ts"
import { CONNECTION_PIECE_MS, CONNECTION_STRANGERS_MS, CONNECTION_ARRIVALS_MAX } from "../schemas/defaults/Listener.ts"
import { MeteredSocket } from "./meteredSocket.ts"
import type { Rate } from "./rate.ts"

type Whose = string | undefined

export interface Known {
  readonly whose: string
  readonly rate: Rate
}

/** The client whose token is in the first bytes of a connection, if it is one of ours. */
export type Recognize = (head: Buffer) => Known | undefined

export class ConnectionTurns {
  /** The longest waiting first. */
  readonly #waiting = new Map<Whose, Set<MeteredSocket>>()
  /** The clients that have had their piece in this round. */
  readonly #served = new Set<Whose>()
  #isComing = false
  /** Whether a connection was accepted in this turn of the loop. */
  #hasAccepted = false
  /** How many were accepted in this round. */
  #arrivals = 0
  #timer: NodeJS.Timeout | undefined
  readonly #recognize: Recognize
  /** Those that have been looked at, with a token or without. */
  readonly #seen = new WeakSet<MeteredSocket>()

  constructor(recognize: Recognize = () => undefined) {
    this.#recognize = recognize
  }

  meter(socket: Socket): MeteredSocket {
    this.#hasAccepted = true
    this.#arrivals++
    this.#comeSoon()
    return new MeteredSocket(socket, (one) => this.#ask(one))
  }

  /** The first piece of a client in this round does not wait. */
  #ask(one: MeteredSocket): void {
    if (!this.#seen.has(one)) this.#look(one)
    const { whose } = one
    const waiting = this.#waiting.get(whose)
    if (waiting !== undefined) waiting.add(one)
    else if (whose === undefined || this.#served.has(whose) || one.restMs() > 0) {
      this.#waiting.set(whose, new Set([one]))
    } else {
      this.#served.add(whose)
      one.hand()
    }
    this.#comeSoon()
  }

  #look(one: MeteredSocket): void {
    const { arrived } = one
    if (arrived === undefined) return
    this.#seen.add(one)
    const known = one.whose === undefined ? this.#recognize(arrived) : undefined
    if (known === undefined) return
    one.whose = known.whose
    one.rate = known.rate
  }

  #comeSoon(): void {
    if (this.#isComing) return
    this.#isComing = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isComing = false
    const doArrive = this.#hasAccepted && this.#arrivals < CONNECTION_ARRIVALS_MAX
    this.#hasAccepted = false
    if (doArrive) return this.#comeSoon()
    this.#arrivals = 0
    this.#served.clear()
    clearTimeout(this.#timer)
    let isWaiting = false
    /** Others may leave meanwhile, and then nobody rests. */
    let restMs = LARGE_OTHERS_MS
    for (const [whose, waiting] of this.#waiting) {
      const until = performance.now() + (whose === undefined ? CONNECTION_STRANGERS_MS : CONNECTION_PIECE_MS)
      for (const one of waiting) {
        const rest = one.restMs()
        if (rest > 0) {
          restMs = Math.min(restMs, rest)
          break
        }
        this.#served.add(whose)
        waiting.delete(one)
        one.hand()
        if (performance.now() >= until) break
      }
      if (waiting.size === 0) this.#waiting.delete(whose)
      else isWaiting = true
    }
    if (this.#served.size > 0) this.#comeSoon()
    else if (isWaiting) this.#timer = setTimeout(() => this.#turn(), Math.ceil(restMs))
  }
}
