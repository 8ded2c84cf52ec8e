/**
 * Collects bytes in one buffer that grows as they arrive. Outgrown memory is released at once instead of waiting for the
 * garbage collector.
 */
const FIRST_BYTES = 4 * 1024
/** A small factor: memory for unfinished input of many senders is counted by bytes received, and this is the overhead. */
const GROWS_BY = 1.25

export class GrowingBytes {
  #bytes = new Uint8Array(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds the low eight bits of each number. */
  push(...bytes: ReadonlyArray<number>): void {
    const room = this.room(bytes.length)
    for (const byte of bytes) room[this.#size++] = byte
  }

  /** The buffer with at least this much free space after the last byte. What you write there counts once it is `taken`. */
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

  /** The bytes after the first `size`; valid until more arrive. */
  since(size: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(size, this.#size)
  }

  /** Returns all bytes and leaves this empty. */
  end(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#size))
    this.#bytes = new Uint8Array(0)
    this.#size = 0
    return bytes
  }
}
