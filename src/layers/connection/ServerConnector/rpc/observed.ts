/** Tells whoever makes spans and metrics how the requests and connections of a peer end. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { endedBy, endedWith, type Ended, type Remote } from "../../../../schemas/telemetry/Operation.ts"
import type { Operation, Recording } from "../../../../services/telemetry/Telemetry.ts"
import type { Outcome } from "./answer.ts"
import type { Pending } from "./Pending.ts"

const outcomeEnded = (method: string, outcome: Outcome): Ended => {
  if (outcome.ok) return endedWith(method, outcome.result)
  // A demand for input is an answer.
  return outcome.input === undefined ? endedBy(outcome.error) : {}
}

/** A request of ours. */
export const tellEnd = (pending: Pending, { end }: Operation): void => {
  const { method, settle } = pending
  pending.settle = (outcome, id) => {
    end(outcomeEnded(method, outcome))
    settle(outcome, id)
  }
}

/** A connection, until the Scope closes: before that, the server may have ended it. */
export const tellSession = (
  telemetry: Recording,
  peer: { readonly lost: { readonly _tag: string } | undefined },
  remote: Remote
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Clock.currentTimeMillis, (start) =>
    Effect.addFinalizer(() =>
      Effect.map(Clock.currentTimeMillis, (end) =>
        telemetry.current?.sessionEnded("client", remote, (end - start) / 1_000, peer.lost?._tag)
      )
    )
  )
