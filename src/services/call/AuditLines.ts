/** Where the lines of the audit log are kept, if that is not in files of this process. */
import * as Context from "effect/Context"

/** Where the lines of the audit log are kept, if that is not in files of this process. */
export class AuditLines extends Context.Service<
  AuditLines,
  {
    /** In messages: "the database of the fleet". */
    readonly place: string
    /** Takes as many of the first `lines` as it can at once; returns how many, at least one. Rejects when it can take none now. */
    readonly append: (lines: ReadonlyArray<string>) => Promise<number>
  }
>()("mcp-live/services/AuditLines") {}
