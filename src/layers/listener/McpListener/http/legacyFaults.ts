/** Why a message over HTTP of a client of the revisions up to 2025-11-25 is refused. As the SDK's own transport has it. */
import { NOT_NOW, PARSE_ERROR } from "../requests/refusals.ts"
import { isMessage, type Sdk } from "../requests/sdk.ts"
import type { Exchange } from "./Exchange.ts"
import { errorAnswer, type Answer } from "./httpMessages.ts"

export const EVENTS = "text/event-stream"

/** For a body that does not say that it is JSON. */
export const unsupportedMedia = () =>
  errorAnswer(415, NOT_NOW, "Unsupported Media Type: Content-Type must be application/json")

/** Of messages that came together. */
export const messageFault = (sdk: Sdk, exchange: Exchange, messages: ReadonlyArray<unknown>): Answer | undefined => {
  const accepted = exchange.header("accept") ?? ""
  if (!accepted.includes("application/json") || !accepted.includes(EVENTS)) {
    const both = "Not Acceptable: Client must accept both application/json and text/event-stream"
    return errorAnswer(406, NOT_NOW, both)
  }
  if (!sdk.isJsonContentType(exchange.header("content-type"))) return unsupportedMedia()
  return messages.every((message) => isMessage(sdk, message))
    ? undefined
    : errorAnswer(400, PARSE_ERROR, "Parse error: Invalid JSON-RPC message")
}

/** Of the revision that a client names after it has begun. */
export const revisionFault = ({ SUPPORTED_PROTOCOL_VERSIONS: all }: Sdk, exchange: Exchange): Answer | undefined => {
  const revision = exchange.header("mcp-protocol-version")
  if (revision === undefined || all.includes(revision)) return undefined
  const known = `supported versions: ${all.join(", ")}`
  return errorAnswer(400, NOT_NOW, `Bad Request: Unsupported protocol version: ${revision} (${known})`)
}
