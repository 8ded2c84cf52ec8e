/** Serves the control contract over connections, whatever door they came through: a socket of this user, or a WebSocket of the page. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import type { Duplex } from "node:stream"
import { Control } from "../../schemas/control/Control.ts"
import {
  CONTROL_RECEIVING_IN_ALL_MAX_BYTES,
  CONTROL_REQUESTS_IN_ALL_MAX,
  CONTROL_REQUESTS_MAX,
  CONTROL_UNREAD_IN_ALL_MAX_BYTES
} from "../../schemas/defaults/Control.ts"
import { makeSharedRoom } from "../sharedRoom.ts"
import { UnreadSockets } from "../unreadSockets.ts"
import { makeConnection, type Connection } from "./connection.ts"
import { withoutDefects } from "./defects.ts"

export interface Transport {
  /** Takes a new connection. `context` is what its requests are answered with besides: what it may do. */
  readonly take: (socket: Duplex, context?: Context.Context<never>) => void
  /** Closes all connections. */
  readonly hangUp: () => void
}

/** How many requests are under way, on one connection and on all. */
export interface RequestBounds {
  readonly eachMax: number
  readonly inAllMax: number
}

const OF_OPERATOR: RequestBounds = { eachMax: CONTROL_REQUESTS_MAX, inAllMax: CONTROL_REQUESTS_IN_ALL_MAX }

const makeProtocol = Effect.fnUntraced(function* (requests: RequestBounds) {
  const disconnects = yield* Queue.make<number>()
  const connections = new Map<number, Connection>()
  const sockets = new Set<Duplex>()
  const fork = yield* FiberSet.makeRuntime<never>()
  const holders = () => connections.size
  const roomOf = makeSharedRoom({ eachMax: Infinity, inAllMax: CONTROL_RECEIVING_IN_ALL_MAX_BYTES, holders })
  const requestsOf = makeSharedRoom({ ...requests, holders })
  const unread = new UnreadSockets(CONTROL_UNREAD_IN_ALL_MAX_BYTES)
  let count = 0

  let receive: (client: number, connection: Connection) => Effect.Effect<void> = () => Effect.void
  const protocol = yield* RpcServer.Protocol.make((write) =>
    Effect.sync(() => {
      receive = (client, { receiveAll }) => receiveAll((message) => write(client, message))
      return {
        disconnects,
        send: (client, message) => connections.get(client)?.send(withoutDefects(message)) ?? Effect.void,
        end: () => Effect.void,
        clientIds: Effect.sync(() => new Set(connections.keys())),
        initialMessage: Effect.succeedNone,
        supportsAck: true,
        supportsTransferables: false,
        supportsSpanPropagation: true,
        supportsNotifications: false,
        codecFor: RpcSerialization.json.codecFor
      }
    })
  )

  const take: Transport["take"] = (socket, context = Context.empty()) => {
    const client = count++
    socket.on("error", () => {})
    const connection = makeConnection(socket, { room: roomOf(), requests: requestsOf(), unread })
    connections.set(client, connection)
    sockets.add(socket)
    fork(
      receive(client, connection).pipe(
        Effect.provideContext(context),
        Effect.ensuring(
          Effect.suspend(() => {
            connections.delete(client)
            sockets.delete(socket)
            return Queue.offer(disconnects, client)
          })
        )
      )
    )
  }
  const hangUp = () => sockets.forEach((socket) => socket.destroy())
  return { protocol, take, hangUp }
})

/** For the caller's Scope, with the handlers of a contract. */
export const makeTransportOf = <Rpcs extends Rpc.Any>(
  contract: RpcGroup.RpcGroup<Rpcs>,
  requests: RequestBounds = OF_OPERATOR
) =>
  Effect.gen(function* () {
    const { hangUp, protocol, take } = yield* makeProtocol(requests)
    yield* RpcServer.make(contract, { disableFatalDefects: true, disableTracing: true }).pipe(
      Effect.provideService(RpcServer.Protocol, protocol),
      Effect.forkScoped
    )
    return { take, hangUp } satisfies Transport
  })

/** The contract of the operator. */
export const makeTransport = makeTransportOf(Control)
