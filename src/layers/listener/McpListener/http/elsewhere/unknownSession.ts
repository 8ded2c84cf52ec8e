/**
 * A session that no node has and the database does not know: its client has ended it, or its node died before it could write it. A client that
 * comes back for an answer waits on after a 404, so it is told that none will come.
 */
import { askedAt } from "../../requests/lost.ts"
import { NOT_NOW } from "../../requests/refusals.ts"
import type { Exchange } from "../Exchange.ts"
import type { Answer } from "../httpMessages.ts"
import { notFound } from "../Session.ts"

/** One event of a stream. */
export const eventOf = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

const HEADERS = { "content-type": "text/event-stream", "cache-control": "no-store" }
const CALL_GONE =
  "MCP tool error: The session of this call is gone. The call may have been executed all the same: check before you repeat it."
const REQUEST_GONE = "The session of this request is gone: begin a new one"

/** `isName`: whether it is a name that a node of a fleet gives. */
export const unknownSession = (exchange: Exchange, isName: boolean): Answer => {
  const last = exchange.method === "GET" && isName ? exchange.header("last-event-id") : undefined
  const asked = last === undefined ? [] : (askedAt(last) ?? [])
  if (asked.length === 0) return notFound()
  const answers = asked.map(({ id, isCall }) =>
    isCall
      ? { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: CALL_GONE }], isError: true } }
      : { jsonrpc: "2.0", id, error: { code: NOT_NOW, message: REQUEST_GONE } }
  )
  return { status: 200, headers: HEADERS, text: answers.map(eventOf).join("") }
}
