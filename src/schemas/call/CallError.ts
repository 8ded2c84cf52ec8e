/**
 * Why a call of a tool, a resource or a prompt has no result: what a runtime finds out before it asks the server, and all that can
 * go wrong with the request. Messages name the server and what to do; they hold no secret and no stack.
 */
import * as Schema from "effect/Schema"
import { DENIAL_REASONS, type DenialReason } from "./Approval.ts"
import { UNAPPROVED, type Unapproved } from "./Pins.ts"
import { seconds, server } from "../connection/ErrorFields.ts"
import type { RequestError } from "../connection/RequestError.ts"

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

/** Why there are no completions. */
export type CompletionError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | ResourceNotFound
  | SecretInArguments
