/** Bodies of requests, bounded in size and shape, and answers in one piece. */
import type * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import { readJsonBody, type JsonBody } from "../../../../system/jsonBody.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { INVALID_REQUEST, NOT_NOW, PARSE_ERROR } from "../requests/refusals.ts"

/** What a client is told in one piece. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** An answer in one piece; nothing if the exchange is answered otherwise; or an Effect that gives one of these. */
export type Said = Answer | undefined | Effect.Effect<Answer | undefined>

export const jsonAnswer = (status: number, value: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  text: JSON.stringify(value)
})

/** A status alone. */
export const emptyAnswer = (status: number): Answer => ({ status, headers: {}, text: "" })

export const errorAnswer = (
  status: number,
  code: number,
  message: string,
  id: unknown = null,
  headers: Readonly<Record<string, string>> = {},
  data?: unknown
): Answer =>
  jsonAnswer(status, { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } }, headers)

export type Body = { readonly value: unknown } | { readonly refused: Answer }

const refusalOf = (body: Exclude<JsonBody, { readonly value: unknown }>): Answer => {
  if ("broken" in body) {
    const { is, message } = body.broken
    return errorAnswer(is === "size" ? 413 : 400, INVALID_REQUEST, `Invalid request: ${message}`)
  }
  switch (body.without) {
    case "room":
      return errorAnswer(503, NOT_NOW, "Too much is being received", null, { "retry-after": "1" })
    // Its sender is gone, so nobody reads this.
    case "lost":
      return errorAnswer(400, PARSE_ERROR, "The body did not arrive")
    case "json":
      return errorAnswer(400, PARSE_ERROR, "Parse error")
  }
}

/** The body counts until that is over: as long as it is worked on, also while its sender is away. One that is refused does not count. */
export type ReadBody = (
  request: IncomingMessage,
  holder: ClientQuota,
  whenOver: (over: () => void) => void
) => Promise<Body>

/** Reads bodies of requests, each in turns of the holder of its token. */
export const makeReadBody =
  ({ makeReader, messageMaxBytes }: Pick<Intake, "makeReader" | "messageMaxBytes">): ReadBody =>
  async (request, { pace, shares: { received } }, whenOver) => {
    let counted = 0
    const count = (weight: number) => {
      received.take(weight - counted)
      counted = weight
      return !received.isOver()
    }
    const options = { maxBytes: messageMaxBytes, reader: makeReader(), pace, hasRoom: count }
    const body = await readJsonBody(request, options)
    if ("value" in body) {
      whenOver(() => count(0))
      return body
    }
    count(0)
    return { refused: refusalOf(body) }
  }
