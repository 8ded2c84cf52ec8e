/**
 * Base64 from outside: how much it would be is known before any of it is decoded, and it is one spelling of its bytes or none. It
 * is decoded piece by piece, as it arrives, into memory of its own: no text is made of it.
 */
import { GrowingBytes } from "./GrowingBytes.ts"

const paddingOf = (text: string): number => (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)

/** What it would decode to, by its length alone; rounded up for what is no base64. */
export const decodedBytes = (text: string): number => Math.ceil(text.length / 4) * 3 - paddingOf(text)

/** How many characters the base64 of so many bytes has. */
export const encodedChars = (bytes: number): number => Math.ceil(bytes / 3) * 4

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** The six bits of each character; negative for what is none. */
const VALUES = new Int32Array(256).fill(-1)
for (const [value, char] of [...ALPHABET].entries()) VALUES[char.charCodeAt(0)] = value

const PADDING = "=".charCodeAt(0)
const SPACES: ReadonlySet<number> = new Set([..." \t\n\v\f\r"].map((char) => char.charCodeAt(0)))
const OF_URLS: ReadonlySet<number> = new Set([..."-_"].map((char) => char.charCodeAt(0)))
const DATA_URL = /^data:/i
const HEAD_CHARS = 5
const GROUP_CHARS = 4

/** Its bytes, or what is wrong with it, to be put behind "its data". */
export type Decoded = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string }

export class Base64Decoder {
  readonly #out = new GrowingBytes()
  #chars = 0
  #padding = 0
  /** The bits of a group of four that is not whole, and how many of its characters were there. */
  #bits = 0
  #count = 0
  #problem: string | undefined
  #head = ""

  /** Decoded so far. */
  get size(): number {
    return this.#out.size
  }

  /** A view of what was decoded since there were so many bytes of it, for as long as nothing more is written. */
  since(size: number): Uint8Array {
    return this.#out.since(size)
  }

  /** The next characters, each a byte. */
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

  /** No more comes. */
  end(): Decoded {
    const problem = this.#problem ?? this.#problemAtEnd()
    if (problem !== undefined) return { problem }
    return { bytes: this.#out.end() }
  }

  /** Whole groups, until there is something else. In variables of its own: this is the one loop over every byte. */
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
      ? "must be base64 alone, without the data: prefix of a URL"
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
    if (this.#chars % 4 !== 0) return "is not base64: its length is no multiple of four, so that padding (=) is missing"
    if (this.#padding === 0) return undefined
    // The bits behind the last byte must be zero: else two texts would be the same bytes.
    const [bits, spare] = [this.#bits, this.#padding * 2]
    if ((bits & ((1 << spare) - 1)) !== 0) return "is not base64: its last bits are not zero"
    if (this.#padding === 1) this.#out.push(bits >> 10, bits >> 2)
    else this.#out.push(bits >> 4)
    return undefined
  }
}

const SLICE_CHARS = 64 * 1024

/** Of a text that is there already. */
export const decodeBase64 = (text: string): Decoded => {
  const decoder = new Base64Decoder()
  for (let at = 0; at < text.length; at += SLICE_CHARS) decoder.write(Buffer.from(text.slice(at, at + SLICE_CHARS)))
  return decoder.end()
}

/** What is base64 already, or bytes that are to become it. */
export type Base64OrBytes = string | Uint8Array

export const sizeInBase64 = (data: Base64OrBytes): number =>
  typeof data === "string" ? data.length : encodedChars(data.length)

export const sizeInBytes = (data: Base64OrBytes): number =>
  typeof data === "string" ? decodedBytes(data) : data.length

export const toBase64 = (data: Base64OrBytes): string =>
  typeof data === "string" ? data : Buffer.from(data.buffer, data.byteOffset, data.length).toString("base64")
