/** Why a request of the client is not granted, as JSON-RPC knows it. */
import * as Data from "effect/Data"

export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const SESSION_NOT_FOUND = -32002

export class Refused extends Data.TaggedError("Refused")<{
  readonly code: number
  readonly message: string
  readonly data?: unknown
}> {}

export const invalid = (message: string) => new Refused({ code: INVALID_PARAMS, message })

export const failed = (message: string) => new Refused({ code: INTERNAL_ERROR, message })

export const unknownSession = (sessionId: string) =>
  new Refused({ code: SESSION_NOT_FOUND, message: "Resource not found: there is no such session", data: { sessionId } })
