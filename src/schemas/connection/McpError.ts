/**
 * Everything that can go wrong on the way to a server or a tool, by tag. Messages name the server and what to do; they
 * hold no secret (the connector redacts details before it puts them here) and no stack. An error that quotes its server
 * has the two parts of its message apart: `told`, in our own words, and `words`, the server's. `partsOf` reads them.
 */
import * as Schema from "effect/Schema"
import { DENIAL_REASONS, type DenialReason } from "../call/Approval.ts"
import { FINDING_KINDS } from "../content/Finding.ts"
import { UNAPPROVED, type Unapproved } from "../call/Pins.ts"

const server = Schema.String
/** Whether the detail is a sentence of ours in which nothing came from the server. */
const isOurs = Schema.optionalKey(Schema.Literal(true))
/** The key that changes it, where it is not that of the server's entry; `null` where the reader has none. */
const key = Schema.optionalKey(Schema.NullOr(Schema.String))
/** What was suspicious in the server's own words, which are clean by now. */
const findings = Schema.optionalKey(
  Schema.Array(Schema.Struct({ kind: Schema.Literals(FINDING_KINDS), detail: Schema.String, count: Schema.Finite }))
)

// ---- before a connection -------------------------------------------------------------------------------------------

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

/** The HTTP endpoint wants credentials that we do not have, or refuses those we sent. */
export class AuthRequired extends Schema.TaggedError<AuthRequired>()("AuthRequired", {
  server,
  status: Schema.Finite,
  /**
   * Where it is OAuth: what would help. `login`: a person logs in. `later`: it fails only for now. `config`: what is
   * configured, or what the server says of itself, cannot be used.
   */
  remedy: Schema.optionalKey(Schema.Literals(["login", "later", "config"])),
  /** Why, in our own words. */
  detail: Schema.optionalKey(Schema.String),
  /** What the server, or its authorization server, said to it, cleaned. */
  said: Schema.optionalKey(Schema.String),
  /** By a session: its reader has an entry for it where the session comes from. */
  brought: Schema.optionalKey(Schema.Literal(true))
}) {
  get told() {
    return this.#messageWith("")
  }
  get words() {
    return this.said ?? ""
  }
  override get message() {
    return this.#messageWith(this.said === undefined ? "" : ` (${this.said})`)
  }
  #messageWith(said: string) {
    const why = this.detail === undefined ? "" : `: ${this.detail}${said}`
    switch (this.remedy) {
      case "login":
        return `MCP server '${this.server}' needs a login${why}. Run: ${loginCommand(this.server)}`
      case "later":
        return `MCP server '${this.server}' cannot be authorized now${why}`
      case "config":
        return `MCP server '${this.server}' cannot be authorized${why}`
    }
    const where = this.brought === true ? "where this session has it from" : "in the config"
    return this.status === 403
      ? `MCP server '${this.server}' forbids what we ask (HTTP 403): the credentials for it ${where} may not do this, or are missing`
      : `MCP server '${this.server}' refused our credentials (HTTP ${this.status}); set an Authorization header for it ${where}`
  }
}

/** An HTTP server answered with an error status, or not at all. */
export class HttpFailed extends Schema.TaggedError<HttpFailed>()("HttpFailed", {
  server,
  /** `null` when there was no answer at all. */
  status: Schema.NullOr(Schema.Finite),
  /** Of an answer: the server's own words, cleaned, unless `isOurs`. Without one: why, in our own words. */
  detail: Schema.String,
  isOurs,
  /** How long the server asked not to be asked again, within bounds. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  findings
}) {
  get told() {
    if (this.status === null) return `MCP server '${this.server}' cannot be reached: ${this.detail}`
    const meaning = statusMeaning(this.status)
    const after = this.retryAfterMs === undefined ? "" : `; it may be asked again in ${seconds(this.retryAfterMs)}`
    const why = this.isOurs === true ? `: ${this.detail}` : ""
    return `MCP server '${this.server}' answered HTTP ${this.status}${meaning === "" ? "" : ` (${meaning})`}${after}${why}`
  }
  get words() {
    return this.status === null || this.isOurs === true ? "" : this.detail
  }
  override get message() {
    return this.told + (this.words.trim() === "" ? "" : `: ${this.words}`)
  }
}

/** An address that must not be contacted: nothing was sent there. */
export class AddressBlocked extends Schema.TaggedError<AddressBlocked>()("AddressBlocked", {
  server,
  /** What is there, for words. */
  leadsTo: Schema.String,
  /** A host that the server named, cleaned; `null` when it is the url in the configuration. */
  host: Schema.NullOr(Schema.String),
  /** Whether `allowPrivate` would open it. */
  openable: Schema.Boolean,
  key
}) {
  get told() {
    return this.host === null
      ? this.message
      : `MCP server '${this.server}' sent us to an address that leads to ${this.leadsTo}: nothing was sent there`
  }
  get words() {
    return this.host ?? ""
  }
  override get message() {
    if (this.host !== null) {
      return `MCP server '${this.server}' sent us to '${this.host}', which leads to ${this.leadsTo}: nothing was sent there`
    }
    const set = this.key === undefined ? `set "allowPrivate": true on this server` : `set "${this.key}": true`
    const remedy = this.openable && this.key !== null ? `; ${set} if that is meant` : ""
    return `MCP server '${this.server}' was not contacted: its url leads to ${this.leadsTo}${remedy}`
  }
}

/** The server sends us somewhere else. A redirect is followed only within the origin that the operator wrote. */
export class RedirectBlocked extends Schema.TaggedError<RedirectBlocked>()("RedirectBlocked", {
  server,
  /** Where to, cleaned and without its query. */
  target: Schema.String,
  detail: Schema.String
}) {
  get told() {
    return `MCP server '${this.server}' sends us to another address: not followed, ${this.detail}; if that is the server, use its address as "url"`
  }
  get words() {
    return this.target
  }
  override get message() {
    return `MCP server '${this.server}' sends us to ${this.target}: not followed, ${this.detail}; if that is the server, use its address as "url"`
  }
}

// ---- during a connection -------------------------------------------------------------------------------------------

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

// ---- before a server is asked --------------------------------------------------------------------------------------

/** A server is not up: it is being restarted, was given up, or is disabled. */
export class ServerUnavailable extends Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {
  server,
  state: Schema.String,
  /** Why, for people. */
  detail: Schema.String,
  /** The same where it quotes the server: in our own words, and in the server's, cleaned. */
  cause: Schema.optionalKey(Schema.Struct({ told: Schema.String, words: Schema.String })),
  /** Milliseconds until the next attempt, when one is due. */
  retryInMs: Schema.NullOr(Schema.Finite),
  /** A person has to log in; then it comes back by itself. */
  needsLogin: Schema.optionalKey(Schema.Boolean)
}) {
  get told() {
    return this.#because(this.cause?.told ?? this.detail)
  }
  get words() {
    return this.cause?.words ?? ""
  }
  override get message() {
    return this.#because(this.detail)
  }
  #because(why: string) {
    const retry = this.retryInMs === null ? "" : ` It will be tried again in ${seconds(this.retryInMs)}.`
    return `MCP server '${this.server}' is not available now (${this.state}): ${why}.${retry}`
  }
}

/** There is no tool of that name. `suggestion` is the nearest one that there is. */
export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  tool: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const hint = this.suggestion === null ? "" : ` Did you mean '${this.suggestion}'?`
    return `There is no tool '${this.tool}'.${hint}`
  }
}

/** The rules do not allow it. */
export class PolicyDenied extends Schema.TaggedError<PolicyDenied>()("PolicyDenied", {
  /** The exposed name of a tool or a prompt. */
  tool: Schema.String,
  rule: Schema.String
}) {
  override get message() {
    return `'${this.tool}' is not allowed here (${this.rule})`
  }
}

const DENIALS: Readonly<Record<DenialReason, string>> = {
  person: "it needs the approval of a person, who said no",
  nobody: "it needs the approval of a person, and nobody can be asked here",
  timeout: "it needs the approval of a person, and nobody answered in time",
  failed: "it needs the approval of a person, and asking for it failed",
  changed: "while a person was asked, the tool became another one"
}

/** A rule wants the approval of a person for this call, and there was none: nothing was sent. */
export class ApprovalDenied extends Schema.TaggedError<ApprovalDenied>()("ApprovalDenied", {
  server,
  /** The exposed name. */
  tool: Schema.String,
  rule: Schema.String,
  reason: Schema.Literals(DENIAL_REASONS)
}) {
  override get message() {
    return `'${this.tool}' of '${this.server}' was not called: ${DENIALS[this.reason]} (${this.rule})`
  }
}

/** The definition is not one that the operator approved, so the tool is not used. */
export class DefinitionChanged extends Schema.TaggedError<DefinitionChanged>()("DefinitionChanged", {
  server,
  /** The server's own name of the tool, cleaned. */
  tool: Schema.String,
  change: Schema.Literals(UNAPPROVED)
}) {
  override get message() {
    return `Tool '${this.tool}' of MCP server '${this.server}' is withheld: ${DEFINITION_CHANGES[this.change]}`
  }
}

/** Why a definition is withheld. */
export const DEFINITION_CHANGES: Readonly<Record<Unapproved, string>> = {
  changed: "its definition is not the one that was approved",
  new: "its definition is new and was not approved yet",
  rejected: "its definition was rejected"
}

/** There is no such resource, or none of the servers has it. */
export class ResourceNotFound extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", {
  uri: Schema.String,
  /** What to do about it, in our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `Resource '${this.uri}': ${this.detail}`
  }
}

/** There is no prompt of that name. `suggestion` is the nearest one that there is. */
export class PromptNotFound extends Schema.TaggedError<PromptNotFound>()("PromptNotFound", {
  prompt: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const hint = this.suggestion === null ? "" : ` Did you mean '${this.suggestion}'?`
    return `There is no prompt '${this.prompt}'.${hint}`
  }
}

/** The arguments do not fit the tool. Nothing was sent. */
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
  /**
   * `secret`: a known value, in any form that is masked. `mask`: `[REDACTED]` or the like where a value stands. `unread`:
   * nobody knows, because looking failed or took too long.
   */
  what: Schema.Literals(["secret", "mask", "unread"])
}) {
  override get message() {
    const place = this.path === "" ? "" : ` at '${this.path}'`
    const why = {
      secret: `the arguments hold a secret that is not this server's${place}`,
      mask: `a mask stands for the value${place}, and would be written over it`,
      unread: "the arguments could not be looked through for secrets; nothing was sent"
    }[this.what]
    return `'${this.subject}' was not sent to MCP server '${this.server}': ${why}`
  }
}

/** A server has as many calls in flight as it may have. Nothing was sent. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  server,
  limit: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' already has ${this.limit} calls in flight; wait for one to end`
  }
}

/** The agent has made too many calls of this server: nothing was sent. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  server,
  /** Until one more call is possible. */
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' has had too many calls of this agent; it may be called again in ${seconds(this.retryInMs)}`
  }
}

/** The server has failed too often in a row, and is left alone for a while: nothing was sent. */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("CircuitOpen", {
  server,
  /** Until a call may try it. */
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' has failed several times in a row and is left alone; it may be called again in ${seconds(this.retryInMs)}`
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

/** Why a call of a tool has no result. A runtime turns each of these into a result with `isError: true`. */
export type CallError =
  | RequestError
  | ServerUnavailable
  | ToolNotFound
  | ResourceNotFound
  | PolicyDenied
  | DefinitionChanged
  | ApprovalDenied
  | InvalidArguments
  | SecretInArguments
  | Overloaded
  | RateLimited
  | CircuitOpen

/** Why a resource could not be read. */
export type ResourceError = RequestError | ServerUnavailable | ResourceNotFound | SecretInArguments
/** Why a prompt could not be filled in. */
export type PromptError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | InvalidArguments
  | SecretInArguments
/** A message in two parts: what we say, and what the server said, which is untrusted. */
export interface Parts {
  readonly told: string
  readonly words: string
}

/** An error's message in two parts: ours, and the server's, which is untrusted. */
export const partsOf = (error: ConnectError | CallError): Parts =>
  "words" in error ? { told: error.told, words: error.words } : { told: error.message, words: "" }

/** Why there are no completions. */
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

/** What a person runs to log in. The name of a server may hold anything, and a shell takes it for nothing but a name. */
export const loginCommand = (server: string): string =>
  `mcp-live login ${/^[\w.][\w.-]*$/.test(server) ? server : `'${server.replaceAll("'", "'\\''")}'`}`

/** How long a server asked to be left alone. */
export const retryAfterOf = (error: ConnectError): number =>
  error._tag === "HttpFailed" ? (error.retryAfterMs ?? 0) : 0

/** What an HTTP status says about a server, and what an operator can do about it. */
export function statusMeaning(status: number): string {
  switch (status) {
    case 404:
      return 'there is nothing at this address; check "url"'
    case 405:
      return 'this address does not take MCP requests; check "url" and "transport"'
    case 408:
      return "it did not wait for all of the request"
    case 429:
      return "it wants fewer requests"
    case 502:
    case 504:
      return "a gateway before it got no good answer from it"
    case 503:
      return "it is not available now"
    default:
      return status >= 500 ? "it failed on the request" : ""
  }
}

function withStderr(stderr: string) {
  return stderr === "" ? "" : `; its last words: ${stderr}`
}

function mebibytes(bytes: number) {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}

function seconds(ms: number) {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 1000)} s`
}
