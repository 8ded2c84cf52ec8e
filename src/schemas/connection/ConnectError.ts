/**
 * Why a connection to a server failed. Messages name the server and what to do. They contain no secret (the connector redacts details
 * first) and no stack.
 */
import * as Schema from "effect/Schema"
import { server } from "./ErrorFields.ts"
import type { AuthRequired, HttpFailed, AddressBlocked, RedirectBlocked } from "./HttpError.ts"
import type { ConnectionLost } from "./RequestError.ts"

/** A secret has no value: unknown provider, malformed reference, or nothing stored. The server is not started. */
export class SecretUnavailable extends Schema.TaggedError<SecretUnavailable>()("SecretUnavailable", {
  /** The server, or what else needed the secret (`MODEL_OWNER`). */
  server,
  /** The reference as written, never the value. */
  reference: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': secret ${this.reference} is not available: ${this.detail}`
  }
}

/** The program of a stdio server could not be started: not found, no permission. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  server,
  command: Schema.String,
  detail: Schema.String,
  /** The system was temporarily out of processes, file descriptors or memory. */
  passing: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `MCP server '${this.server}': cannot start '${this.command}': ${this.detail}`
  }
}

/** The server is for one client alone, and too many of those are running. It starts when one of them has ended. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {
  server,
  /** How many are running, and for whom. */
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}' is not started for this client: ${this.detail}`
  }
}

/** The operator has stopped the server. It stays so until they reset it. */
export class StoppedByOperator extends Schema.TaggedError<StoppedByOperator>()("StoppedByOperator", {
  server
}) {
  override get message() {
    return `MCP server '${this.server}' was stopped by the operator of this gateway`
  }
}

/** The server cannot be started like this: its directory is not a directory, for example. */
export class InvalidLaunch extends Schema.TaggedError<InvalidLaunch>()("InvalidLaunch", {
  server,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': ${this.detail}`
  }
}

/** The hint for a reader who can change the configuration. */
export const SLOW_HINT = 'raise "timeout" if it is only slow'

/** The server was not ready within its `timeout`. */
export class ConnectTimeout extends Schema.TaggedError<ConnectTimeout>()("ConnectTimeout", {
  server,
  timeoutMs: Schema.Finite,
  /** What the server was doing: `starting`, `initialize`, `tools/list`, … */
  phase: Schema.String,
  stderr: Schema.String,
  /** What it may be for, and what to do. */
  hint: Schema.optionalKey(Schema.String)
}) {
  get told() {
    return `MCP server '${this.server}' was not ready within ${this.timeoutMs} ms (waiting for ${this.phase}); ${this.hint ?? SLOW_HINT}`
  }
  get words() {
    return this.stderr
  }
  override get message() {
    return this.told + withStderr(this.stderr)
  }
}

/** The server's process ended. `code` is `null` if a signal ended it. `stderr` has its last lines, cleaned. */
export class ServerExited extends Schema.TaggedError<ServerExited>()("ServerExited", {
  server,
  code: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  /** What it may be for, and what to do. */
  hint: Schema.optionalKey(Schema.String)
}) {
  get told() {
    const how = this.signal === null ? `with code ${this.code}` : `on ${this.signal}`
    return `MCP server '${this.server}' exited ${how}${this.hint === undefined ? "" : `; ${this.hint}`}`
  }
  get words() {
    return this.stderr
  }
  override get message() {
    return this.told + withStderr(this.stderr)
  }
}

/** The server was reached, and violates MCP. */
export class HandshakeFailed extends Schema.TaggedError<HandshakeFailed>()("HandshakeFailed", {
  server,
  /** In our own words. */
  detail: Schema.String,
  /** The server's own words, cleaned. */
  said: Schema.optionalKey(Schema.String),
  stderr: Schema.String
}) {
  get told() {
    return `MCP server '${this.server}' does not speak MCP as expected: ${this.detail}`
  }
  get words() {
    return [this.said, this.stderr].filter(Boolean).join(" | ")
  }
  override get message() {
    return this.told + (this.said === undefined ? "" : `: ${this.said}`) + withStderr(this.stderr)
  }
}

/** No protocol revision is common to both sides. */
export class UnsupportedProtocol extends Schema.TaggedError<UnsupportedProtocol>()("UnsupportedProtocol", {
  server,
  /** In our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': no common protocol version: ${this.detail}`
  }
}

/** Why a connection to a server failed. */
export type ConnectError =
  | SecretUnavailable
  | SpawnFailed
  | NoRoom
  | StoppedByOperator
  | InvalidLaunch
  | ConnectTimeout
  | ServerExited
  | HandshakeFailed
  | UnsupportedProtocol
  | AuthRequired
  | HttpFailed
  | AddressBlocked
  | RedirectBlocked
  | ConnectionLost

/** Causes that the next attempt would meet again: somebody has to fix them first. */
const HOPELESS: ReadonlySet<string> = new Set([
  "SecretUnavailable",
  "SpawnFailed",
  "NoRoom",
  "StoppedByOperator",
  "InvalidLaunch",
  "UnsupportedProtocol",
  "AuthRequired",
  "AddressBlocked",
  "RedirectBlocked"
])

/** Whether another attempt may succeed. */
export const worthRetrying = (error: ConnectError): boolean =>
  !HOPELESS.has(error._tag) ||
  (error._tag === "SpawnFailed" && error.passing === true) ||
  (error._tag === "AuthRequired" && error.remedy === "later")

function withStderr(stderr: string) {
  return stderr === "" ? "" : `; its last words: ${stderr}`
}

/** How long the server asked not to be contacted. */
export const retryAfterOf = (error: ConnectError): number =>
  error._tag === "HttpFailed" ? (error.retryAfterMs ?? 0) : 0
