/**
 * What was called and how it went, what was suspicious, which definitions changed, and who allowed what. Never the values that
 * went in or out. None of these methods waits for a file, and none can fail.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApprovalAnswer, DefinitionChange } from "../../schemas/call/AuditRecord.ts"
import type { Finding } from "../../schemas/content/Finding.ts"

/** A call as it is written to the audit log. Times are milliseconds. */
export interface CallRecord {
  readonly agent: string
  readonly server: string | undefined
  /** The server's own name of the tool, or the unknown name that was asked for. */
  readonly tool: string
  /** What tells this call from others, where it has such a name. */
  readonly callId?: string | undefined
  /**
   * Types and sizes of the arguments: `{path: string(12), recursive: boolean}`. Made only for who writes it down. `rough` is
   * for who cleans it as a whole before anybody reads it, and takes less time.
   */
  readonly shape: (rough?: boolean) => string
  readonly durationMs: number
  /** Milliseconds since 1970; now, when left out. */
  readonly endedAt?: number | undefined
  /** `ok`, `isError`, `interrupted`, or the tag of the error. */
  readonly outcome: string
  readonly resultChars: number
  /** What was suspicious in the result. */
  readonly findings: ReadonlyArray<Finding>
  /** SHA-256 of the definition that the model was given, in hex. */
  readonly definition?: string | undefined
  /** Whether it was let through, and by which rule as the operator wrote it; nothing when no rule was asked. */
  readonly decision?: { readonly allowed: boolean; readonly rule: string } | undefined
}

/** A definition that is not what it was, or about which the operator has decided. */
export interface DefinitionRecord {
  readonly server: string
  /** The server's own name; `undefined` for what is the server's as a whole: its instructions, how it is launched. */
  readonly tool: string | undefined
  readonly change: DefinitionChange
  /** SHA-256 in hex; `undefined` when there is none any more. */
  readonly hash: string | undefined
  readonly previous?: string | undefined
  /** Of a tool with another name: the one that is gone. */
  readonly from?: string | undefined
  /** `server/tool`: what it is named like. */
  readonly shadows?: string | undefined
  /** So many changes of this kind, of several tools: `tool` and `hash` are `undefined`. */
  readonly count?: number | undefined
  /** What the configuration says of such changes: `off`, `warn` or `block`; `operator` where it is their word. */
  readonly pin: string
}

/** A question whether a call may be made, and each answer to one. */
export interface ApprovalRecord {
  readonly agent: string
  readonly server: string
  /** The server's own name. */
  readonly tool: string
  /** SHA-256 of the definition that the answer is about, in hex. */
  readonly definition: string | undefined
  readonly answer: ApprovalAnswer
  /** The rule that wants it to be asked. */
  readonly rule: string
}

/**
 * Writes down what was called and how it went, which definitions changed and who allowed what: never a value that
 * went in or came out. No method waits for a file, and none fails.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** A call that ended, in whichever way; also one that was refused. */
    readonly record: (record: CallRecord) => Effect.Effect<void>
    /**
     * Something suspicious outside of a call: in the definition of a tool, a prompt or a resource. `subject` is what it is
     * and its name, cleaned: `tool read_file`.
     */
    readonly report: (server: string, subject: string, findings: ReadonlyArray<Finding>) => Effect.Effect<void>
    readonly definition: (record: DefinitionRecord) => Effect.Effect<void>
    readonly approval: (record: ApprovalRecord) => Effect.Effect<void>
  }
>()("mcp-live/services/AuditLog") {}
