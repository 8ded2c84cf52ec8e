/** Bodies of requests, bounded in size and shape, and answers in one piece. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
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

/** The body counts until the Scope closes: as long as it is worked on, also while its sender is away. One that is refused does not count. */
export type ReadBody = (request: IncomingMessage, holder: ClientQuota, scope: Scope.Scope) => Effect.Effect<Body>

/** Reads bodies of requests, each in turns of the holder of its token. */
export const makeReadBody =
  ({ makeReader, messageMaxBytes }: Pick<Intake, "makeReader" | "messageMaxBytes">): ReadBody =>
  (request, { pace, shares: { received } }, scope) => {
    let counted = 0
    const count = (weight: number) => {
      received.take(weight - counted)
      counted = weight
      return !received.isOver()
    }
    const forget = Effect.sync(() => void count(0))
    const options = { maxBytes: messageMaxBytes, reader: makeReader(), pace, hasRoom: count }
    return Effect.flatMap(
      Effect.promise(() => readJsonBody(request, options)),
      (body): Effect.Effect<Body> =>
        "value" in body
          ? Effect.as(Scope.addFinalizer(scope, forget), body)
          : Effect.as(forget, { refused: refusalOf(body) })
    )
  }
