/** A call that may run more than once: each run has an entry of its own, so that the journal knows how many there were. */
import * as Effect from "effect/Effect"
import { RUNS_MAX } from "../../../schemas/defaults/Fleet.ts"
import type { OpenEntry } from "../../../services/call/CallJournal.ts"

/** `before` is how often it ran at nodes that died. */
export const entryOfRuns = (begin: () => OpenEntry, before = 0): OpenEntry => {
  const first = begin()
  let { close } = first
  let runs = before + 1
  const mayRunAgain = Effect.suspend(() => {
    if (runs >= RUNS_MAX) return Effect.succeed(false)
    runs++
    close("unknown")
    const next = begin()
    close = next.close
    return Effect.as(next.written, true)
  })
  return { written: first.written, close: (outcome) => close(outcome), mayRunAgain }
}
