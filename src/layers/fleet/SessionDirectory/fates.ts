/** What the journal of calls knows of a call whose node is dead. */
import * as Effect from "effect/Effect"
import type { CallsOfDead } from "../../../services/fleet/CallsOfDead.ts"
import type { CallFate, Directory } from "../../../services/listener/SessionDirectory.ts"

const UNKNOWN: CallFate = "unknown"

/** One that has left and has not ended, or that nobody can look up now, may have been executed. */
export const makeFates =
  ({ ofSession }: CallsOfDead["Service"]): Directory["fateOf"] =>
  ({ request, session }) =>
    ofSession(session).pipe(
      Effect.map((outcomes): CallFate | undefined => {
        const outcome = outcomes.get(JSON.stringify(request))
        return outcome === "running" ? UNKNOWN : outcome
      }),
      Effect.catch(() => Effect.succeed(UNKNOWN))
    )
