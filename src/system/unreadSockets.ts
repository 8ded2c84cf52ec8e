/**
 * What the other ends of sockets have not read yet, bounded for all of them together. If something more is written then, the sockets whose
 * other end has not read for longest are closed, until the rest is within the bound. The socket that is written to always stays.
 */
import type { Duplex } from "node:stream"

export class UnreadSockets {
  readonly #maxBytes: number
  /** The longest waiting first. */
  readonly #waiting = new Set<Duplex>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Call this when something was written. */
  wrote(socket: Duplex): void {
    if (!socket.writableNeedDrain || socket.destroyed) return
    this.#follow(socket)
    for (const one of this.#waiting) {
      if (this.#bytes <= this.#maxBytes) return
      if (one !== socket) one.destroy()
    }
  }

  #follow(socket: Duplex): void {
    if (this.#waiting.has(socket)) return
    this.#waiting.add(socket)
    const over = () => {
      this.#waiting.delete(socket)
      socket.off("drain", over).off("close", over)
    }
    socket.on("drain", over).on("close", over)
  }

  get #bytes(): number {
    let bytes = 0
    for (const { destroyed, writableLength } of this.#waiting) bytes += destroyed ? 0 : writableLength
    return bytes
  }
}
