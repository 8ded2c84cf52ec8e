/**
 * Base64 data of a client's message that was decoded as it arrived; it replaces the string in the message. Code that walks a
 * message sees only its hash, none of its bytes.
 */
import { createHash } from "node:crypto"
import { Base64Decoder } from "../data/Base64.ts"

export class Medium {
  /** The hash of its bytes: equal bytes are equal media. */
  readonly sha256: string
  readonly #bytes: Uint8Array | undefined
  readonly #problem: string | undefined

  constructor(sha256: string, bytes: Uint8Array | undefined, problem?: string) {
    this.sha256 = sha256
    this.#bytes = bytes
    this.#problem = problem
  }

  /** The bytes, or the end of a sentence about what is wrong, after "its data". */
  get decoded(): { readonly bytes: Uint8Array } | { readonly problem: string } {
    return this.#bytes === undefined ? { problem: this.#problem ?? "is empty" } : { bytes: this.#bytes }
  }
}

/** Decodes a medium piece by piece from the characters of its base64. */
export class MediumDecoder {
  readonly #decoder = new Base64Decoder()
  readonly #hash = createHash("sha256")
  #hashed = 0

  /** The number of bytes so far. */
  get size(): number {
    return this.#decoder.size
  }

  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.#decoder.write(bytes, from, to)
  }

  push(code: number): void {
    this.#decoder.push(code)
  }

  /** Hashes what was written since the last call; call it once per step. */
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
