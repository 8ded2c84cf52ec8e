/**
 * Records calls and their outcome, suspicious findings, changed definitions, and approvals. Never records the values of
 * arguments or results. No method waits for a file, and none fails.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApprovalAnswer, DefinitionChange } from "../../schemas/call/AuditRecord.ts"
import type { Trail } from "../../schemas/call/Trail.ts"
import type { Person } from "../../schemas/login/Identity.ts"
import type { Finding } from "../../schemas/content/Finding.ts"

/** A call in the audit log. Times are milliseconds. */
export interface CallRecord {
  readonly agent: string
  /** The client, where the agent has several that do not know each other. */
  readonly client?: string | undefined
  /** The person whose call it is. */
  readonly person?: Person | undefined
  readonly server: string | undefined
  /** The server's own name of the tool, or the unknown name that the model used. */
  readonly tool: string
  /** Identifies the call, if it has an id. */
  readonly callId?: string | undefined
  /**
   * Types and sizes of the arguments: `{path: string(12), recursive: boolean}`. A function, so that only those who write it
   * pay for it. `rough` is faster, for a caller that cleans the whole line before anybody reads it.
   */
  readonly shape: (rough?: boolean) => string
  readonly durationMs: number
  /** Milliseconds since 1970. Default: now. */
  readonly endedAt?: number | undefined
  /** `ok`, `isError`, `interrupted`, or the tag of the error. */
  readonly outcome: string
  /** The quota that is used up, in words, for the outcome `RateLimited`. */
  readonly quota?: string | undefined
  readonly resultChars: number
  /** What was suspicious in the result. */
  readonly findings: ReadonlyArray<Finding>
  /** SHA-256, in hex, of the definition that the model got. */
  readonly definition?: string | undefined
  /** Whether it was allowed, and by which rule as the operator wrote it; `undefined` when no rule was consulted. */
  readonly decision?: { readonly allowed: boolean; readonly rule: string } | undefined
  /** When its stages ended; not part of the line. */
  readonly trail?: Trail | undefined
}

/** A definition that changed, or that the operator decided about. */
export interface DefinitionRecord {
  readonly server: string
  /** The server's own name; `undefined` for what belongs to the whole server: its instructions, its launch. */
  readonly tool: string | undefined
  readonly change: DefinitionChange
  /** SHA-256 in hex; `undefined` when the definition is gone. */
  readonly hash: string | undefined
  readonly previous?: string | undefined
  /** For a renamed tool: its former name. */
  readonly from?: string | undefined
  /** `server/tool`: the tool that has the same name. */
  readonly shadows?: string | undefined
  /** Sums up this many changes of the same kind; `tool` and `hash` are `undefined` then. */
  readonly count?: number | undefined
  /** The setting for such changes: `off`, `warn` or `block`; `operator` when it was their decision. */
  readonly pin: string
}

/** A question about a call, or an answer to one. */
export interface ApprovalRecord {
  readonly agent: string
  /** The person whose call it is. */
  readonly person?: Person | undefined
  readonly server: string
  /** The server's own name of the tool. */
  readonly tool: string
  /** SHA-256, in hex, of the definition that the answer is about. */
  readonly definition: string | undefined
  readonly answer: ApprovalAnswer
  /** The rule that requires approval. */
  readonly rule: string
  /** Who answered: a person, or the name of a client or `operator`. */
  readonly answeredBy?: Person | string | undefined
}

/**
 * Records calls and their outcome, changed definitions, and approvals; never the values of arguments or results. No method
 * waits for a file, and none fails.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** A call that ended in any way, including one that was refused. */
    readonly record: (record: CallRecord) => Effect.Effect<void>
    /**
     * A finding outside of a call: in the definition of a tool, prompt or resource. `subject` says what it is, with its
     * cleaned name: `tool read_file`.
     */
    readonly report: (server: string, subject: string, findings: ReadonlyArray<Finding>) => Effect.Effect<void>
    readonly definition: (record: DefinitionRecord) => Effect.Effect<void>
    readonly approval: (record: ApprovalRecord) => Effect.Effect<void>
  }
>()("mcp-live/services/AuditLog") {}
