/**
 * The port of a node, with the fleet's secret as the key of TLS. It is open for as long as the Scope is; closing it ends the connections that
 * other nodes have opened.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { AddressInfo, Server } from "node:net"
import type { TLSSocket } from "node:tls"
import { PEERS_SECRET_MIN_CHARS } from "../../schemas/defaults/Fleet.ts"
import { FleetRefused } from "../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import { OWN_CONTRACT, type Contract, type PeerProtocol } from "../../schemas/fleet/PeerHello.ts"
import { PeerDoor, PeerRefused } from "../../services/fleet/PeerDoor.ts"
import { addressParts } from "./PeerDoor/address.ts"
import { dial } from "./PeerDoor/dial.ts"
import { makeHandshakes } from "./PeerDoor/handshakes.ts"
import { keyOf } from "./PeerDoor/key.ts"
import { listen, type Listening } from "./PeerDoor/listen.ts"

export interface Options {
  /** `10.0.0.5:7731`. */
  readonly listen: string
  readonly secret: Redacted.Redacted
  /** The id of the fleet, from its database. */
  readonly fleet: string
  readonly contract?: Contract | undefined
}

const refused = (detail: string) => new FleetRefused({ detail })

const listenWords = (address: string, error: NodeJS.ErrnoException): string => {
  if (error.code === "EADDRINUSE")
    return `${address} is in use by another program; choose another port in "fleet.listen"`
  if (error.code === "EADDRNOTAVAIL")
    return `${address} is not an address of this machine; set "fleet.listen" to one, and "fleet.advertise" to the address for other nodes`
  return `cannot listen at ${address} (${error.code ?? error.message})`
}

const opened = (options: Omit<Listening, "host" | "port">, address: string) =>
  Effect.gen(function* () {
    const place = addressParts(address)
    if (place === undefined)
      return yield* refused(`"${address}" is not an address with a port; write "fleet.listen" as 10.0.0.5:7731`)
    const sockets = new Set<TLSSocket>()
    const take: Listening["take"] = (protocol, socket, from) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      options.take(protocol, socket, from)
    }
    return yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => listen({ ...options, ...place, take }),
        catch: (error) => refused(listenWords(address, error as NodeJS.ErrnoException))
      }),
      (server: Server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
  })

const make = Effect.fnUntraced(function* ({ contract = OWN_CONTRACT, fleet, listen: address, secret }: Options) {
  if (Redacted.value(secret).length < PEERS_SECRET_MIN_CHARS) {
    return yield* refused(
      `the secret of the peers is shorter than ${PEERS_SECRET_MIN_CHARS} characters; make one with: openssl rand -hex 32`
    )
  }
  const key = keyOf(Redacted.value(secret), fleet)
  const takers = new Map<PeerProtocol, (socket: TLSSocket, from: NodeId) => void>()
  const clock = yield* Clock.Clock
  const handshakes = makeHandshakes(() => clock.currentTimeMillisUnsafe())
  let self: NodeId | undefined
  const server = yield* opened(
    {
      key,
      contract,
      handshakes,
      self: () => self,
      take: (protocol, socket, from) => {
        const taker = takers.get(protocol)
        if (taker === undefined) socket.destroy()
        else taker(socket, from)
      }
    },
    address
  )
  return PeerDoor.of({
    port: (server.address() as AddressInfo).port,
    become: (node) => void (self = node),
    expect: handshakes.expect,
    accept: (protocol, taker) =>
      Effect.acquireRelease(
        Effect.sync(() => void takers.set(protocol, taker)),
        () => Effect.sync(() => void takers.delete(protocol))
      ),
    dial: (address_, to, protocol) =>
      Effect.suspend(() =>
        self === undefined
          ? Effect.fail(new PeerRefused({ reason: "silent", detail: "this node has not joined the fleet yet" }))
          : dial({ address: address_, key, contract, from: self, to, protocol })
      )
  })
})

export const layer = (options: Options): Layer.Layer<PeerDoor, FleetRefused> => Layer.effect(PeerDoor, make(options))
