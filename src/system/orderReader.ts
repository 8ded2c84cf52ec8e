/**
 * Reads one message with an agent request as its bytes arrive. The base64 of an image or a file is decoded meanwhile and never becomes text: the
 * message has a `Medium` in its place. Everything else is read and limited as in other messages. An image or a file that is too large is refused
 * at the byte that exceeds the limit, and the refusal names it.
 */
import { randomBytes } from "node:crypto"
import {
  ORDER_MEDIA_IN_ALL_MAX,
  ORDER_MEDIA_MAX_BYTES,
  ORDER_REQUEST_MAX_BYTES,
  ORDER_TEXT_MAX_BYTES
} from "../schemas/defaults/Orders.ts"
import { isObject } from "../schemas/data/Json.ts"
import { tooManyBytes, type Broken, type MessageReader } from "../schemas/connection/JsonMessage.ts"
import { MediumDecoder, type Medium } from "../schemas/content/Medium.ts"
import { tooLargeMedium, tooManyMedia } from "../schemas/agent/OrderInput.ts"
import { Escape } from "./orderReader/jsonEscapes.ts"
import { MediaPlaces, type MediaPlace } from "./orderReader/mediaPath.ts"

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
/** Longer than any key that matters. */
const KEY_MAX_CHARS = 16
const NAME_BYTES = 16

const tooLarge = (message: string): Broken => ({ is: "size", message })

const TEXT_TOO_LARGE = tooLarge(
  `Besides its images and files, a message may have ${ORDER_TEXT_MAX_BYTES} bytes, and this one has more`
)

interface Open {
  readonly place: MediaPlace
  readonly decoder: MediumDecoder
  escape: Escape | undefined
}

class OrderReader implements MessageReader {
  readonly #text: MessageReader
  readonly #places = new MediaPlaces()
  /** By their placeholders in the text, which are random, so that nobody else can write one. */
  readonly #media = new Map<string, Medium>()
  readonly #name = randomBytes(NAME_BYTES).toString("hex")
  #open: Open | undefined
  #begun = 0
  #bytes = 0
  #mediaBytes = 0
  #isQuoted = false
  #isEscaped = false
  /** The key that is being read, if it matters. */
  #key: string | undefined

  constructor(text: MessageReader) {
    this.#text = text
  }

  weight(): number {
    return this.#text.weight() + this.#mediaBytes + (this.#open?.decoder.size ?? 0)
  }

  push(bytes: Uint8Array): Broken | undefined {
    this.#bytes += bytes.length
    if (this.#bytes > ORDER_REQUEST_MAX_BYTES) return tooManyBytes(ORDER_REQUEST_MAX_BYTES)
    let at = 0
    while (at < bytes.length) {
      const end = this.#open === undefined ? this.#textUntil(bytes, at) : this.#mediumUntil(bytes, at, this.#open)
      if (typeof end !== "number") return end
      at = end
    }
    this.#open?.decoder.settle()
    return undefined
  }

  read(): { readonly value: unknown } | undefined {
    const read = this.#open === undefined ? this.#text.read() : undefined
    if (read === undefined) return undefined
    for (const message of Array.isArray(read.value) ? read.value : [read.value]) this.#putBack(message)
    return read
  }

  /** Passes text on, up to the beginning of a medium. */
  #textUntil(bytes: Uint8Array, from: number): number | Broken {
    let at = from
    while (at < bytes.length && this.#open === undefined) {
      const code = bytes[at++]!
      if (this.#isQuoted) this.#inString(code)
      else if (code === QUOTE) this.#beginString()
      else if (code === COMMA) this.#places.comma()
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) this.#places.close()
      else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        const over = this.#places.open(code === OPEN_LIST)
        if (over !== undefined) return tooLarge(tooManyMedia(over))
      }
    }
    if (this.#begun > ORDER_MEDIA_IN_ALL_MAX) return tooLarge(tooManyMedia(this.#open!.place.kind))
    const broken = this.#text.push(bytes.subarray(from, at))
    if (broken !== undefined) return broken.is === "size" ? TEXT_TOO_LARGE : broken
    if (this.#open !== undefined) this.#text.push(Buffer.from(this.#nameOf(this.#begun)))
    return at
  }

  #beginString(): void {
    const place = this.#places.medium
    if (place !== undefined) {
      this.#begun++
      this.#open = { place, decoder: new MediumDecoder(), escape: undefined }
      return
    }
    this.#isQuoted = true
    this.#key = this.#places.wantsKey ? "" : undefined
  }

  #inString(code: number): void {
    if (code === QUOTE && !this.#isEscaped) {
      this.#isQuoted = false
      if (this.#key !== undefined) this.#places.key(this.#key)
      return
    }
    this.#isEscaped = code === BACKSLASH && !this.#isEscaped
    if (this.#key !== undefined && this.#key.length <= KEY_MAX_CHARS) this.#key += String.fromCharCode(code)
  }

  /** Decodes up to the closing quote, which is text again. */
  #mediumUntil(bytes: Uint8Array, from: number, open: Open): number | Broken {
    const { decoder, place } = open
    let [at, quote, backslash] = [from, -1, -1]
    while (at < bytes.length) {
      if (open.escape !== undefined) {
        const code = open.escape.take(bytes[at++]!)
        if (code === undefined) continue
        decoder.push(code)
        open.escape = undefined
        continue
      }
      // Each character is searched again only after it was passed, so the search is linear.
      if (quote < at) quote = indexOf(bytes, QUOTE, at)
      if (backslash < at) backslash = indexOf(bytes, BACKSLASH, at)
      const end = Math.min(quote, backslash)
      decoder.write(bytes, at, end)
      if (decoder.size > ORDER_MEDIA_MAX_BYTES) return tooLarge(tooLargeMedium(place.kind, place.index))
      if (bytes[end] === QUOTE) {
        this.#close(decoder)
        return end
      }
      if (end < bytes.length) open.escape = new Escape()
      at = end + 1
    }
    return bytes.length
  }

  #close(decoder: MediumDecoder): void {
    this.#mediaBytes += decoder.size
    this.#media.set(this.#nameOf(this.#begun), decoder.end())
    this.#open = undefined
    // Next comes the closing quote of the placeholder.
    this.#isQuoted = true
    this.#key = undefined
  }

  #nameOf(count: number): string {
    return `${this.#name}-${count}`
  }

  #putBack(message: unknown): void {
    const params = isObject(message) ? message["params"] : undefined
    const given = isObject(params) ? params["arguments"] : undefined
    if (!isObject(given)) return
    for (const list of [given["images"], given["files"]]) {
      for (const entry of Array.isArray(list) ? (list as ReadonlyArray<unknown>) : []) {
        const name = isObject(entry) ? entry["data"] : undefined
        const medium = typeof name === "string" ? this.#media.get(name) : undefined
        if (medium !== undefined) (entry as Record<string, unknown>)["data"] = medium
      }
    }
  }
}

/** The index of a byte, or the end of the bytes if there is none. */
const indexOf = (bytes: Uint8Array, code: number, from: number): number => {
  const found = bytes.indexOf(code, from)
  return found === -1 ? bytes.length : found
}

/** `text` reads and limits everything that is not a medium. */
export const makeOrderReader = (text: MessageReader): MessageReader => {
  const reader = new OrderReader(text)
  return {
    push: (bytes) => reader.push(bytes),
    weight: () => reader.weight(),
    read: () => reader.read()
  }
}
