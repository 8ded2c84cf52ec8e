/**
 * A connection whose bytes are passed on in small pieces, each in its turn. A socket that is read directly gives up to 64 KiB in one step, and the
 * pipelined requests, one-byte chunks or frames in it would block all others.
 */
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import {
  CONNECTION_PIECE_BYTES,
  CONNECTION_PIECE_MAX_BYTES,
  CONNECTION_PIECE_MS
} from "../schemas/defaults/Listener.ts"
import { RATE_PIECE_BYTES } from "../schemas/defaults/LargeWork.ts"
import type { Rate } from "./rate.ts"

interface Written {
  readonly chunk: Buffer | string
  readonly encoding: BufferEncoding
}

type Done = (error?: Error | null) => void

/** How many of the bytes that have arrived are the next piece; 0 to wait for more. */
export type PieceOf = (arrived: Buffer) => number

export class MeteredSocket extends Duplex {
  readonly #socket: Socket
  readonly #ask: (one: MeteredSocket) => void
  readonly #pieceOf: PieceOf
  /** The client whose token came on this connection; `undefined` before that. */
  whose: string | undefined
  /** The rate of this client, for all of its connections. */
  rate: Rate | undefined
  #arrived: Buffer | undefined
  #isWanted = false
  #hasEnded = false
  #pieceBytes = CONNECTION_PIECE_BYTES

  /** `ask` is called when there is something to pass on. Pieces are small, and grow while they cost little, unless `pieceOf` decides. */
  constructor(socket: Socket, ask: (one: MeteredSocket) => void, pieceOf?: PieceOf) {
    super({ decodeStrings: false })
    this.#socket = socket
    this.#ask = ask
    this.#pieceOf = pieceOf ?? (() => this.#pieceBytes)
    socket.on("data", (bytes: Buffer) => this.#arrive(bytes))
    socket.once("end", () => this.#end())
    socket.on("timeout", () => this.emit("timeout"))
    socket.once("error", (error) => this.destroy(error))
    socket.once("close", () => this.destroy())
  }

  // ---- what arrives --------------------------------------------------------------------------------------------------

  #arrive(bytes: Buffer): void {
    this.#socket.pause()
    this.#arrived = this.#arrived === undefined ? bytes : Buffer.concat([this.#arrived, bytes])
    if (this.#isWanted) this.#ask(this)
  }

  #end(): void {
    this.#hasEnded = true
    if (this.#isWanted && this.#arrived === undefined) this.push(null)
  }

  override _read(): void {
    this.#isWanted = true
    if (this.#arrived !== undefined) this.#ask(this)
    else if (this.#hasEnded) this.push(null)
    else this.#socket.resume()
  }

  /** What has arrived and was not passed on yet. */
  get arrived(): Buffer | undefined {
    return this.#arrived
  }

  /** The milliseconds until the client may send more. */
  restMs(): number {
    return this.rate?.restMs() ?? 0
  }

  /** Passes a piece on. If more is left, `ask` is called again when the reader takes more. */
  hand(): void {
    const arrived = this.#arrived
    if (arrived === undefined || !this.#isWanted || this.destroyed) return
    const bytes = this.#pieceOf(arrived)
    if (bytes === 0) return void this.#socket.resume()
    const piece = arrived.subarray(0, bytes)
    this.#arrived = piece.length < arrived.length ? arrived.subarray(piece.length) : undefined
    this.#isWanted = false
    this.rate?.charge(piece.length + RATE_PIECE_BYTES)
    const from = performance.now()
    this.push(piece)
    const isCheap = this.whose !== undefined && performance.now() - from < CONNECTION_PIECE_MS
    this.#pieceBytes = isCheap ? Math.min(this.#pieceBytes * 2, CONNECTION_PIECE_MAX_BYTES) : CONNECTION_PIECE_BYTES
  }

  // ---- what leaves ---------------------------------------------------------------------------------------------------

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(all: ReadonlyArray<Written>, done: Done): void {
    this.#socket.cork()
    for (const [i, { chunk, encoding }] of all.entries()) {
      this.#socket.write(chunk, encoding, i === all.length - 1 ? done : undefined)
    }
    this.#socket.uncork()
  }

  override _final(done: Done): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#arrived = undefined
    this.#socket.destroy()
    done(error)
  }

  // ---- what an HTTP server asks of a socket ---------------------------------------------------------------------------

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once("finish", () => this.destroy())
  }

  setTimeout(ms: number, called?: () => void): this {
    this.#socket.setTimeout(ms)
    if (called !== undefined) this.once("timeout", called)
    return this
  }

  get localAddress(): string | undefined {
    return this.#socket.localAddress
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }
}
