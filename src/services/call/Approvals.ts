/** Asks a person about calls that match an `ask` rule, and remembers the answers that they want remembered. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  ApprovalAbout,
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  ApprovalsFailed,
  RememberedApproval,
  Verdict
} from "../../schemas/call/Approval.ts"
import type { Person } from "../../schemas/login/Identity.ts"

/** An answer of a person who has logged in, for themselves or as an approver: the record names them. */
export class GivenBy {
  readonly answer: ApprovalAnswer
  readonly by: Person
  constructor(answer: ApprovalAnswer, by: Person) {
    this.answer = answer
    this.by = by
  }
}

/** Asks a person. The signal aborts when nobody waits for the answer any more. */
export interface Approve {
  (
    question: ApprovalQuestion,
    signal: AbortSignal,
    about?: ApprovalAbout
  ): PromiseLike<ApprovalAnswer> | Effect.Effect<ApprovalAnswer | GivenBy, unknown>
  /** Whether there is somebody to ask now. Default: there is. */
  readonly canAsk?: ((about?: ApprovalAbout) => boolean) | undefined
}

/** Asks about the calls of one session, in place of the approver of the whole program. */
export interface Approver {
  /** The scope of `session` answers: no other session uses them. */
  readonly session: string
  readonly approve: Approve
  /** The operator answers, who may also answer in place of approvers that rules name. */
  readonly isOperator?: true | undefined
}

/**
 * Asks a person about calls that match an `ask` rule, and remembers the answers that they want remembered. Any error denies
 * the call.
 */
export class Approvals extends Context.Service<
  Approvals,
  {
    /**
     * Allows a call only if a person approved it, now or earlier for exactly this tool. Denied when nobody can be asked, and
     * when asking fails in any way (no answer in time, an invalid answer, an error). Calls of the same tool are asked about
     * one by one. Interruption withdraws the question; nothing is remembered then.
     *
     * A request with `approvers` is never asked of the session's own approver, unless that is the operator: the approver of the
     * whole program is asked. Nothing that was approved without them counts for it, and its approval is never for good.
     *
     * An approval for good holds for one agent, server, launch, tool and definition, in every process with the same data
     * directory, until you delete it. If it cannot be read, the person is asked again.
     */
    readonly decide: (request: ApprovalRequest, approver?: Approver) => Effect.Effect<Verdict>
    /** Forgets the approvals of a session. */
    readonly endSession: (session: string) => Effect.Effect<void>
    /** The approvals for good, sorted by agent, server and tool. */
    readonly list: Effect.Effect<ReadonlyArray<RememberedApproval>, ApprovalsFailed>
    /**
     * Deletes approvals for good: `AGENT/SERVER/TOOL`, `AGENT/SERVER` or `AGENT`, with `*` and `?`; without a pattern, all.
     * Returns how many there were.
     */
    readonly forget: (pattern?: string) => Effect.Effect<number, ApprovalsFailed>
  }
>()("mcp-live/services/Approvals") {}
