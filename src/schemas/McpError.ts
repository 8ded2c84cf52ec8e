/**
 * Everything that can go wrong on the way to a server or a tool, by tag. Messages name the server and what to do; they
 * hold no secret (the connector redacts details before it puts them here) and no stack.
 */
import * as Schema from "effect/Schema"
import { FINDING_KINDS } from "./Finding.ts"

const server = Schema.String
/** What was suspicious in the server's own words, which are clean by now. */
const findings = Schema.optionalKey(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(FINDING_KINDS), detail: Schema.String, count: Schema.Finite }))
)

// ---- before a connection -------------------------------------------------------------------------------------------

export class SecretUnavailable extends Schema.TaggedError<SecretUnavailable>()("SecretUnavailable", {
  /** The server, or what else wanted the secret (`MODEL_OWNER`). */
  server,
  /** The reference as written, never the value. */
  reference: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': secret ${this.reference} is not available: ${this.detail}`
  }
}

export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  server,
  command: Schema.String,
  detail: Schema.String,
  /** The system was short of something for the moment: processes, file descriptors, memory. */
  passing: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `MCP server '${this.server}': cannot start '${this.command}': ${this.detail}`
  }
}

export class InvalidLaunch extends Schema.TaggedError<InvalidLaunch>()("InvalidLaunch", {
  server,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': ${this.detail}`
  }
}

export class ConnectTimeout extends Schema.TaggedError<ConnectTimeout>()("ConnectTimeout", {
  server,
  timeoutMs: Schema.Finite,
  /** What the server was doing: `starting`, `initialize`, `tools/list`, … */
  phase: Schema.String,
  stderr: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}' was not ready within ${this.timeoutMs} ms (waiting for ${this.phase}); raise "timeout" if it is only slow${withStderr(this.stderr)}`
  }
}

export class ServerExited extends Schema.TaggedError<ServerExited>()("ServerExited", {
  server,
  code: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String
}) {
  override get message() {
    const how = this.signal === null ? `with code ${this.code}` : `on ${this.signal}`
    return `MCP server '${this.server}' exited ${how}${withStderr(this.stderr)}`
  }
}

export class HandshakeFailed extends Schema.TaggedError<HandshakeFailed>()("HandshakeFailed", {
  server,
  detail: Schema.String,
  stderr: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}' does not speak MCP as expected: ${this.detail}${withStderr(this.stderr)}`
  }
}

export class UnsupportedProtocol extends Schema.TaggedError<UnsupportedProtocol>()("UnsupportedProtocol", {
  server,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': no common protocol version: ${this.detail}`
  }
}

/** The HTTP endpoint wants credentials that we do not have, or refuses those we sent. */
export class AuthRequired extends Schema.TaggedError<AuthRequired>()("AuthRequired", {
  server,
  status: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' refused our credentials (HTTP ${this.status}); set an Authorization header for it in the config`
  }
}

export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  server,
  /** `null` when there was no answer at all. */
  status: Schema.NullOr(Schema.Finite),
  detail: Schema.String,
  findings
}) {
  override get message() {
    return this.status === null
      ? `MCP server '${this.server}' cannot be reached: ${this.detail}`
      : `MCP server '${this.server}' answered HTTP ${this.status}: ${this.detail}`
  }
}

// ---- during a connection -------------------------------------------------------------------------------------------

/** The connection is gone. A call that was in flight may have been executed: it is never sent again by itself. */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>()("ConnectionLost", {
  server,
  detail: Schema.String,
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
  /** The server's own words, cleaned. */
  detail: Schema.String,
  findings,
  /** What the server attached, as far as it means something to us: the versions that it speaks. */
  data: Schema.optionalKey(Schema.Unknown)
}) {
  override get message() {
    const code = this.code === null ? "" : ` (${this.code})`
    return `MCP server '${this.server}' answered with an error${code}: ${this.detail}`
  }
}

export class MessageTooLarge extends Schema.TaggedError<MessageTooLarge>()("MessageTooLarge", {
  server,
  limitBytes: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' answered with more than ${mebibytes(this.limitBytes)}; ask it for less at a time`
  }
}

export class CallTimeout extends Schema.TaggedError<CallTimeout>()("CallTimeout", {
  server,
  method: Schema.String,
  timeoutMs: Schema.Finite,
  /** `idle`: nothing was heard for so long. `total`: it took too long whatever progress it reported. */
  deadline: Schema.Literals(["idle", "total"])
}) {
  override get message() {
    const what = this.deadline === "idle" ? "gave no sign of life for" : "was not done after"
    return `MCP server '${this.server}': ${this.method} ${what} ${this.timeoutMs} ms and was cancelled ("toolTimeout")`
  }
}

// ---- before a server is asked --------------------------------------------------------------------------------------

export class ServerUnavailable extends Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {
  server,
  state: Schema.String,
  detail: Schema.String,
  /** Milliseconds until the next attempt, when one is due. */
  retryInMs: Schema.NullOr(Schema.Finite)
}) {
  override get message() {
    const retry = this.retryInMs === null ? "" : ` It will be tried again in ${seconds(this.retryInMs)}.`
    return `MCP server '${this.server}' is not available now (${this.state}): ${this.detail}.${retry}`
  }
}

export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  tool: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const hint = this.suggestion === null ? "" : ` Did you mean '${this.suggestion}'?`
    return `There is no tool '${this.tool}'.${hint}`
  }
}

export class PolicyDenied extends Schema.TaggedError<PolicyDenied>()("PolicyDenied", {
  /** The exposed name of a tool or a prompt. */
  tool: Schema.String,
  rule: Schema.String
}) {
  override get message() {
    return `'${this.tool}' is not allowed here (${this.rule})`
  }
}

export class ResourceNotFound extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", {
  uri: Schema.String,
  /** What to do about it, in our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `Resource '${this.uri}': ${this.detail}`
  }
}

export class PromptNotFound extends Schema.TaggedError<PromptNotFound>()("PromptNotFound", {
  prompt: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const hint = this.suggestion === null ? "" : ` Did you mean '${this.suggestion}'?`
    return `There is no prompt '${this.prompt}'.${hint}`
  }
}

export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  tool: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `'${this.tool}' was called with unusable arguments: ${this.detail}`
  }
}

/** The arguments would tell a server a secret that is not its own, or write a mask over a value. */
export class SecretInArguments extends Schema.TaggedError<SecretInArguments>()("SecretInArguments", {
  server,
  /** What was asked for: an exposed name of a tool or a prompt, or a URI. */
  subject: Schema.String,
  /** Where in the arguments, as far as that can be told without a secret: `headers.token`, `items[2]`. */
  path: Schema.String,
  /** `secret`: a known value, in any form that is masked. `mask`: `[REDACTED]` or the like where a value stands. */
  what: Schema.Literals(["secret", "mask"])
}) {
  override get message() {
    const place = this.path === "" ? "" : ` at '${this.path}'`
    return this.what === "secret"
      ? `'${this.subject}' was not sent to MCP server '${this.server}': the arguments hold a secret that is not this server's${place}`
      : `'${this.subject}' was not sent to MCP server '${this.server}': a mask stands for the value${place}, and would be written over it`
  }
}

export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  server,
  limit: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' already has ${this.limit} calls in flight; wait for one to end`
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

// ---- unions --------------------------------------------------------------------------------------------------------

export type ConnectError =
  | SecretUnavailable
  | SpawnFailed
  | InvalidLaunch
  | ConnectTimeout
  | ServerExited
  | HandshakeFailed
  | UnsupportedProtocol
  | AuthRequired
  | HttpFailed
  | ConnectionLost

export type RequestError =
  | ConnectionLost
  | ProtocolError
  | MessageTooLarge
  | CallTimeout
  | CallCancelled
  | AuthRequired
  | HttpFailed

export type CallError =
  | RequestError
  | ServerUnavailable
  | ToolNotFound
  | ResourceNotFound
  | PolicyDenied
  | InvalidArguments
  | SecretInArguments
  | Overloaded

export type ResourceError = RequestError | ServerUnavailable | ResourceNotFound | SecretInArguments
export type PromptError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | InvalidArguments
  | SecretInArguments
export type CompletionError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | ResourceNotFound
  | SecretInArguments

/** Causes that the next attempt would only meet again: nothing is gained by a restart before someone mends them. */
const HOPELESS: ReadonlySet<string> = new Set([
  "SecretUnavailable",
  "SpawnFailed",
  "InvalidLaunch",
  "UnsupportedProtocol",
  "AuthRequired"
])

export const worthRetrying = (error: ConnectError): boolean =>
  !HOPELESS.has(error._tag) || (error._tag === "SpawnFailed" && error.passing === true)

function withStderr(stderr: string) {
  return stderr === "" ? "" : `; its last words: ${stderr}`
}

function mebibytes(bytes: number) {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}

function seconds(ms: number) {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 1000)} s`
}
