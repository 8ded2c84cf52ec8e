/**
 * Media in requests to a model that come as bytes. A provider's adapter would make one text of all of them, in base64, and then another
 * one of the whole request. Here it gets a short name in place of each, and the body that it makes is sent with the base64 put where
 * the names are, a piece at a time, as fast as the provider reads.
 */
import type { LanguageModelMiddleware } from "ai"
import { randomBytes } from "node:crypto"
import { encodedChars, toBase64 } from "../../schemas/Base64.ts"

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"]
type Message = Params["prompt"][number]
type Part = Exclude<Message["content"], string>[number]

/** Hexadecimal digits, so that adapters take it for base64. */
const NAME_BYTES = 12
const NAME_CHARS = 4 * NAME_BYTES
/** Of bytes that are encoded at once; without padding in the middle. */
const PIECE_BYTES = 3 * 64 * 1024

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
      pull: (controller) => {
        const next = chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      }
    },
    { highWaterMark: 1 }
  )
}

export interface LargeMedia {
  /** Innermost: nearest to the adapter. */
  readonly middleware: LanguageModelMiddleware
  /** What the adapter sends with. */
  readonly fetch: typeof fetch
}

/** One for each opened model. */
export const makeLargeMedia = (send: typeof fetch): LargeMedia => {
  const mark = randomBytes(NAME_BYTES).toString("hex")
  /** Of requests that are under way, by their names. */
  const media = new Map<string, Uint8Array>()

  const named = (bytes: Uint8Array, names: Array<string>): string => {
    const name = mark + randomBytes(NAME_BYTES).toString("hex")
    media.set(name, bytes)
    names.push(name)
    return name
  }

  const withNames = (prompt: Params["prompt"], names: Array<string>): Params["prompt"] => {
    const rename = (part: Part): Part =>
      part.type === "file" && part.data.type === "data" && typeof part.data.data !== "string"
        ? { ...part, data: { ...part.data, data: named(part.data.data, names) } }
        : part
    return prompt.map((message) =>
      message.role === "user" ? ({ ...message, content: message.content.map(rename) } as Message) : message
    )
  }

  /** A body with its media in their places. */
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
    middleware: {
      specificationVersion: "v4",
      wrapStream: async ({ model, params }) => {
        const names: Array<string> = []
        try {
          return await model.doStream({ ...params, prompt: withNames(params.prompt, names) })
        } finally {
          for (const name of names) media.delete(name)
        }
      }
    },
    fetch: (input, init) => {
      const body = init?.body
      if (media.size === 0 || typeof body !== "string") return send(input, init)
      const pieces = piecesOf(body)
      if (pieces.length === 1) return send(input, init)
      const headers = new Headers(init?.headers)
      // Not every server takes a body of unknown length.
      headers.set("content-length", String(pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)))
      return send(input, { ...init, headers, body: streamOf(pieces), duplex: "half" } as RequestInit)
    }
  }
}
