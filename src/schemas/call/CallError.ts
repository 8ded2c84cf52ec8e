/**
 * Errors of calls, resources and prompts: those found before the server is asked, and those of the request. Messages name the
 * server and what to do; they contain no secret and no stack.
 */
import * as Schema from "effect/Schema"
import { anyOf } from "./Approvers.ts"
import { DENIAL_REASONS, type DenialReason } from "./Approval.ts"
import { QUOTA_PERIODS } from "./Quota.ts"
import { UNAPPROVED, type Unapproved } from "./Pins.ts"
import { seconds, server } from "../connection/ErrorFields.ts"
import type { RequestError } from "../connection/RequestError.ts"

/** A server is down: it is restarting, has failed for good, or is disabled. */
export class ServerUnavailable extends Schema.TaggedError<ServerUnavailable>()("ServerUnavailable", {
  server,
  state: Schema.String,
  /** Why, for people. */
  detail: Schema.String,
  /** The same in two parts where it quotes the server: our own words, and the server's, cleaned. */
  cause: Schema.optionalKey(Schema.Struct({ told: Schema.String, words: Schema.String })),
  /** Milliseconds until the next attempt; `null` when none is planned. */
  retryInMs: Schema.NullOr(Schema.Finite),
  /** A person has to log in; then the server is connected automatically. */
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

/** No tool has that name. `suggestion` is the most similar name. */
export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  tool: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const hint = this.suggestion === null ? "" : ` Did you mean '${this.suggestion}'?`
    return `There is no tool '${this.tool}'.${hint}`
  }
}

/** A rule denies the call. */
export class PolicyDenied extends Schema.TaggedError<PolicyDenied>()("PolicyDenied", {
  /** The exposed name of a tool or prompt. */
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
  changed: "the tool changed while a person was asked"
}

/** The same where rules name who approves. */
const denialBy = (whom: string): Readonly<Record<DenialReason, string>> => ({
  person: `it needs the approval of ${whom}, and it was refused`,
  nobody: `it needs the approval of ${whom}, and nobody is at the desk of this gateway`,
  timeout: `it waited for the approval of ${whom}, and nobody answered in time`,
  failed: `it needs the approval of ${whom}, and asking for it failed`,
  changed: DENIALS.changed
})

/** A rule requires a person's approval, which was not given: nothing was sent. */
export class ApprovalDenied extends Schema.TaggedError<ApprovalDenied>()("ApprovalDenied", {
  server,
  /** The exposed name. */
  tool: Schema.String,
  rule: Schema.String,
  reason: Schema.Literals(DENIAL_REASONS),
  /** Whom it waited for, if rules name somebody. */
  approvers: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The address of the page on which it can be approved, if there is one. */
  page: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const why = this.approvers === undefined ? DENIALS[this.reason] : denialBy(anyOf(this.approvers))[this.reason]
    return `'${this.tool}' of '${this.server}' was not called: ${why} (${this.rule})`
  }
}

/** The operator has not approved this definition, so the tool is not used. */
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

/** No server has this resource. */
export class ResourceNotFound extends Schema.TaggedError<ResourceNotFound>()("ResourceNotFound", {
  uri: Schema.String,
  /** What to do, in our own words. */
  detail: Schema.String
}) {
  override get message() {
    return `Resource '${this.uri}': ${this.detail}`
  }
}

/** No prompt has that name. `suggestion` is the most similar name. */
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

/** The arguments would reveal another server's secret, or overwrite a value with a mask. */
export class SecretInArguments extends Schema.TaggedError<SecretInArguments>()("SecretInArguments", {
  server,
  /** What was requested: the exposed name of a tool or prompt, or a URI. */
  subject: Schema.String,
  /** Where in the arguments, as far as that can be said without a secret: `headers.token`, `items[2]`. */
  path: Schema.String,
  /**
   * `secret`: a known value, in any form that is masked. `mask`: `[REDACTED]` or similar in place of a value. `unread`: the
   * check failed or took too long.
   */
  what: Schema.Literals(["secret", "mask", "unread"])
}) {
  override get message() {
    const place = this.path === "" ? "" : ` at '${this.path}'`
    const why = {
      secret: `the arguments contain a secret that does not belong to this server${place}`,
      mask: `there is a mask in place of the value${place}, which it would overwrite`,
      unread: "the arguments could not be checked for secrets; nothing was sent"
    }[this.what]
    return `'${this.subject}' was not sent to MCP server '${this.server}': ${why}`
  }
}

/** The server has the maximum number of calls in flight. Nothing was sent. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  server,
  limit: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' already has ${this.limit} calls in flight; wait for one to end`
  }
}

/** The agent has called this server too often. Nothing was sent. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  server,
  /** Milliseconds until one more call is possible. */
  retryInMs: Schema.Finite,
  /** The quota that is used up, if it is one. */
  quota: Schema.optional(
    Schema.Struct({
      /** In words: `calls of tools 'git/*'`. */
      counts: Schema.String,
      limit: Schema.Finite,
      period: Schema.Literals(QUOTA_PERIODS),
      /** ISO 8601, UTC. */
      startsAgain: Schema.String
    })
  )
}) {
  /** The quota that is used up: `calls of tools 'git/*' a day`. */
  get quotaName(): string | undefined {
    return this.quota === undefined ? undefined : `${this.quota.counts} a ${this.quota.period}`
  }
  /** Why no call is possible, if a quota is used up. */
  get quotaWords(): string | undefined {
    if (this.quota === undefined) return undefined
    const { counts, limit, period, startsAgain } = this.quota
    return `the ${limit} ${counts} that one person may make in a ${period} are used up; this starts again at ${startsAgain}`
  }
  override get message() {
    if (this.quotaWords !== undefined) return this.quotaWords
    return `MCP server '${this.server}' has had too many calls of this agent; it may be called again in ${seconds(this.retryInMs)}`
  }
}

/** The server has failed too often in a row, so calls are paused. Nothing was sent. */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("CircuitOpen", {
  server,
  /** Milliseconds until a call may try it. */
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `MCP server '${this.server}' has failed several times in a row, so calls are paused; it may be called again in ${seconds(this.retryInMs)}`
  }
}

/** Errors of a tool call. A runtime turns each of them into a result with `isError: true`. */
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
  | LimitError

/** A limit of calls was reached. Nothing was sent. */
export type LimitError = Overloaded | RateLimited | CircuitOpen

/** Errors of reading a resource. */
export type ResourceError = RequestError | ServerUnavailable | ResourceNotFound | SecretInArguments | LimitError

/** Errors of getting a prompt. */
export type PromptError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | InvalidArguments
  | SecretInArguments
  | LimitError

/** Errors of a completion. */
export type CompletionError =
  | RequestError
  | ServerUnavailable
  | PromptNotFound
  | PolicyDenied
  | ResourceNotFound
  | SecretInArguments
  | LimitError
