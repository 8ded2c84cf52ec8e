/** A `SocketServer` whose connections somebody else has accepted: a port with several protocols hands each to its own. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as NetAddress from "effect/net/NetAddress"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import type { Duplex } from "node:stream"

export interface HandedSockets {
  readonly server: SocketServer.SocketServer["Service"]
  /** The socket belongs to the server from now on. Without a handler, it is closed. */
  readonly take: (socket: Duplex) => void
}

/** For the caller's Scope, whose end closes all of them. */
export const makeHandedSockets = Effect.gen(function* (): Effect.fn.Return<HandedSockets, never, Scope.Scope> {
  let handle = (socket: Duplex): void => void socket.destroy()
  const run = <R, E, _>(handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>) =>
    Effect.gen(function* () {
      const fork = yield* FiberSet.makeRuntime<R>()
      const before = handle
      handle = (socket) => {
        const open = Effect.acquireRelease(Effect.succeed(socket), (held) => Effect.sync(() => void held.destroy()))
        fork(
          NodeSocket.fromDuplex(open).pipe(
            Effect.flatMap(handler),
            // It has ended, or its other end sent something that is no message: it is closed either way.
            Effect.catchCause((cause) => Effect.logDebug("a connection of another node is closed", cause)),
            Effect.ensuring(Effect.sync(() => void socket.destroy()))
          )
        )
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => void (handle = before)))
      return yield* Effect.never
    }).pipe(Effect.scoped)
  return {
    server: SocketServer.SocketServer.of({
      // Nobody asks for it: the port has its own address.
      address: NetAddress.inetAddressFromIpStringUnsafe("127.0.0.1", 1),
      run
    }),
    take: (socket) => handle(socket)
  }
})
