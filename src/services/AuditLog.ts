/** One record per call: what was called and how it went, never the values that went in or out. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Finding } from "../schemas/Finding.ts"

export interface CallRecord {
  readonly agent: string
  readonly server: string | undefined
  /** The server's own name of the tool, or the unknown name that was asked for. */
  readonly tool: string
  /** Types and sizes of the arguments: `{path: string(12), recursive: boolean}`. Made only for who writes it down. */
  readonly shape: () => string
  readonly durationMs: number
  /** `ok`, `isError`, `interrupted`, or the tag of the error. */
  readonly outcome: string
  readonly resultChars: number
  /** What was suspicious in the result. */
  readonly findings: ReadonlyArray<Finding>
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly record: (record: CallRecord) => Effect.Effect<void>
    /**
     * Something suspicious outside of a call: in the definition of a tool, a prompt or a resource. `subject` is what it is
     * and its name, cleaned: `tool read_file`.
     */
    readonly report: (server: string, subject: string, findings: ReadonlyArray<Finding>) => Effect.Effect<void>
  }
>()("mcp-live/services/AuditLog") {}
