/** Whoever is not let in is told why in one sentence, in the form that MCP clients show: a JSON-RPC error. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { answerEarly } from "../../../../system/httpServer.ts"
import { INVALID_REQUEST } from "../requests/refusals.ts"

const turnAway = (response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } })
  answerEarly(response, status, { ...headers, "content-type": "application/json" }, body)
}

/** It asked for a name that is not ours, or comes from a page that may not ask. */
export const turnAwayStranger = (response: ServerResponse): void =>
  turnAway(
    response,
    403,
    "The Host of this request is not one of this server's names, or its Origin is a page that may not ask: --allow-host NAME and --allow-origin ORIGIN let them in"
  )

/** `wanted` says which token it is, and where it is found. */
export const turnAwayUnknown = (
  { headers: { authorization } }: IncomingMessage,
  response: ServerResponse,
  wanted: string
): void => {
  const what = authorization === undefined ? "A token is missing" : "This token is not one of this server's"
  const message = `${what}: send "Authorization: Bearer TOKEN" with ${wanted}`
  turnAway(response, 401, message, { "www-authenticate": "Bearer" })
}
