/** What the audit log has written to its files, by this process or any other. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AuditRecord } from "../../schemas/call/AuditRecord.ts"
import type { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"

/** One line of the audit log's files. */
export interface AuditLine {
  /** The line as it stands in the file. */
  readonly text: string
  /** `undefined` when the line is damaged, or newer than this version. */
  readonly record: AuditRecord | undefined
}

/** Reads what the audit log has written to its files, by this process or any other. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Where the files are, or would be. */
    readonly directory: string
    /**
     * The lines of all files, the oldest file first, in pieces of a few hundred. Running the stream again gives what has
     * been written since, also across a rotation. Files that were last written before `since` (milliseconds) are passed
     * over. No files are no lines.
     */
    readonly read: (since?: number) => Effect.Effect<Stream.Stream<ReadonlyArray<AuditLine>, AuditUnreadable>>
  }
>()("mcp-live/services/AuditTrail") {}
