/**
 * Bytes that come piece by piece, one behind the other in one piece of memory. It grows as they come, and what it grows out of is
 * given back at once: it does not wait for the garbage collector.
 */
const FIRST_BYTES = 4 * 1024
/** Little: what many senders have begun and not ended is counted by its bytes, and takes so much more. */
const GROWS_BY = 1.25

export class GrowingBytes {
  #bytes = new Uint8Array(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The low eight bits of each. */
  push(...bytes: ReadonlyArray<number>): void {
    const room = this.room(bytes.length)
    for (const byte of bytes) room[this.#size++] = byte
  }

  /** The memory, with at least so much behind the last byte. What was written there counts when it is `taken`. */
  room(bytes: number): Uint8Array {
    const wanted = this.#size + bytes
    if (wanted > this.#bytes.length) {
      const length = Math.max(wanted, Math.ceil(this.#bytes.length * GROWS_BY), FIRST_BYTES)
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(length))
    }
    return this.#bytes
  }

  taken(bytes: number): void {
    this.#size += bytes
  }

  /** What came since there were so many, for as long as no more comes. */
  since(size: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(size, this.#size)
  }

  /** All of them. Nothing is left here. */
  end(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#size))
    this.#bytes = new Uint8Array(0)
    this.#size = 0
    return bytes
  }
}
