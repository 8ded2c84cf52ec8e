/**
 * Splits a stream of bytes into lines; each line has a reader of its own, which gets it as it arrives. The rest of a line over a limit is skipped
 * and reported, and the lines after it are read as usual. The work is linear, however the bytes are divided.
 */
import type { Broken, MessageReader } from "../schemas/connection/JsonMessage.ts"

const NEWLINE = 0x0a
/** How much of both ends of a line is kept, to find the id of its request. */
const END_BYTES = 512

type Id = number | string | null

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,128}")`
const METHOD = String.raw`"method"\s*:`
/** The id comes first, as most clients write it. A response of the client is not a request. */
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?${METHOD}`)
/** Other clients write the method first, and the id last. */
const METHOD_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${METHOD}`)
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`)

const idIn = (found: RegExpExecArray | null): Id => (found?.[1] === undefined ? null : (JSON.parse(found[1]) as Id))

/** A complete line, or a refused one with the id of its JSON-RPC request, if that was found. */
export type Line<R> = { readonly message: R } | { readonly refused: Broken; readonly id: Id }

interface PassedOver {
  readonly broken: Broken
  /** Whether the refusal was reported already. */
  readonly isTold: boolean
}

export class Lines<R extends Pick<MessageReader, "push" | "weight">> {
  readonly #makeReader: () => R
  #reader: R | undefined
  #head = ""
  #tail = ""
  #passedOver: PassedOver | undefined

  constructor(makeReader: () => R) {
    this.#makeReader = makeReader
  }

  /** The memory of the incomplete line. */
  get heldBytes(): number {
    return this.#reader?.weight() ?? 0
  }

  *take(chunk: Uint8Array): Generator<Line<R>> {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield* this.#read(chunk.subarray(from, at))
      yield* this.#end()
      from = at + 1
    }
    yield* this.#read(chunk.subarray(from))
  }

  /** What has arrived after the last line break. */
  *rest(): Generator<Line<R>> {
    if (this.#reader !== undefined || this.#passedOver !== undefined) yield* this.#end()
  }

  *#read(part: Uint8Array): Generator<Line<R>> {
    if (part.length === 0) return
    if (this.#head.length < END_BYTES) this.#head += textOf(part.subarray(0, END_BYTES - this.#head.length))
    if (this.#passedOver !== undefined) {
      this.#tail = (this.#tail + textOf(part.subarray(-END_BYTES))).slice(-END_BYTES)
      return
    }
    const broken = (this.#reader ??= this.#makeReader()).push(part)
    if (broken === undefined) return
    this.#reader = undefined
    this.#tail = textOf(part.subarray(-END_BYTES))
    const id = idIn(ID_FIRST.exec(this.#head))
    this.#passedOver = { broken, isTold: id !== null }
    // It may never end.
    if (id !== null) yield { refused: broken, id }
  }

  *#end(): Generator<Line<R>> {
    const [head, passedOver, reader, tail] = [this.#head, this.#passedOver, this.#reader, this.#tail]
    this.#head = this.#tail = ""
    this.#passedOver = this.#reader = undefined
    if (reader !== undefined) yield { message: reader }
    else if (passedOver?.isTold === false) {
      const id = METHOD_FIRST.test(head) ? idIn(ID_LAST.exec(tail)) : idIn(ID_FIRST.exec(head))
      yield { refused: passedOver.broken, id }
    }
  }
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
