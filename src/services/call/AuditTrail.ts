/** Reads the files of the audit log, written by this process or any other. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { PastAsked, PastPage } from "../../schemas/data/PastPage.ts"
import type { AuditRecord } from "../../schemas/call/AuditRecord.ts"
import type { Usage, UsageAsked } from "../../schemas/call/Usage.ts"
import type { AuditUnreadable } from "../../schemas/call/AuditUnreadable.ts"
import type { ForgottenPerson } from "./PersonStores.ts"

/** One line of the audit log's files. */
export interface AuditLine {
  /** The line as in the file. */
  readonly text: string
  /** `undefined` when the line is damaged, or newer than this version. */
  readonly record: AuditRecord | undefined
}

/** Reads the files of the audit log, written by this process or any other. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Where the files are, or would be. */
    readonly directory: string
    /** One page of the records, from the newest to the oldest. */
    readonly past: (asked: PastAsked<AuditRecord>) => Effect.Effect<PastPage<AuditRecord>, AuditUnreadable>
    /**
     * The lines of all files, oldest file first, in chunks of a few hundred. Running the stream again continues with what has
     * been written since, also across a rotation. Skips files that were last written before `since` (milliseconds). Empty
     * when there are no files.
     */
    readonly read: (since?: number) => Effect.Effect<Stream.Stream<ReadonlyArray<AuditLine>, AuditUnreadable>>
    /** What the calls used; summed up where the log is. */
    readonly usage: (asked: UsageAsked) => Effect.Effect<Usage, AuditUnreadable>
    /** Takes a person out of the records, which stay. Returns how many there were. */
    readonly forget: (person: ForgottenPerson) => Effect.Effect<number, AuditUnreadable>
  }
>()("mcp-live/services/AuditTrail") {}
