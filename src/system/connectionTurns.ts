/**
 * Turns of connections. What arrives is passed on in pieces. In one turn of the event loop, each client gets one piece, or as many small
 * pieces as take no longer than one large one may, however many connections it has. So a client waits at most that long for each other
 * client, and for the work that it causes. A new connection has the turns of the client whose token it begins with, so it waits neither for
 * other clients' new connections nor for strangers. All connections without a known token share one turn of a fixed time. A client that has
 * sent more than its rate allows (rate.ts) has no turn for a while.
 *
 * The event loop accepts one connection in each of its turns, in the order of their arrival. So strangers are served when nobody arrives, or
 * after so many arrivals: otherwise, what they cause would stand before each connection that waits to be accepted, a client's among them.
 */
import type { Socket } from "node:net"
import { LARGE_OTHERS_MS } from "../schemas/defaults/LargeWork.ts"
import {
  CONNECTION_PIECE_MS,
  CONNECTION_STRANGERS_MS,
  CONNECTION_STRANGERS_WAIT
} from "../schemas/defaults/Listener.ts"
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
  /** The clients that have had their piece in this turn of the loop. */
  readonly #served = new Set<Whose>()
  #isComing = false
  /** Whether a connection was accepted in this turn of the loop. */
  #hasAccepted = false
  /** How many were accepted since strangers had their last turn. */
  #acceptedSince = 0
  #timer: NodeJS.Timeout | undefined
  readonly #recognize: Recognize
  /** Those that have been looked at, with a token or without. */
  readonly #seen = new WeakSet<MeteredSocket>()

  constructor(recognize: Recognize = () => undefined) {
    this.#recognize = recognize
  }

  meter(socket: Socket): MeteredSocket {
    this.#hasAccepted = true
    this.#acceptedSince++
    this.#comeSoon()
    return new MeteredSocket(socket, (one) => this.#ask(one))
  }

  /** The first piece of a client in this turn of the loop does not wait. */
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

  /** Whether strangers wait for those who arrive. */
  #arePutOff(): boolean {
    if (this.#hasAccepted && this.#acceptedSince < CONNECTION_STRANGERS_WAIT) return true
    this.#acceptedSince = 0
    return false
  }

  #turn(): void {
    this.#isComing = false
    this.#served.clear()
    clearTimeout(this.#timer)
    let isWaiting = false
    let isPutOff = false
    /** Others may leave meanwhile, and then nobody rests. */
    let restMs = LARGE_OTHERS_MS
    for (const [whose, waiting] of this.#waiting) {
      if (whose === undefined && this.#arePutOff()) {
        isPutOff = true
        continue
      }
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
    this.#hasAccepted = false
    if (isPutOff || this.#served.size > 0) this.#comeSoon()
    else if (isWaiting) this.#timer = setTimeout(() => this.#turn(), Math.ceil(restMs))
  }
}
