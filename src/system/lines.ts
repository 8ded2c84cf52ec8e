/**
 * Lines of a stream of bytes, each read by a reader of its own as it comes. One that breaks a bound is passed over from there
 * on, told of, and costs no other: what comes after it is read as ever. Linear, however the bytes are cut up.
 */
import type { Broken, MessageReader } from "../schemas/connection/JsonMessage.ts"

const NEWLINE = 0x0a
/** Enough of both ends of a line to see which request it was. */
const END_BYTES = 512

type Id = number | string | null

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`
const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,128}")`
const METHOD = String.raw`"method"\s*:`
/** Where the id stands before the rest, as nearly everybody writes it. An answer of the client's is no request of it. */
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,\s*(?:${VERSION}\s*,\s*)?${METHOD}`)
/** Others write the method first, and the id last. */
const METHOD_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${METHOD}`)
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`)

const idIn = (found: RegExpExecArray | null): Id => (found?.[1] === undefined ? null : (JSON.parse(found[1]) as Id))

/** Whole, or refused: of the JSON-RPC request that it was, where that can be told. */
export type Line<R> = { readonly message: R } | { readonly refused: Broken; readonly id: Id }

interface PassedOver {
  readonly broken: Broken
  /** Whether it is told of already. */
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

  /** What the line weighs that is not at its end. */
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

  /** What came after the last end of a line. */
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
