/** The fleet that this process is a node of: who else is there, and who has died. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import type { FleetNode, NodeId } from "../../schemas/fleet/Node.ts"

/** What a node reports of itself. */
export type Load = FleetNode["load"]

/** The fleet that this process is a node of: who else is there, and who has died. */
export class Fleet extends Context.Service<
  Fleet,
  {
    /**
     * This node as it is now. A process that others took for dead goes on as another incarnation: read this again for each use, and keep
     * the incarnation with whatever belongs to it.
     */
    readonly self: NodeId
    /** As this node knows them now, itself among them; without a query. */
    readonly nodes: () => ReadonlyArray<FleetNode>
    /** The living incarnation of that name; `undefined` when there is none. */
    readonly node: (name: string) => FleetNode | undefined
    /**
     * Each incarnation that is known to be gone, as soon as this node knows it: because it said so, because its connection broke and it
     * does not answer, or because its place in the database expired. Nothing of it lives on when it is emitted.
     */
    readonly deaths: Stream.Stream<NodeId>
    /** Emits when `nodes` has changed: somebody came, went, or drains. Reports of load are no change. */
    readonly changes: Stream.Stream<void>
    /**
     * Whether this node may serve what belongs to it: `false` when it was not running for so long (frozen, or cut off from the database
     * and all peers) that others may have taken its place. A plain function, asked before each call leaves and before each answer.
     */
    readonly isCurrent: () => boolean
    /** Waits until this node is confirmed as current; what others have taken over has been given up by then. */
    readonly confirmed: Effect.Effect<void>
    /**
     * Gives up what belongs to the present incarnation, when others have taken this node for dead and their places count. It runs before
     * `confirmed` completes, and before this process goes on as another incarnation. For the caller's Scope.
     */
    readonly onReplaced: (giveUp: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
    /** Whether it takes new sessions and servers. */
    readonly isDraining: () => boolean
    /** Completes when this node is to take nothing new, to hand over what it can, and to end. */
    readonly draining: Effect.Effect<void>
    /** Asks a node to take nothing new, to hand over what it can and to end. This node, too. `false`: there is no such node. */
    readonly drain: (name: string) => Effect.Effect<boolean, DatabaseAway>
    /** Part of what other nodes see of this one; called every second. */
    readonly reports: (load: () => Partial<Load>) => void
  }
>()("mcp-live/services/Fleet") {}
