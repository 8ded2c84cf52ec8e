/**
 * Why a connection to a server did not come about. Messages name the server and what to do; they hold no secret (the connector
 * redacts details before it puts them here) and no stack.
 */
import * as Schema from "effect/Schema"
import { server } from "./ErrorFields.ts"
import type { AuthRequired, HttpFailed, AddressBlocked, RedirectBlocked } from "./HttpError.ts"
import type { ConnectionLost } from "./RequestError.ts"

/** A secret has no value: unknown provider, malformed reference, nothing there. The server is not started. */
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

/** The program of a stdio server could not be started: not found, no permission. */
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

/** Started for one client alone, and too many of those run already. It is started when one of them has ended. */
export class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {
  server,
  /** How many run, and whose they are. */
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}' is not started for this client: ${this.detail}`
  }
}

/** What a server is started with cannot be used, a directory that is none for example. */
export class InvalidLaunch extends Schema.TaggedError<InvalidLaunch>()("InvalidLaunch", {
  server,
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': ${this.detail}`
  }
}

/** For whoever can write into the configuration. */
export const SLOW_HINT = 'raise "timeout" if it is only slow'

/** A server was not ready within its `timeout`. */
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

/** The process of a server ended. `code` is `null` when a signal ended it; `stderr` holds its last words, cleaned. */
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

/** A server was reached and does not speak MCP as it should. */
export class HandshakeFailed extends Schema.TaggedError<HandshakeFailed>()("HandshakeFailed", {
  server,
  /** In our own words. */
  detail: Schema.String,
  /** What the server said to it, cleaned. */
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

/** No revision of the protocol is spoken by both sides. */
export class UnsupportedProtocol extends Schema.TaggedError<UnsupportedProtocol>()("UnsupportedProtocol", {
  server,
  /** In our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `MCP server '${this.server}': no common protocol version: ${this.detail}`
  }
}

/** Why a connection to a server did not come about. */
export type ConnectError =
  | SecretUnavailable
  | SpawnFailed
  | NoRoom
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

/** Causes that the next attempt would only meet again: nothing is gained by a restart before someone mends them. */
const HOPELESS: ReadonlySet<string> = new Set([
  "SecretUnavailable",
  "SpawnFailed",
  "NoRoom",
  "InvalidLaunch",
  "UnsupportedProtocol",
  "AuthRequired",
  "AddressBlocked",
  "RedirectBlocked"
])

/** Whether another attempt to connect may go better. */
export const worthRetrying = (error: ConnectError): boolean =>
  !HOPELESS.has(error._tag) ||
  (error._tag === "SpawnFailed" && error.passing === true) ||
  (error._tag === "AuthRequired" && error.remedy === "later")

function withStderr(stderr: string) {
  return stderr === "" ? "" : `; its last words: ${stderr}`
}

/** How long a server asked to be left alone. */
export const retryAfterOf = (error: ConnectError): number =>
  error._tag === "HttpFailed" ? (error.retryAfterMs ?? 0) : 0
