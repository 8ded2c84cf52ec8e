/**
 * What a client sent as base64 within a message, taken out of its text as it arrived: it stands in the message where the string was.
 * Code that walks a message sees its hash alone, and none of its bytes.
 */
import { createHash } from "node:crypto"
import { Base64Decoder } from "../data/Base64.ts"

export class Medium {
  /** Of its bytes: two of the same bytes are equal. */
  readonly sha256: string
  readonly #bytes: Uint8Array | undefined
  readonly #problem: string | undefined

  constructor(sha256: string, bytes: Uint8Array | undefined, problem?: string) {
    this.sha256 = sha256
    this.#bytes = bytes
    this.#problem = problem
  }

  /** Or what is wrong with it, to be put behind "its data". */
  get decoded(): { readonly bytes: Uint8Array } | { readonly problem: string } {
    return this.#bytes === undefined ? { problem: this.#problem ?? "is empty" } : { bytes: this.#bytes }
  }
}

/** Makes one of the characters of its base64, piece by piece. */
export class MediumDecoder {
  readonly #decoder = new Base64Decoder()
  readonly #hash = createHash("sha256")
  #hashed = 0

  /** Bytes so far. */
  get size(): number {
    return this.#decoder.size
  }

  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.#decoder.write(bytes, from, to)
  }

  push(code: number): void {
    this.#decoder.push(code)
  }

  /** After so many writes as there is a turn for. */
  settle(): void {
    this.#hash.update(this.#decoder.since(this.#hashed))
    this.#hashed = this.#decoder.size
  }

  end(): Medium {
    this.settle()
    const decoded = this.#decoder.end()
    if ("problem" in decoded) return new Medium(this.#hash.digest("hex"), undefined, decoded.problem)
    this.#hash.update(decoded.bytes.subarray(this.#hashed))
    return new Medium(this.#hash.digest("hex"), decoded.bytes)
  }
}
