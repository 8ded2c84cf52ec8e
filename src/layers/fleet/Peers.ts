/**
 * RPC and HTTP over the door of the nodes. There is one RPC connection to each node, opened when it is needed; when it breaks, or the node is
 * dead, everything under way on it fails, and nothing is sent again.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientDefect, RpcClientError } from "effect/rpc/RpcClientError"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { PEER_HEADERS_MAX_BYTES, PEER_PING_MS, PEER_SILENT_MS } from "../../schemas/defaults/FleetNodes.ts"
import { NodeUnreachable } from "../../schemas/fleet/FleetError.ts"
import { FleetRpcs } from "../../schemas/fleet/FleetRpcs.ts"
import { isSameNode, type NodeId } from "../../schemas/fleet/Node.ts"
import { MISDIRECTED, NOT_HERE } from "../../schemas/fleet/NotHere.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { PeerDoor } from "../../services/fleet/PeerDoor.ts"
import { Peers, type PeerClient } from "../../services/fleet/Peers.ts"
import { framedJson } from "../../system/framedJson.ts"
import { following } from "../../system/rounds.ts"

type Handle = (incoming: IncomingMessage, response: ServerResponse) => void

const unreachable = (node: NodeId, detail: string) => new NodeUnreachable({ node: node.name, detail, maybeSent: false })

/** It is starting, or ends: its sessions are elsewhere. */
const notServing: Handle = (_incoming, response) => void response.writeHead(MISDIRECTED, { [NOT_HERE]: "1" }).end()

const cutOff = () =>
  new RpcClientError({
    reason: new RpcClientDefect({ message: "the connection to another node has ended", cause: undefined })
  })

const clientOver = (socket: Duplex) =>
  Effect.gen(function* () {
    const over = yield* NodeSocket.fromDuplex(Effect.succeed(socket))
    const protocol = yield* RpcClient.makeProtocolSocket({
      retryPolicy: Schedule.recurs(0),
      pingInterval: PEER_PING_MS,
      pingTimeout: PEER_SILENT_MS
    }).pipe(
      Effect.provideService(Socket.Socket, over),
      Effect.provideService(RpcSerialization.RpcSerialization, framedJson)
    )
    let tell: Parameters<typeof protocol.run>[1] = () => Effect.void
    const run: typeof protocol.run = (id, told) => {
      tell = told
      return protocol.run(id, told)
    }
    const client = yield* RpcClient.make(FleetRpcs, { disableTracing: true }).pipe(
      Effect.provideService(RpcClient.Protocol, { ...protocol, run })
    )
    // A client that is closed interrupts whoever waits for it, as if they had gone: what is under way fails before.
    yield* Effect.addFinalizer(() => tell({ _tag: "ClientProtocolError", error: cutOff() }))
    return client
  })

interface Link {
  readonly node: NodeId
  readonly client: Deferred.Deferred<PeerClient, NodeUnreachable>
  readonly scope: Scope.Closeable
}

const make = Effect.gen(function* () {
  const door = yield* PeerDoor
  const fleet = yield* Fleet
  const scope = yield* Effect.scope
  const links = new Map<string, Link>()

  const dial = (node: NodeId, protocol: "mcp-live-rpc" | "http/1.1") =>
    Effect.suspend(() => {
      const known = fleet.node(node.name)
      if (known === undefined || !isSameNode(known, node)) return Effect.fail(unreachable(node, "it is not alive"))
      return Effect.mapError(door.dial(known.address, node, protocol), ({ detail }) => unreachable(node, detail))
    })

  const cut = (link: Link) =>
    Effect.suspend(() => {
      if (links.get(link.node.incarnation) === link) links.delete(link.node.incarnation)
      return Scope.close(link.scope, Exit.void)
    })

  const open = (link: Link) =>
    Effect.gen(function* () {
      const socket = yield* Effect.acquireRelease(dial(link.node, "mcp-live-rpc"), (open) =>
        Effect.sync(() => void open.destroy())
      )
      const client = yield* clientOver(socket)
      const closed = Effect.callback<void>((resume) => {
        if (socket.destroyed) resume(Effect.void)
        else socket.once("close", () => resume(Effect.void))
      })
      // A new request gets a new connection from the moment at which this one is known to be closed.
      yield* Effect.forkIn(Effect.andThen(closed, cut(link)), scope)
      return client
    }).pipe(
      Scope.provide(link.scope),
      Effect.onError(() => cut(link)),
      Deferred.into(link.client)
    )

  const rpc = (node: NodeId) =>
    Effect.suspend(() => {
      const present = links.get(node.incarnation)
      if (present !== undefined) return Deferred.await(present.client)
      const link: Link = { node, client: Deferred.makeUnsafe(), scope: Scope.makeUnsafe() }
      links.set(node.incarnation, link)
      return Effect.andThen(Effect.forkIn(open(link), scope), Deferred.await(link.client))
    })

  yield* following("fleet: the end of connections to dead nodes", fleet.deaths, (dead) => {
    const link = links.get(dead.incarnation)
    return link === undefined ? Effect.void : cut(link)
  }).pipe(Effect.forkScoped({ startImmediately: true }))
  yield* Effect.addFinalizer(() => Effect.forEach([...links.values()], cut, { discard: true }))

  let handle = notServing
  const http = createServer({ maxHeaderSize: PEER_HEADERS_MAX_BYTES }, (incoming, response) =>
    handle(incoming, response)
  )
  // What is passed on may take as long as its client wants: who sends it has judged the client.
  Object.assign(http, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, timeout: 0 })
  yield* door.accept("http/1.1", (socket) => void http.emit("connection", socket))
  yield* Effect.addFinalizer(() => Effect.sync(() => http.closeAllConnections()))

  return Peers.of({
    rpc,
    connect: (node) => dial(node, "http/1.1"),
    onHttp: (handler) =>
      Effect.acquireRelease(
        Effect.sync(() => void (handle = handler)),
        () => Effect.sync(() => void (handle = notServing))
      )
  })
})

export const layer: Layer.Layer<Peers, never, PeerDoor | Fleet> = Layer.effect(Peers, make)
