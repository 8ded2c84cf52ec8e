/** What nodes of a fleet ask each other. Each request names the incarnation that it is meant for: another one refuses it. */
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { NodeId } from "./Node.ts"
import { ServerRpcs } from "./ServerRpcs.ts"

export const FleetRpcs = RpcGroup.make(
  /** Who is there, and with which version of the contract. */
  Rpc.make("Hello", {
    success: Schema.Struct({ node: NodeId, version: Schema.String, contract: Schema.Int })
  })
).merge(ServerRpcs)
