/** Why a request on a connection failed. Messages name the server and what to do. They contain no secret and no stack. */
import * as Schema from "effect/Schema"
import { server, isOurs, key, findings } from "./ErrorFields.ts"
import type { AuthRequired, HttpFailed, AddressBlocked, RedirectBlocked } from "./HttpError.ts"

/** The connection is gone. A call in flight may have been executed: it is sent again only if the operator of a fleet allows that (`fleet.idempotent`). */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  server,
  /** In our own words. */
  detail: Schema.String,
  /** A call was in flight and may have run. False if the error is about the connection alone. */
  maybeExecuted: Schema.Boolean
}) {
  override get message() {
    const fate = this.maybeExecuted ? "; the call may have been executed, check before you repeat it" : ""
    return `The connection to MCP server '${this.server}' was lost (${this.detail})${fate}`
  }
}

/** The server answered with a JSON-RPC error, or with something that cannot be used. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  server,
  code: Schema.NullOr(Schema.Finite),
  /** The server's own words, cleaned, unless `isOurs`. */
  detail: Schema.String,
  isOurs,
  /** What it was about, in our own words, if the detail is the server's. */
  about: Schema.optionalKey(Schema.String),
  /** There was a response, so the server may have executed the request. */
  maybeExecuted: Schema.optionalKey(Schema.Boolean),
  findings,
  /** The data of the error, as far as we use it: the versions that the server speaks. */
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

/** The server sent a message over the size limit. It was not read to its end. */
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
  /** `idle`: the server was silent for too long. `total`: the request took too long, whatever progress there was. */
  deadline: Schema.Literals(["idle", "total"]),
  /** In the meantime the server wrote something that is no message: it may have been the answer. */
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

/** The caller cancelled the call. */
export class CallCancelled extends Schema.TaggedError<CallCancelled>()("CallCancelled", {
  server
}) {
  override get message() {
    return `The call to MCP server '${this.server}' was cancelled`
  }
}

/** Why a request on a connection failed. */
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
