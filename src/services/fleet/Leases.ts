/**
 * Exclusive rights of nodes, by name. A lease ends a few seconds after its node has stopped to renew it, so nothing depends on its node saying
 * so. A node that was frozen or cut off may believe for moments that it has a lease: what it writes must not overwrite what it has not read.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"

export interface Lease {
  /** What is stored of whose it is: another one for each lease. */
  readonly holder: string
  /** Whether it is ours, as far as this node knows. */
  readonly isOurs: () => boolean
  /** Gives it back, without waiting for that. */
  readonly release: () => void
}

export type Taken =
  | { readonly _tag: "Ours"; readonly lease: Lease }
  /** `node`: who has it. */
  | { readonly _tag: "Theirs"; readonly node: string }

/** Exclusive rights of nodes, by name. */
export class Leases extends Context.Service<
  Leases,
  {
    /** Takes the lease if nobody has it. `detail` is what is not possible without the database. */
    readonly take: (name: string, detail: string) => Effect.Effect<Taken, DatabaseAway>
    /** Waits for it, and has it until the Scope closes. Fails with words if others keep it for longer than `waitMs`. */
    readonly hold: (
      name: string,
      detail: string,
      waitMs: number
    ) => Effect.Effect<Lease, DatabaseAway | string, Scope.Scope>
  }
>()("mcp-live/services/Leases") {}
