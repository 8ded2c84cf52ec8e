/**
 * Limits the number of connections. A connection that is not authenticated yet has its place only until others need it: such connections close
 * each other, the oldest first, and never an authenticated one. As long as there are not very many, one that has just come is left alone: its
 * request may wait for its turn to be read. Of the authenticated clients, the one with the most connections gives way: an
 * unused connection first, the longest unused before others.
 */
import type { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"
import {
  CONNECTION_FRESH_MS,
  CONNECTION_REQUESTS_MAX,
  CONNECTIONS_FRESH_SHARE,
  CONNECTIONS_SHARE
} from "../schemas/defaults/Listener.ts"
import { descriptorsMax } from "./descriptors.ts"
import { MeteredSocket } from "./meteredSocket.ts"
import type { Rate } from "./rate.ts"

interface Options {
  /** Places for connections that are not authenticated yet; as many as the others by default. */
  readonly newcomers?: number | undefined
  readonly descriptors?: number | undefined
  readonly now?: (() => number) | undefined
}

interface Guest {
  readonly whose: string
  /** The number of requests without a response. */
  readonly requests: number
}

export class Places {
  readonly #max: number
  /** From so many on, newcomers give way; up to the second number only those that have been there for a while. */
  readonly #newcomersUsual: number
  readonly #newcomersMax: number
  /** When they came, the oldest first. */
  readonly #newcomers = new Map<MeteredSocket, number>()
  /** The longest unused first. */
  readonly #guests = new Map<MeteredSocket, Guest>()

  readonly #now: () => number

  /** `max` places for authenticated connections; fewer if the system allows fewer descriptors. */
  constructor(max: number, { descriptors = descriptorsMax(), newcomers = max, now }: Options = {}) {
    this.#now = now ?? (() => performance.now())
    const most = Math.max(1, Math.floor((descriptors * CONNECTIONS_SHARE) / 2))
    this.#max = Math.min(max, most)
    this.#newcomersUsual = Math.min(newcomers, most)
    this.#newcomersMax = Math.min(newcomers * CONNECTIONS_FRESH_SHARE, most)
  }

  /**
   * The request is authenticated. False if its client may have no more places. Its connection is read at the `rate` of the client. `response` closes
   * when the request is over; for one that takes the connection over, that is the connection itself.
   */
  admit(incoming: IncomingMessage, response: Pick<EventEmitter, "once">, whose: string, rate?: Rate): boolean {
    const socket: unknown = incoming.socket
    if (!(socket instanceof MeteredSocket) || socket.destroyed) return false
    const guest = this.#guests.get(socket)
    if (guest === undefined && !this.#makeRoom(whose)) return false
    // Nobody needs so many pipelined requests, and all of them would begin in one turn.
    if (guest !== undefined && guest.requests >= CONNECTION_REQUESTS_MAX) {
      socket.destroy()
      return false
    }
    this.#newcomers.delete(socket)
    socket.whose = whose
    socket.rate = rate
    this.#use(socket, whose, 1)
    response.once("close", () => this.#use(socket, whose, -1))
    return true
  }

  arrive(socket: MeteredSocket): void {
    const now = this.#now()
    this.#newcomers.set(socket, now)
    socket.once("close", () => {
      this.#newcomers.delete(socket)
      this.#guests.delete(socket)
    })
    for (const [oldest, came] of this.#newcomers) {
      const { size } = this.#newcomers
      if (size <= this.#newcomersUsual || (size <= this.#newcomersMax && now - came < CONNECTION_FRESH_MS)) return
      this.#newcomers.delete(oldest)
      oldest.destroy()
    }
  }

  #use(socket: MeteredSocket, whose: string, more: 1 | -1): void {
    const requests = (this.#guests.get(socket)?.requests ?? 0) + more
    if (socket.destroyed) return
    this.#guests.delete(socket)
    this.#guests.set(socket, { whose, requests })
  }

  #makeRoom(whose: string): boolean {
    if (this.#guests.size < this.#max) return true
    const owner = this.#richest(whose)
    const own = [...this.#guests].filter(([, guest]) => guest.whose === owner)
    const unused = own.find(([, { requests }]) => requests === 0)
    const [given] = unused ?? (owner === whose ? [] : own[0]!)
    if (given === undefined) return false
    this.#guests.delete(given)
    given.destroy()
    return true
  }

  /** The client with the most places; the asking one if no other has more. */
  #richest(asking: string): string {
    const counts = new Map<string, number>()
    for (const { whose } of this.#guests.values()) counts.set(whose, (counts.get(whose) ?? 0) + 1)
    return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [asking, counts.get(asking) ?? 0] as [
      string,
      number
    ])[0]
  }
}
