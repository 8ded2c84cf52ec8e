/**
 * Why a request on a connection has no answer. Messages name the server and what to do; they hold no secret and no stack.
 */
import * as Schema from "effect/Schema"
import { server, isOurs, key, findings } from "./ErrorFields.ts"
import type { AuthRequired, HttpFailed, AddressBlocked, RedirectBlocked } from "./HttpError.ts"

/** The connection is gone. A call that was in flight may have been executed: it is never sent again by itself. */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  server,
  /** In our own words. */
  detail: Schema.String,
  /** Of a call that was in flight. False where the error is about the connection and not about a call. */
  maybeExecuted: Schema.Boolean
}) {
  override get message() {
    const fate = this.maybeExecuted ? "; the call may have been executed, check before you repeat it" : ""
    return `The connection to MCP server '${this.server}' was lost (${this.detail})${fate}`
  }
}

/** The server answered with a JSON-RPC error, or with something that is no answer. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  server,
  code: Schema.NullOr(Schema.Finite),
  /** The server's own words, cleaned, unless `isOurs`. */
  detail: Schema.String,
  isOurs,
  /** What it was about, in our own words, where the detail is the server's. */
  about: Schema.optionalKey(Schema.String),
  /** Something came back, so the server may have done what it was asked. */
  maybeExecuted: Schema.optionalKey(Schema.Boolean),
  findings,
  /** What the server attached, as far as it means something to us: the versions that it speaks. */
  data: Schema.optionalKey(Schema.Unknown)
}) {
  get told() {
    const code = this.code === null ? "" : ` (${this.code})`
    const why = this.isOurs === true ? this.detail : this.about
    return `MCP server '${this.server}' answered with an error${code}${why === undefined ? "" : `: ${why}`}`
  }
  get words() {
    return this.isOurs === true ? "" : this.detail
  }
  override get message() {
    return this.told + (this.isOurs === true ? "" : `: ${this.detail}`)
  }
}

/** A server sent a message that is larger than is taken. It was not read to its end. */
export class MessageTooLarge extends Schema.TaggedError<MessageTooLarge>()("MessageTooLarge", {
  server,
  limitBytes: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' answered with more than ${mebibytes(this.limitBytes)}; ask it for less at a time`
  }
}

/** A request was cancelled because it took too long. It may have been executed. */
export class CallTimeout extends Schema.TaggedError<CallTimeout>()("CallTimeout", {
  server,
  method: Schema.String,
  timeoutMs: Schema.Finite,
  /** `idle`: nothing was heard for so long. `total`: it took too long whatever progress it reported. */
  deadline: Schema.Literals(["idle", "total"]),
  /** Meanwhile the server wrote something that is no message: it may have been the answer. */
  rubbish: Schema.optionalKey(Schema.Boolean),
  key
}) {
  override get message() {
    const what = this.deadline === "idle" ? "gave no sign of life for" : "was not done after"
    const rubbish = this.rubbish === true ? "; meanwhile the server wrote something that is not JSON" : ""
    const setting = this.key === null ? "" : ` ("${this.key ?? "toolTimeout"}")`
    return `MCP server '${this.server}': ${this.method} ${what} ${this.timeoutMs} ms and was cancelled${setting}${rubbish}`
  }
}

/** The caller took the call back. */
export class CallCancelled extends Schema.TaggedError<CallCancelled>()("CallCancelled", {
  server
}) {
  override get message() {
    return `The call to MCP server '${this.server}' was cancelled`
  }
}

/** Why a request on a connection had no answer. */
export type RequestError =
  | ConnectionLost
  | ProtocolError
  | MessageTooLarge
  | CallTimeout
  | CallCancelled
  | AuthRequired
  | HttpFailed
  | AddressBlocked
  | RedirectBlocked

function mebibytes(bytes: number) {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}
