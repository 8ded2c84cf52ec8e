/** The control contract over the door of the nodes. A question is rare, so that each has a connection of its own. What somebody hears has one, too. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { Control } from "../../schemas/control/Control.ts"
import { Personal } from "../../schemas/control/Personal.ts"
import { CONTROL_ANSWER_MAX_BYTES } from "../../schemas/defaults/Control.ts"
import { NODE_ANSWER_MS } from "../../schemas/defaults/FleetNodes.ts"
import type { PeerProtocol } from "../../schemas/fleet/PeerHello.ts"
import type { FleetNode } from "../../schemas/fleet/Node.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { type ControlClient, NodeControl, type PersonalClient, type Said } from "../../services/fleet/NodeControl.ts"
import { PeerDoor } from "../../services/fleet/PeerDoor.ts"
import { makeElsewhere } from "./NodeControl/elsewhere.ts"
import { introduced, introductionOf } from "./NodeControl/introduction.ts"

/** More at a time would be a burst of connections. */
const AT_ONCE = 32

const serialization = RpcSerialization.makeNdjson({ maxBufferSize: CONTROL_ANSWER_MAX_BYTES })

const make = Effect.gen(function* () {
  const door = yield* PeerDoor
  const fleet = yield* Fleet

  const protocolTo = Effect.fnUntraced(function* (node: FleetNode, protocol: PeerProtocol, first?: string) {
    const connection = yield* Effect.acquireRelease(door.dial(node.address, node, protocol), (socket) =>
      Effect.sync(() => void socket.destroy())
    )
    if (first !== undefined) connection.write(first)
    const socket = yield* NodeSocket.fromDuplex(Effect.succeed(connection))
    return yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
      Effect.provideService(Socket.Socket, socket),
      Effect.provideService(RpcSerialization.RpcSerialization, serialization)
    )
  })

  const clientOf = Effect.fnUntraced(function* (node: FleetNode) {
    const protocol = yield* protocolTo(node, "mcp-live-control")
    const made = RpcClient.make(Control, { disableTracing: true })
    const client: ControlClient = yield* Effect.provideService(made, RpcClient.Protocol, protocol)
    return client
  })

  const personalOf = Effect.fnUntraced(function* (node: FleetNode, introduction: string) {
    const protocol = yield* protocolTo(node, "mcp-live-person", introduction)
    const made = RpcClient.make(Personal, { disableTracing: true })
    const client: PersonalClient = yield* Effect.provideService(made, RpcClient.Protocol, protocol)
    return client
  })

  const others = () =>
    fleet.nodes().filter(({ incarnation, state }) => state !== "dead" && incarnation !== fleet.self.incarnation)

  const heardBy = yield* makeElsewhere(others, (node, introduction) =>
    Stream.unwrap(Effect.map(personalOf(node, introduction), (client) => client.Events({}))).pipe(
      Stream.map(({ event }) => event)
    )
  )

  const asked = <A, C, E extends { readonly message: string }, E2 extends { readonly message: string }>(
    node: FleetNode,
    made: Effect.Effect<C, E2, Scope.Scope>,
    ask: (client: C) => Effect.Effect<A, E, Scope.Scope>
  ): Effect.Effect<Said<A>> =>
    Effect.flatMap(made, ask).pipe(
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
        Effect.forEach(others(), (node) => asked(node, clientOf(node), ask), { concurrency: AT_ONCE })
      ),
    onConnection: (take) => door.accept("mcp-live-control", take),
    askAs: (caller, ask) =>
      Effect.suspend(() =>
        Effect.forEach(others(), (node) => asked(node, personalOf(node, introductionOf(caller)), ask), {
          concurrency: AT_ONCE
        })
      ),
    heardBy,
    onPerson: (take) =>
      door.accept("mcp-live-person", (socket) => {
        socket.on("error", () => {})
        introduced(socket, (caller) => (caller === undefined ? void socket.destroy() : take(socket, caller)))
      })
  })
})

export const layer: Layer.Layer<NodeControl, never, PeerDoor | Fleet> = Layer.effect(NodeControl, make)
