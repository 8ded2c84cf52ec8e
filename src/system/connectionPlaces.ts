/**
 * Places for connections. Who has not shown yet that it may be here has one only until others need it: however many come, they
 * push out each other, the oldest first, and nobody who was let in. Of those the unused give way, the longest unused first.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

export class Places {
  readonly #max: number
  /** The oldest first. */
  readonly #newcomers = new Set<Socket>()
  /** With how many requests under way; the longest unused first. */
  readonly #guests = new Map<Socket, number>()

  /** So many for those that were let in, and as many for those that were not. */
  constructor(server: Server, max: number) {
    this.#max = max
    server.on("connection", (socket: Socket) => this.#arrive(socket))
  }

  /** Whoever has made this request may be here. False when all places are in use. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#guests.has(socket) && !this.#makeRoom()) return false
    this.#newcomers.delete(socket)
    this.#use(socket, 1)
    response.once("close", () => this.#use(socket, -1))
    return true
  }

  #arrive(socket: Socket): void {
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

  #use(socket: Socket, more: 1 | -1): void {
    const requests = (this.#guests.get(socket) ?? 0) + more
    if (socket.destroyed) return
    this.#guests.delete(socket)
    this.#guests.set(socket, requests)
  }

  #makeRoom(): boolean {
    if (this.#guests.size < this.#max) return true
    for (const [socket, requests] of this.#guests) {
      if (requests > 0) continue
      this.#guests.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }
}
