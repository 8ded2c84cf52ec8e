/** The records of the audit log of this process as they are made, whether or not they are written to files. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { ApprovalRecord, CallRecord, DefinitionRecord } from "./AuditLog.ts"

/** A call that ended, as far as figures about it go. */
export interface HeardCall {
  readonly server: string | undefined
  readonly outcome: string
  readonly durationMs: number
  readonly resultChars: number
  readonly findings: ReadonlyArray<Finding>
}

/** A record before it becomes a line: its texts are not cleaned yet. It holds no arguments or results. */
export type QueuedRecord = QueuedCall | ({ readonly at: number } & OtherRecord)

export type QueuedCall = { readonly at: number; readonly kind: "call"; readonly shape: string } & Omit<
  CallRecord,
  "shape"
>

type OtherRecord =
  | {
      readonly kind: "finding"
      readonly server: string
      readonly subject: string
      readonly findings: ReadonlyArray<Finding>
    }
  | ({ readonly kind: "definition" } & DefinitionRecord)
  | ({ readonly kind: "approval" } & ApprovalRecord)
  | { readonly kind: "dropped"; readonly count: number; readonly since: number }

/** The records of the audit log of this process as they are made. */
export class AuditFeed extends Context.Service<
  AuditFeed,
  {
    /** Calls `heard` at the end of each call, until the Scope closes. It must return at once. */
    readonly onCall: (heard: (call: HeardCall) => void) => Effect.Effect<void, never, Scope.Scope>
    /** Calls `heard` with each record, until the Scope closes. It must return at once. */
    readonly onRecord: (heard: (record: QueuedRecord) => void) => Effect.Effect<void, never, Scope.Scope>
    /** The line of each record, as it stands in the files: cleaned, and with known secrets masked. */
    readonly linesOf: (records: ReadonlyArray<QueuedRecord>) => ReadonlyArray<string>
    /** The lines of the log from now on, as they stand in its files. A reader that is too slow misses the oldest ones. */
    readonly lines: Stream.Stream<string>
  }
>()("mcp-live/services/AuditFeed") {}
