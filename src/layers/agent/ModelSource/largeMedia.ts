/**
 * Large binary media in requests to a model. The loop would copy them, and an adapter would make one base64 text of them and
 * another one of the whole request. So each is replaced by a short name, and the request body is sent with the base64 in
 * place of the names, piece by piece, as fast as the provider reads.
 */
import { randomBytes } from "node:crypto"
import { encodedChars, toBase64 } from "../../../schemas/data/Base64.ts"

/** Hexadecimal digits, which adapters accept as base64. */
const NAME_BYTES = 12
const NAME_CHARS = 4 * NAME_BYTES
/** Bytes that are encoded at once; a multiple of three, so that no padding occurs inside. */
const PIECE_BYTES = 3 * 32 * 1024

type Piece = string | Uint8Array

const lengthOf = (piece: Piece): number =>
  typeof piece === "string" ? Buffer.byteLength(piece) : encodedChars(piece.length)

function* encoded(pieces: ReadonlyArray<Piece>): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield Buffer.from(piece)
    else {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        yield Buffer.from(toBase64(piece.subarray(at, at + PIECE_BYTES)), "latin1")
      }
    }
  }
}

const streamOf = (pieces: ReadonlyArray<Piece>): ReadableStream<Uint8Array> => {
  const chunks = encoded(pieces)
  return new ReadableStream(
    {
      // Yields between pieces, because a nearby provider reads each at once.
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve))
        const next = chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      }
    },
    { highWaterMark: 1 }
  )
}

export interface LargeMedia {
  /** The name for these bytes where an adapter expects base64, until it is released. */
  readonly nameOf: (bytes: Uint8Array) => string
  readonly forget: (name: string) => void
  /** The `fetch` for the adapter. */
  readonly fetch: typeof fetch
}

/** One for each opened model. */
export const makeLargeMedia = (send: typeof fetch): LargeMedia => {
  const mark = randomBytes(NAME_BYTES).toString("hex")
  const media = new Map<string, Uint8Array>()

  /** A body with its media in place of their names. */
  const piecesOf = (body: string): ReadonlyArray<Piece> => {
    const pieces: Array<Piece> = []
    let from = 0
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      const bytes = media.get(body.slice(at, at + NAME_CHARS))
      if (bytes === undefined) continue
      pieces.push(body.slice(from, at), bytes)
      from = at + NAME_CHARS
    }
    return [...pieces, body.slice(from)]
  }

  return {
    nameOf: (bytes) => {
      const name = mark + randomBytes(NAME_BYTES).toString("hex")
      media.set(name, bytes)
      return name
    },
    forget: (name) => void media.delete(name),
    fetch: (input, init) => {
      const body = init?.body
      if (media.size === 0 || typeof body !== "string") return send(input, init)
      const pieces = piecesOf(body)
      if (pieces.length === 1) return send(input, init)
      const headers = new Headers(init?.headers)
      // Not every server accepts a body of unknown length.
      headers.set("content-length", String(pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)))
      // If redirects were allowed, the whole body would be kept for sending it again.
      const once = { redirect: "error", window: null, duplex: "half" } as const
      return send(input, { ...init, ...once, headers, body: streamOf(pieces) } as RequestInit)
    }
  }
}
