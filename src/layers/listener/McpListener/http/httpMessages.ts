/** Requests and answers of HTTP between Node and the SDK: bodies bounded in size and shape, nothing kept that is not read. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { LISTENER_RECEIVE_MS, LISTENER_UNREAD_MAX_BYTES } from "../../../../schemas/defaults/Listener.ts"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import { SAFE_HEADERS } from "../../../../system/httpServer.ts"
import { readJsonBody, type JsonBody } from "../../../../system/jsonBody.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { INVALID_REQUEST, NOT_NOW, PARSE_ERROR } from "../requests/refusals.ts"

export const errorResponse = (
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
  headers: Record<string, string> = {}
): Response => Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers })

export type Body = { readonly value: unknown } | { readonly refused: Response }

const refusalOf = (body: Exclude<JsonBody, { readonly value: unknown }>): Response => {
  if ("broken" in body) {
    const { is, message } = body.broken
    return errorResponse(is === "size" ? 413 : 400, INVALID_REQUEST, `Invalid request: ${message}`)
  }
  switch (body.without) {
    case "room":
      return errorResponse(503, NOT_NOW, "Too much is being received", null, { "retry-after": "1" })
    // Of one that is gone nobody reads what is said.
    case "lost":
      return errorResponse(400, PARSE_ERROR, "The body did not arrive")
    case "json":
      return errorResponse(400, PARSE_ERROR, "Parse error")
  }
}

/** It counts until `done`: as long as it is worked on, it is kept, also while its sender is away. One that is refused is not kept. */
export type ReadBody = (request: IncomingMessage, holder: ClientQuota, done: Promise<void>) => Promise<Body>

/** Reads bodies of requests, each in turns of the holder of its token. */
export const makeReadBody =
  ({ makeReader, messageMaxBytes }: Pick<Intake, "makeReader" | "messageMaxBytes">): ReadBody =>
  async (request, { pace, shares: { received } }, done) => {
    let counted = 0
    const count = (weight: number) => {
      received.take(weight - counted)
      counted = weight
      return !received.isOver()
    }
    const options = { maxBytes: messageMaxBytes, reader: makeReader(), pace, hasRoom: count }
    const body = await readJsonBody(request, options)
    if ("value" in body) {
      void done.then(() => count(0))
      return body
    }
    count(0)
    return { refused: refusalOf(body) }
  }

/** Without its body, which is read here. `undefined` for what no request can be made of. */
export const toRequest = (
  { headers, method = "GET", url }: IncomingMessage,
  origin: string,
  signal: AbortSignal
): Request | undefined => {
  try {
    const given = Object.entries(headers).flatMap(([name, value]): ReadonlyArray<[string, string]> =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
    )
    return new Request(new URL(url ?? "/", origin), { method, headers: given, signal })
  } catch {
    return undefined
  }
}

/** What a response holds: an answer, news, or what somebody has missed, and news behind that. */
export type Held = "answer" | "missed" | "news"

/**
 * What is written is not waited for: it would pile up where nobody sees it. A stream of news to somebody who does not read
 * is cut off, and so is an answer when too many others are not read.
 */
export const writeResponse = async (
  answer: Response,
  response: ServerResponse,
  held: Held,
  holder: ClientQuota
): Promise<void> => {
  response.writeHead(answer.status, { ...SAFE_HEADERS, ...Object.fromEntries(answer.headers) })
  if (answer.body === null) return end(response)
  // Who opens a stream is to know that it is there before there is anything to say: clients give up on one that is not.
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) response.flushHeaders()
  const reader = answer.body.getReader()
  response.once("close", () => void reader.cancel().catch(() => {}))
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (response.destroyed) return
    response.write(part.value)
    if (held === "news" && response.writableLength > LISTENER_UNREAD_MAX_BYTES) return void response.destroy()
    holder.wrote(response, held !== "answer")
  }
  end(response)
}

/** Who takes nothing of its answer for so long does not want it. */
export const end = (response: ServerResponse): void => {
  response.setTimeout(LISTENER_RECEIVE_MS, () => response.destroy())
  response.end()
}

/** Done when all that was written has been taken, or the client is gone. */
export const untilRead = async (response: ServerResponse | undefined): Promise<void> => {
  // What was just said is on its way here.
  await new Promise((resolve) => setImmediate(resolve))
  if (response === undefined || !response.writableNeedDrain || response.destroyed) return
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.on("drain", done)
    response.on("close", done)
  })
}
