/**
 * Lines of a stream of bytes, each of at most so many. One that is too long is passed over and told of, and costs no other:
 * what comes after it is read as ever. Linear, however the bytes are cut up.
 */
const NEWLINE = 0x0a
/** Enough of a line to see which request it was. */
const HEAD_BYTES = 512

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*,\s*`
/** Where the id stands before the rest, as nearly everybody writes it. An answer of the client's is no request of it. */
const REQUEST = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION})?"id"\s*:\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,128}")\s*,\s*(?:${VERSION})?"method"\s*:`
)

/** Of the JSON-RPC request that a text begins with; `null` where it does not say. */
const requestIdIn = (head: string): number | string | null => {
  const id = REQUEST.exec(head)?.[1]
  return id === undefined ? null : (JSON.parse(id) as number | string)
}

export type Line =
  | { readonly bytes: Buffer }
  /** Too long. Of the request that it was, if it was one. */
  | { readonly tooLong: { readonly id: number | string | null } }

export class Lines {
  readonly #maxBytes: number
  /** The line so far, where it is not all in one piece. */
  #held = Buffer.alloc(0)
  #size = 0
  #passedOver: string | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Of the line that is not at its end. */
  get heldBytes(): number {
    return this.#size
  }

  *take(chunk: Uint8Array): Generator<Line> {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, at))
      yield this.#end()
      from = at + 1
    }
    this.#hold(chunk.subarray(from))
  }

  /** What came after the last end of a line. */
  *rest(): Generator<Line> {
    if (this.#size > 0 || this.#passedOver !== undefined) yield this.#end()
  }

  #hold(part: Uint8Array): void {
    if (this.#passedOver !== undefined) return
    const [held, size, maxBytes] = [this.#held, this.#size, this.#maxBytes]
    if (size + part.length > maxBytes) {
      const head = Buffer.concat([held.subarray(0, Math.min(size, HEAD_BYTES)), part.subarray(0, HEAD_BYTES)])
      this.#passedOver = head.toString("latin1", 0, HEAD_BYTES)
      this.#held = Buffer.alloc(0)
      return
    }
    if (size + part.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(size + part.length, Math.min(held.length * 2, maxBytes)))
      held.copy(larger, 0, 0, size)
      this.#held = larger
    }
    this.#held.set(part, size)
    this.#size += part.length
  }

  #end(): Line {
    const [bytes, head] = [this.#held.subarray(0, this.#size), this.#passedOver]
    this.#held = Buffer.alloc(0)
    this.#size = 0
    this.#passedOver = undefined
    return head === undefined ? { bytes } : { tooLong: { id: requestIdIn(head) } }
  }
}
