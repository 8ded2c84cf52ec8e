/** Asks a person whether a tool may be called that an `ask` rule is about, and remembers what they want remembered. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  ApprovalsFailed,
  RememberedApproval,
  Verdict
} from "../../schemas/call/Approval.ts"

/** Puts the question to a person. The signal says that nobody waits for the answer any more. */
export type Approve = (
  question: ApprovalQuestion,
  signal: AbortSignal
) => PromiseLike<ApprovalAnswer> | Effect.Effect<ApprovalAnswer, unknown>

/** Who is asked about the calls of one session, instead of whom the program asks about all of them. */
export interface Approver {
  /** What `session` answers hold for; another session knows nothing of them. */
  readonly session: string
  readonly approve: Approve
}

/**
 * Asks a person whether a tool may be called that an `ask` rule is about, and remembers what they want remembered.
 * Whatever goes wrong on the way is a no.
 */
export class Approvals extends Context.Service<
  Approvals,
  {
    /**
     * Allows a call only after a person's yes: one that was given for this very tool before, or one that is asked for now.
     * Where nobody can be asked, and whatever goes wrong while somebody is asked (no answer in time, an answer that is
     * none, an error), it is denied. Calls of the same tool are asked about one after the other. Interrupting it takes the
     * question back; nothing is remembered then.
     *
     * What was approved for good holds for one agent, server, launch of it, tool and definition, in every process with the
     * same data directory, until it is forgotten. What cannot be read of it is asked again.
     */
    readonly decide: (request: ApprovalRequest, approver?: Approver) => Effect.Effect<Verdict>
    /** Forgets what was approved for a session. */
    readonly endSession: (session: string) => Effect.Effect<void>
    /** What was approved for good, by agent, server and tool. */
    readonly list: Effect.Effect<ReadonlyArray<RememberedApproval>, ApprovalsFailed>
    /**
     * Forgets what was approved for good: `AGENT/SERVER/TOOL`, `AGENT/SERVER` or `AGENT`, with `*` and `?`; all of it
     * without a pattern. Gives how many there were.
     */
    readonly forget: (pattern?: string) => Effect.Effect<number, ApprovalsFailed>
  }
>()("mcp-live/services/Approvals") {}
