/**
 * The connections between the nodes of a fleet: one port, mutually authenticated and encrypted with the fleet's secret. It carries HTTP
 * requests of clients whose session lives at another node, and RPC.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as RpcClient from "effect/rpc/RpcClient"
import type * as RpcClientError from "effect/rpc/RpcClientError"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { NodeUnreachable } from "../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { FleetRpcs } from "../../schemas/fleet/FleetRpcs.ts"

export type PeerClient = RpcClient.FromGroup<typeof FleetRpcs, RpcClientError.RpcClientError>

export class Peers extends Context.Service<
  Peers,
  {
    /**
     * The RPC of a node. A request is sent at most once: when the connection breaks, each request that is under way fails with
     * `RpcClientError`, and nothing is sent again.
     */
    readonly rpc: (node: NodeId) => Effect.Effect<PeerClient, NodeUnreachable>
    /** A new connection to a node on which HTTP is spoken, for `createConnection` of `node:http`. */
    readonly connect: (node: NodeId) => Effect.Effect<Duplex, NodeUnreachable>
    /** Handles the HTTP requests that other nodes pass on, until the Scope closes. The sender has checked who its client is. */
    readonly onHttp: (
      handle: (incoming: IncomingMessage, response: ServerResponse) => void
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>()("mcp-live/services/Peers") {}
