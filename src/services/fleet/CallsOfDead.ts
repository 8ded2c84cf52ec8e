/** What the journal knows of calls that a node can no longer tell about. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { Origin, Repeat } from "../call/CallJournal.ts"

/** `running`: it has left, and its node has not said how it ended. `unknown`: it had left when its node died. */
export type CallOutcome = "running" | "done" | "failed" | "unknown"

/** What the journal knows of calls that a node can no longer tell about. */
export class CallsOfDead extends Context.Service<
  CallsOfDead,
  {
    /** Calls of that incarnation that were running become `unknown`. Says how many. To be run again when it fails. */
    readonly bury: (node: NodeId) => Effect.Effect<number, DatabaseAway>
    /** How the calls of a session ended, by the id of the request that each of them answers, as JSON: `"a"`, `1`. */
    readonly ofSession: (session: string) => Effect.Effect<ReadonlyMap<string, CallOutcome>, DatabaseAway>
    /** A call that may be run again: for the first who asks. Nothing for one that has run `RUNS_MAX` times. */
    readonly takeRepeat: (call: Origin) => Effect.Effect<Repeat | undefined, DatabaseAway>
    /** Whether somebody can still take it. */
    readonly hasRepeat: (call: Origin) => Effect.Effect<boolean, DatabaseAway>
  }
>()("mcp-live/services/CallsOfDead") {}
