/** A call in the journal of a fleet: others learn that it leaves before it does, and then how it ended. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { CallError } from "../../../schemas/call/CallError.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import type { Journal, JournalEntry, JournalOutcome } from "../../../services/call/CallJournal.ts"
import type { Route } from "./Route.ts"

type Outcome = ToolResult | Route

/** The call has left, and its answer is not known. */
const MAYBE_EXECUTED: ReadonlySet<string> = new Set(["CallTimeout", "CallCancelled", "MessageTooLarge", "HttpFailed"])

/** Of a call that may have left: what is known of it when it is over here. Another route means that it has not left. */
const outcomeOf = (exit: Exit.Exit<Outcome, CallError>): JournalOutcome => {
  if (Exit.isSuccess(exit)) return "_tag" in exit.value ? "failed" : "done"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  // It was canceled, or something went wrong here: it may have left.
  if (error === undefined) return "unknown"
  if (MAYBE_EXECUTED.has(error._tag)) return "unknown"
  return "maybeExecuted" in error && error.maybeExecuted === true ? "unknown" : "failed"
}

/** Writing takes a moment, so `send` checks again what was checked before. */
export const inJournal = (
  { open }: Journal,
  entry: JournalEntry,
  send: () => Effect.Effect<Outcome, CallError>
): Effect.Effect<Outcome, CallError> =>
  Effect.flatMap(open(entry), ({ close }) =>
    Effect.onExitPrimitive(Effect.suspend(send), (exit) => void close(outcomeOf(exit)))
  )
