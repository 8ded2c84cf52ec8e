/**
 * Bytes that come piece by piece, one behind the other in one piece of memory. It grows as they come, and what it grows out of is
 * given back at once: it does not wait for the garbage collector.
 */
const FIRST_BYTES = 4 * 1024

export class GrowingBytes {
  #memory = new ArrayBuffer(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  append(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes)
    this.#size += bytes.length
  }

  /** The low eight bits of each. */
  push(...bytes: ReadonlyArray<number>): void {
    this.room(bytes.length).set(bytes)
    this.#size += bytes.length
  }

  /** The memory behind the last byte, of at least this many. What was written into it counts when it is `taken`. */
  room(bytes: number): Uint8Array<ArrayBuffer> {
    const wanted = this.#size + bytes
    if (wanted > this.#memory.byteLength) {
      this.#memory = this.#memory.transfer(Math.max(wanted, this.#memory.byteLength * 2, FIRST_BYTES))
    }
    return new Uint8Array(this.#memory, this.#size)
  }

  taken(bytes: number): void {
    this.#size += bytes
  }

  /** What came since there were so many, for as long as no more comes. */
  since(size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#memory, size, this.#size - size)
  }

  /** All of them. Nothing is left here. */
  end(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#memory.transfer(this.#size))
    this.#memory = new ArrayBuffer(0)
    this.#size = 0
    return bytes
  }
}
