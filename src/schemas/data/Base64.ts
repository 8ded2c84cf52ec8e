/**
 * Strict base64 decoding of foreign input: the decoded size is known in advance, and every value has exactly one valid
 * spelling. Input is decoded piece by piece as it arrives, into its own memory, without building a string.
 */
import { GrowingBytes } from "./GrowingBytes.ts"

const paddingOf = (text: string): number => (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)

/** The decoded size, from the length alone; rounded up for invalid input. */
export const decodedBytes = (text: string): number => Math.ceil(text.length / 4) * 3 - paddingOf(text)

/** The number of base64 characters for this many bytes. */
export const encodedChars = (bytes: number): number => Math.ceil(bytes / 3) * 4

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** The six bits of each character; negative for other characters. */
const VALUES = new Int32Array(256).fill(-1)
for (const [value, char] of [...ALPHABET].entries()) VALUES[char.charCodeAt(0)] = value

const PADDING = "=".charCodeAt(0)
const SPACES: ReadonlySet<number> = new Set([..." \t\n\v\f\r"].map((char) => char.charCodeAt(0)))
const OF_URLS: ReadonlySet<number> = new Set([..."-_"].map((char) => char.charCodeAt(0)))
const DATA_URL = /^data:/i
const HEAD_CHARS = 5
const GROUP_CHARS = 4

/** The decoded bytes, or what is wrong, as the end of a sentence that begins with "its data". */
export type Decoded = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string }

export class Base64Decoder {
  readonly #out = new GrowingBytes()
  #chars = 0
  #padding = 0
  /** The bits of an incomplete group of four, and how many of its characters have arrived. */
  #bits = 0
  #count = 0
  #problem: string | undefined
  #head = ""

  /** The number of bytes decoded so far. */
  get size(): number {
    return this.#out.size
  }

  /** A view of the bytes that were decoded after the first `size`; valid until the next write. */
  since(size: number): Uint8Array {
    return this.#out.since(size)
  }

  /** The next characters, one byte each. */
  write(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let at = from
    while (at < to && this.#problem === undefined) {
      const isWhole = this.#chars >= HEAD_CHARS && this.#count === 0 && this.#padding === 0
      if (isWhole && to - at >= GROUP_CHARS) at = this.#groups(bytes, at, to)
      if (at < to) this.push(bytes[at++]!)
    }
  }

  /** The next character. */
  push(code: number): void {
    if (this.#problem !== undefined) return
    if (this.#chars++ < HEAD_CHARS) this.#head += String.fromCharCode(code)
    const value = VALUES[code]!
    if (code === PADDING) this.#padding++
    else if (value < 0 || this.#padding > 0) this.#problem = this.#strange(code)
    else {
      this.#bits = (this.#bits << 6) | value
      this.#count++
      if (this.#count === GROUP_CHARS) {
        this.#out.push(this.#bits >> 16, this.#bits >> 8, this.#bits)
        this.#bits = 0
        this.#count = 0
      }
    }
  }

  /** Ends the input. */
  end(): Decoded {
    const problem = this.#problem ?? this.#problemAtEnd()
    if (problem !== undefined) return { problem }
    return { bytes: this.#out.end() }
  }

  /** Decodes whole groups until there is anything else. Uses local variables: this is the only loop over every byte. */
  #groups(bytes: Uint8Array, from: number, to: number): number {
    const room = this.#out.room(Math.floor((to - from) / GROUP_CHARS) * 3)
    let [at, size] = [from, this.#out.size]
    for (; at + GROUP_CHARS <= to; at += GROUP_CHARS) {
      const bits =
        (VALUES[bytes[at]!]! << 18) |
        (VALUES[bytes[at + 1]!]! << 12) |
        (VALUES[bytes[at + 2]!]! << 6) |
        VALUES[bytes[at + 3]!]!
      if (bits < 0) break
      room[size++] = bits >> 16
      room[size++] = bits >> 8
      room[size++] = bits
    }
    this.#out.taken(size - this.#out.size)
    this.#chars += at - from
    return at
  }

  #foreign(position: number): string {
    return DATA_URL.test(this.#head)
      ? "must be only base64, without the data: prefix of a URL"
      : `is not base64: there is a foreign character at position ${position}`
  }

  #strange(code: number): string {
    if (SPACES.has(code)) return "is not base64: there is white space in it"
    return OF_URLS.has(code)
      ? "is not base64: it is in the alphabet for URLs, and must be in the usual one (+ and /)"
      : this.#foreign(this.#chars - this.#padding)
  }

  #problemAtEnd(): string | undefined {
    if (this.#chars === 0) return "is empty"
    if (this.#padding > 2) return this.#foreign(this.#chars - this.#padding + 1)
    if (this.#chars % 4 !== 0) return "is not base64: its length is not a multiple of four, so padding (=) is missing"
    if (this.#padding === 0) return undefined
    // The bits after the last byte must be zero: otherwise two texts would mean the same bytes.
    const [bits, spare] = [this.#bits, this.#padding * 2]
    if ((bits & ((1 << spare) - 1)) !== 0) return "is not base64: its last bits are not zero"
    if (this.#padding === 1) this.#out.push(bits >> 10, bits >> 2)
    else this.#out.push(bits >> 4)
    return undefined
  }
}

const SLICE_CHARS = 64 * 1024

/** Decodes a complete text. */
export const decodeBase64 = (text: string): Decoded => {
  const decoder = new Base64Decoder()
  for (let at = 0; at < text.length; at += SLICE_CHARS) decoder.write(Buffer.from(text.slice(at, at + SLICE_CHARS)))
  return decoder.end()
}

/** Base64, or bytes to be encoded. */
export type Base64OrBytes = string | Uint8Array

export const sizeInBase64 = (data: Base64OrBytes): number =>
  typeof data === "string" ? data.length : encodedChars(data.length)

export const sizeInBytes = (data: Base64OrBytes): number =>
  typeof data === "string" ? decodedBytes(data) : data.length

export const toBase64 = (data: Base64OrBytes): string =>
  typeof data === "string" ? data : Buffer.from(data.buffer, data.byteOffset, data.length).toString("base64")
