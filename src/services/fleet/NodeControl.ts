/** The control contract between nodes: each says of itself what it says to the commands of its own machine. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { Duplex } from "node:stream"
import type * as Stream from "effect/Stream"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { Control } from "../../schemas/control/Control.ts"
import type { GatewayEvent } from "../../schemas/control/Events.ts"
import type { Personal } from "../../schemas/control/Personal.ts"
import type { FleetNode } from "../../schemas/fleet/Node.ts"

export type PersonalClient = RpcClient.FromGroup<typeof Personal, RpcClientError>

export type ControlClient = RpcClient.FromGroup<typeof Control, RpcClientError>

/** What a node said, or why it said nothing. */
export type Said<A> =
  | { readonly node: FleetNode; readonly _tag: "Said"; readonly value: A }
  | { readonly node: FleetNode; readonly _tag: "Silent"; readonly detail: string }

/** The control contract between nodes. */
export class NodeControl extends Context.Service<
  NodeControl,
  {
    /** Asks each other node that lives. Bounded in time: whoever does not answer within it is silent. */
    readonly askOthers: <A, E extends { readonly message: string }>(
      ask: (client: ControlClient) => Effect.Effect<A, E, Scope.Scope>
    ) => Effect.Effect<ReadonlyArray<Said<A>>>
    /** Takes the connections of other nodes, until the Scope closes. */
    readonly onConnection: (take: (socket: Duplex) => void) => Effect.Effect<void, never, Scope.Scope>
    /**
     * What somebody who has logged in on the page of this node hears of the others, in the contract for people: their calls, and the questions of all
     * other nodes as one list. However many pages they have open, each other node is listened to once for them.
     */
    readonly heardBy: (caller: Caller) => Stream.Stream<GatewayEvent>
    /** Asks each other node on behalf of them, in that contract. */
    readonly askAs: <A, E extends { readonly message: string }>(
      caller: Caller,
      ask: (client: PersonalClient) => Effect.Effect<A, E, Scope.Scope>
    ) => Effect.Effect<ReadonlyArray<Said<A>>>
    /** Takes the connections on behalf of people, until the Scope closes. The other node has checked who they are. */
    readonly onPerson: (take: (socket: Duplex, caller: Caller) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("mcp-live/services/NodeControl") {}
