/** Stores approvals for good, for all who share the store. `Approvals` decides by them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  ApprovalsFailed,
  ApprovalSubject,
  RememberedApproval,
  SessionSubject
} from "../../schemas/call/Approval.ts"

/** Approvals for sessions that may go on in another process. They end with their session. */
export interface SessionApprovals {
  /** What cannot be read counts as not approved. */
  readonly has: (session: string, subject: SessionSubject) => Effect.Effect<boolean>
  /** If it cannot be stored, or nobody else knows the session, the person is asked again there. */
  readonly save: (session: string, subject: SessionSubject) => Effect.Effect<void>
}

/** Stores approvals for good, for all who share the store. */
export class ApprovalStore extends Context.Service<
  ApprovalStore,
  {
    /** Whether this very subject is approved. What cannot be read counts as not approved. */
    readonly has: (subject: ApprovalSubject) => Effect.Effect<boolean>
    /** Whether there is an approval for an earlier definition or launch of the same tool. */
    readonly hasOther: (subject: ApprovalSubject) => Effect.Effect<boolean>
    readonly save: (approval: RememberedApproval) => Effect.Effect<void, ApprovalsFailed>
    /** In any order. */
    readonly list: Effect.Effect<ReadonlyArray<RememberedApproval>, ApprovalsFailed>
    readonly remove: (subject: ApprovalSubject) => Effect.Effect<void, ApprovalsFailed>
    /** Removes what cannot be read, too. Returns how many there were. */
    readonly removeAll: Effect.Effect<number, ApprovalsFailed>
    /** Where sessions may go on in another process. */
    readonly sessions?: SessionApprovals | undefined
  }
>()("mcp-live/services/ApprovalStore") {}
