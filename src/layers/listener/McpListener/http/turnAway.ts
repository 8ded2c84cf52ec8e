/** Somebody who is not let in is told why in one sentence, as a JSON-RPC error, which MCP clients show. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { answerEarly } from "../../../../system/httpServer.ts"
import { INVALID_REQUEST } from "../requests/refusals.ts"

export const turnAway = (
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {}
) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } })
  answerEarly(response, status, { ...headers, "content-type": "application/json" }, body)
}

/** The request is for a name that is not the server's, or comes from a page that is not allowed. */
export const turnAwayStranger = (response: ServerResponse): void =>
  turnAway(
    response,
    403,
    "The Host of this request is not one of this server's names, or its Origin is a page that may not ask: --allow-host NAME and --allow-origin ORIGIN let them in"
  )

/** No rule lets this client in. The log says which client. */
export const turnAwayForbidden = (response: ServerResponse): void =>
  turnAway(response, 403, "This client may not use this server")

/** `wanted` says which token is needed, and where it is. */
export const turnAwayUnknown = (
  { headers: { authorization } }: IncomingMessage,
  response: ServerResponse,
  wanted: string
): void => {
  const what = authorization === undefined ? "A token is missing" : "This token is not one of this server's"
  const message = `${what}: send "Authorization: Bearer TOKEN" with ${wanted}`
  turnAway(response, 401, message, { "www-authenticate": "Bearer" })
}
