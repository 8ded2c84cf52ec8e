/**
 * Reads the bodies of HTTP requests in turns of their sender, and checks the limits while bytes arrive. A body over a limit is refused at the
 * bytes that exceed it, or before any if its announced length is too large.
 */
import type { IncomingMessage } from "node:http"
import { LISTENER_BATCH_MAX } from "../schemas/defaults/Listener.ts"
import { JSON_UNSEEN_MAX } from "../schemas/defaults/Wire.ts"
import { tooManyBytes, type Broken, type MessageReader } from "../schemas/connection/JsonMessage.ts"
import type { Piece } from "./largeWork.ts"
import type { Pace } from "./pace.ts"

export interface BodyOptions {
  readonly maxBytes: number
  readonly reader: MessageReader
  readonly pace: Pace
  /** Is told how much memory the body takes so far; false if that is too much together with others. */
  readonly hasRoom?: (weight: number) => boolean
}

export type JsonBody =
  | { readonly value: unknown }
  | { readonly broken: Broken }
  /** `room`: there was no memory for it. `lost`: it did not arrive completely. `json`: it is not JSON. */
  | { readonly without: "room" | "lost" | "json" }

const TOO_MANY: Broken = {
  is: "shape",
  message: `${LISTENER_BATCH_MAX} messages may be sent as one, and these are more`
}

const bodyOf = (parsed: { readonly value: unknown } | undefined): JsonBody => {
  if (parsed === undefined) return { without: "json" }
  return Array.isArray(parsed.value) && parsed.value.length > LISTENER_BATCH_MAX ? { broken: TOO_MANY } : parsed
}

/** In the turn of its sender: a small body that has come with its head, as most do. */
const smallBody = async (request: IncomingMessage, pace: Pace): Promise<Buffer | undefined> => {
  const length = Number(request.headers["content-length"] ?? 0)
  if (length === 0 || length > JSON_UNSEEN_MAX) return undefined
  await pace.small()
  const isThere = request.complete && !request.destroyed && request.readableLength === length
  return isThere ? (request.read() as Buffer) : undefined
}

/** The value is used in the same turn, or, if it is large, in a turn of its own. */
export const readJsonBody = async (
  request: IncomingMessage,
  { hasRoom, maxBytes, pace, reader: { push, read, weight } }: BodyOptions
): Promise<JsonBody> => {
  if (Number(request.headers["content-length"]) > maxBytes) return { broken: tooManyBytes(maxBytes) }
  const take = (chunk: Buffer): JsonBody | undefined => {
    const broken = push(chunk)
    if (broken !== undefined) return { broken }
    return hasRoom?.(weight()) === false ? { without: "room" } : undefined
  }
  const small = await smallBody(request, pace)
  if (small !== undefined) return take(small) ?? bodyOf(read())
  let size = 0
  const turn = (piece: Piece) => (size > JSON_UNSEEN_MAX ? pace.large(piece) : pace.small())
  try {
    // A request whose body is no longer read still gets a response.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      await turn("cut")
      const refused = take(chunk)
      if (refused !== undefined) return refused
    }
  } catch {
    return { without: "lost" }
  }
  await turn("whole")
  const parsed = read()
  if (size > JSON_UNSEEN_MAX) await turn("whole")
  return bodyOf(parsed)
}
