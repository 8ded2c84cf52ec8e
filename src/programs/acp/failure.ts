/** JSON-RPC errors for requests of the client that cannot be granted. */
import * as Data from "effect/Data"

export const INVALID_REQUEST = -32600
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const SESSION_NOT_FOUND = -32002
export const REQUEST_CANCELLED = -32800

export class Refused extends Data.TaggedError("Refused")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

export const invalid = (message: string) => new Refused({ code: INVALID_PARAMS, message })

export const failed = (message: string) => new Refused({ code: INTERNAL_ERROR, message })

export const unknownSession = (sessionId: string) =>
  new Refused({ code: SESSION_NOT_FOUND, message: "Resource not found: there is no such session", data: { sessionId } })

/** The connection ended without the client closing it. */
export class ConnectionBroke extends Data.TaggedError("ConnectionBroke")<{ readonly reason: unknown }> {
  override get message() {
    const { reason } = this
    return `the connection to the client broke: ${reason instanceof Error ? reason.message : String(reason)}`
  }
}
