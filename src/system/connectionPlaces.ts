/**
 * Limits the number of connections. A connection that is not authenticated yet has its place only until others need it: such connections close
 * each other, the oldest first, and never an authenticated one. Of the authenticated clients, the one with the most connections gives way: an
 * unused connection first, the longest unused before others.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { CONNECTION_REQUESTS_MAX, CONNECTIONS_SHARE } from "../schemas/defaults/Listener.ts"
import { descriptorsMax } from "./descriptors.ts"
import { MeteredSocket } from "./meteredSocket.ts"

interface Guest {
  readonly whose: string
  /** The number of requests without a response. */
  readonly requests: number
}

export class Places {
  readonly #max: number
  /** The oldest first. */
  readonly #newcomers = new Set<MeteredSocket>()
  /** The longest unused first. */
  readonly #guests = new Map<MeteredSocket, Guest>()

  /** `max` places for authenticated connections and as many for others; fewer if the system allows fewer descriptors. */
  constructor(max: number, descriptors: number = descriptorsMax()) {
    this.#max = Math.max(1, Math.min(max, Math.floor((descriptors * CONNECTIONS_SHARE) / 2)))
  }

  /** The request is authenticated. False if its client may have no more places. */
  admit(incoming: IncomingMessage, response: ServerResponse, whose: string): boolean {
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
    this.#use(socket, whose, 1)
    response.once("close", () => this.#use(socket, whose, -1))
    return true
  }

  arrive(socket: MeteredSocket): void {
    this.#newcomers.add(socket)
    socket.once("close", () => {
      this.#newcomers.delete(socket)
      this.#guests.delete(socket)
    })
    if (this.#newcomers.size <= this.#max) return
    for (const oldest of this.#newcomers) {
      this.#newcomers.delete(oldest)
      return void oldest.destroy()
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
