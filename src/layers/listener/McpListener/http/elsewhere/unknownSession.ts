/**
 * A session that no node has and the database does not know: its client has ended it, or its node died before it could write it. A client that
 * comes back for an answer waits on after a 404, so it is told what the journal of calls knows.
 */
import * as Effect from "effect/Effect"
import type { Directory } from "../../../../../services/listener/SessionDirectory.ts"
import { askedAt, lostAnswers } from "../../requests/lost.ts"
import type { RequestId } from "../../requests/sdk.ts"
import type { Exchange } from "../Exchange.ts"
import type { Answer } from "../httpMessages.ts"
import { notFound } from "../Session.ts"

/** One event of a stream. */
export const eventOf = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`

const HEADERS = { "content-type": "text/event-stream", "cache-control": "no-store" }

export const unknownSession = (
  exchange: Exchange,
  session: string,
  directory: Pick<Directory, "fateOf" | "isName">
): Effect.Effect<Answer> => {
  const last = exchange.method === "GET" && directory.isName(session) ? exchange.header("last-event-id") : undefined
  const asked = last === undefined ? [] : (askedAt(last) ?? [])
  if (asked.length === 0) return Effect.succeed(notFound())
  return Effect.map(
    lostAnswers(directory, (request: RequestId) => ({ session, request }), asked),
    (messages): Answer => ({ status: 200, headers: HEADERS, text: messages.map(eventOf).join("") })
  )
}
