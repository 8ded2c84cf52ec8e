/** Answers the requests of other nodes. The handlers come from whoever owns what is asked for. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as SocketServer from "effect/socket/SocketServer"
import { FleetRpcs } from "../../schemas/fleet/FleetRpcs.ts"
import { PeerDoor } from "../../services/fleet/PeerDoor.ts"
import { framedJson } from "../../system/framedJson.ts"
import { makeHandedSockets } from "../../system/handedSockets.ts"

const protocol = Effect.gen(function* () {
  const door = yield* PeerDoor
  const sockets = yield* makeHandedSockets
  const served = yield* RpcServer.makeProtocolSocketServer.pipe(
    Effect.provideService(SocketServer.SocketServer, sockets.server),
    Effect.provideService(RpcSerialization.RpcSerialization, framedJson)
  )
  yield* door.accept("mcp-live-rpc", sockets.take)
  return served
})

/** Answers until the Scope closes. */
export const layer = RpcServer.layer(FleetRpcs, { disableFatalDefects: true, disableTracing: true }).pipe(
  Layer.provide(Layer.effect(RpcServer.Protocol, protocol))
)
