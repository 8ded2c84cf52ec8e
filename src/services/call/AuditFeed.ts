/** The records of the audit log of this process as they are made, whether or not they are written to files. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Finding } from "../../schemas/content/Finding.ts"

/** A call that ended, as far as figures about it go. */
export interface HeardCall {
  readonly server: string | undefined
  readonly outcome: string
  readonly durationMs: number
  readonly resultChars: number
  readonly findings: ReadonlyArray<Finding>
}

/** The records of the audit log of this process as they are made. */
export class AuditFeed extends Context.Service<
  AuditFeed,
  {
    /** Calls `heard` at the end of each call, until the Scope closes. It must return at once. */
    readonly onCall: (heard: (call: HeardCall) => void) => Effect.Effect<void, never, Scope.Scope>
    /** The lines of the log from now on, as they stand in its files. A reader that is too slow misses the oldest ones. */
    readonly lines: Stream.Stream<string>
  }
>()("mcp-live/services/AuditFeed") {}
