/** The control contract over the door of the nodes. A question is rare, so that each has a connection of its own. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { Control } from "../../schemas/control/Control.ts"
import { CONTROL_ANSWER_MAX_BYTES } from "../../schemas/defaults/Control.ts"
import { NODE_ANSWER_MS } from "../../schemas/defaults/FleetNodes.ts"
import type { FleetNode } from "../../schemas/fleet/Node.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { type ControlClient, NodeControl, type Said } from "../../services/fleet/NodeControl.ts"
import { PeerDoor } from "../../services/fleet/PeerDoor.ts"

/** More at a time would be a burst of connections. */
const AT_ONCE = 32

const serialization = RpcSerialization.makeNdjson({ maxBufferSize: CONTROL_ANSWER_MAX_BYTES })

const make = Effect.gen(function* () {
  const door = yield* PeerDoor
  const fleet = yield* Fleet

  const clientOf = Effect.fnUntraced(function* (node: FleetNode) {
    const connection = yield* Effect.acquireRelease(door.dial(node.address, node, "mcp-live-control"), (socket) =>
      Effect.sync(() => void socket.destroy())
    )
    const socket = yield* NodeSocket.fromDuplex(Effect.succeed(connection))
    const protocol = yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
      Effect.provideService(Socket.Socket, socket),
      Effect.provideService(RpcSerialization.RpcSerialization, serialization)
    )
    const made = RpcClient.make(Control, { disableTracing: true })
    const client: ControlClient = yield* Effect.provideService(made, RpcClient.Protocol, protocol)
    return client
  })

  const asked = <A, E extends { readonly message: string }>(
    node: FleetNode,
    ask: (client: ControlClient) => Effect.Effect<A, E, Scope.Scope>
  ): Effect.Effect<Said<A>> =>
    Effect.flatMap(clientOf(node), ask).pipe(
      Effect.scoped,
      Effect.map((value): Said<A> => ({ node, _tag: "Said", value })),
      Effect.catch(({ message }) => Effect.succeed<Said<A>>({ node, _tag: "Silent", detail: message })),
      // An answer that this version cannot read.
      Effect.catchDefect(() =>
        Effect.succeed<Said<A>>({ node, _tag: "Silent", detail: "its answer is that of another version of mcp-live" })
      ),
      Effect.timeoutOrElse({
        duration: NODE_ANSWER_MS,
        orElse: () => Effect.succeed<Said<A>>({ node, _tag: "Silent", detail: "it does not answer" })
      })
    )

  return NodeControl.of({
    askOthers: (ask) =>
      Effect.suspend(() =>
        Effect.forEach(
          fleet.nodes().filter(({ incarnation, state }) => state !== "dead" && incarnation !== fleet.self.incarnation),
          (node) => asked(node, ask),
          { concurrency: AT_ONCE }
        )
      ),
    onConnection: (take) => door.accept("mcp-live-control", take)
  })
})

export const layer: Layer.Layer<NodeControl, never, PeerDoor | Fleet> = Layer.effect(NodeControl, make)
