/**
 * Messages between nodes: JSON, each with its length before it. A long one is put together once, when all of it has arrived; a length over the
 * limit ends the connection.
 */
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { PEER_MESSAGE_MAX_BYTES } from "../schemas/defaults/FleetNodes.ts"

const HEAD_BYTES = 4

/** Takes pieces of a stream, and gives the messages that are complete. */
export class Frames {
  #pieces: Array<Uint8Array> = []
  #held = 0
  /** The length of the present message, once it is known. */
  #length: number | undefined
  readonly #maxBytes: number

  constructor(maxBytes = PEER_MESSAGE_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  take(piece: Uint8Array): Array<string> {
    this.#pieces.push(piece)
    this.#held += piece.byteLength
    const texts: Array<string> = []
    for (;;) {
      if (this.#length === undefined) {
        if (this.#held < HEAD_BYTES) return texts
        this.#length = this.#cut(HEAD_BYTES).readUInt32BE(0)
        if (this.#length > this.#maxBytes)
          throw new RpcSerialization.MaxBufferSizeExceeded({ maxBufferSize: this.#maxBytes })
      }
      if (this.#held < this.#length) return texts
      texts.push(this.#cut(this.#length).toString("utf8"))
      this.#length = undefined
    }
  }

  #cut(bytes: number): Buffer {
    const [first] = this.#pieces
    const isOne = first !== undefined && first.byteLength >= bytes
    const all = isOne ? Buffer.from(first.buffer, first.byteOffset, first.byteLength) : Buffer.concat(this.#pieces)
    const rest = all.subarray(bytes)
    const others = isOne ? this.#pieces.slice(1) : []
    this.#pieces = rest.byteLength === 0 ? others : [rest, ...others]
    this.#held -= bytes
    return all.subarray(0, bytes)
  }
}

export const frameOf = (text: string): Buffer => {
  const bytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes)
  frame.writeUInt32BE(bytes, 0)
  frame.write(text, HEAD_BYTES, "utf8")
  return frame
}

export const framedJson: RpcSerialization.RpcSerialization["Service"] = RpcSerialization.RpcSerialization.of({
  contentType: "application/json",
  includesFraming: true,
  codecFor: RpcSerialization.json.codecFor,
  makeUnsafe: () => {
    const frames = new Frames()
    return {
      decode: (piece) =>
        frames.take(typeof piece === "string" ? Buffer.from(piece) : piece).map((text): unknown => JSON.parse(text)),
      encode: (message) => frameOf(JSON.stringify(message))
    }
  }
})
