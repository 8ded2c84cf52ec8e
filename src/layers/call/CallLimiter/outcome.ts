/** What the end of a call says about the health of its server. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { CallError } from "../../../schemas/call/CallError.ts"

/** `Ignored`: nothing. */
export type Outcome = "Success" | "Failure" | "Ignored"

/** JSON-RPC errors about the request: a server that sends them is healthy. */
const ABOUT_THE_REQUEST: ReadonlySet<number | null> = new Set([
  // Method not found, invalid params.
  -32_601, -32_602,
  // MCP: no such resource; a URL must be visited first.
  -32_002, -32_042
])

const ofError = (error: CallError): Outcome => {
  switch (error._tag) {
    case "CallTimeout":
    case "ConnectionLost":
      return "Failure"
    case "HttpFailed":
      return error.status === null || error.status >= 500 ? "Failure" : "Ignored"
    case "ProtocolError":
      return ABOUT_THE_REQUEST.has(error.code) ? "Success" : "Failure"
    // Nothing was sent, or the error is not about the server's health. `ServerUnavailable` comes from the pool, which has its
    // own restart schedule.
    default:
      return "Ignored"
  }
}

/** A result with `isError` is an answer. Interruptions and bugs of ours do not count. */
export const outcomeOf = (exit: Exit.Exit<unknown, CallError>): Outcome => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Cause.findErrorOption(exit.cause)
  return Option.isSome(error) ? ofError(error.value) : "Ignored"
}
