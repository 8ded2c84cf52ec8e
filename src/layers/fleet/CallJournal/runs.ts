/** A call that may run more than once: each run has an entry of its own, so that the journal knows how many there were. */
import * as Effect from "effect/Effect"
import { RUNS_MAX } from "../../../schemas/defaults/Fleet.ts"
import type { JournalOutcome, OpenEntry } from "../../../services/call/CallJournal.ts"

/** The entry of one run. */
export interface Run extends Pick<OpenEntry, "written"> {
  /** `goesOn`: another run follows, which needs what its client asked for. */
  readonly close: (outcome: JournalOutcome, goesOn?: boolean) => void
}

/** `before` is how often it ran at nodes that died, by their entries. */
export const entryOfRuns = (begin: () => Run, before = 0): OpenEntry => {
  const first = begin()
  let run = first
  let runs = before + 1
  const mayRunAgain = Effect.suspend(() => {
    if (runs >= RUNS_MAX) return Effect.succeed(false)
    runs++
    run.close("unknown", true)
    const next = begin()
    run = next
    // A run that others cannot see would not count with them.
    return Effect.tap(next.written, (isWritten) => (isWritten ? Effect.void : Effect.sync(() => next.close("failed"))))
  })
  return { written: first.written, close: (outcome) => run.close(outcome), mayRunAgain }
}
