/** Listens for other nodes. Who is no node of this fleet is hung up on, and cannot keep others out by that. */
import { createServer, type Server } from "node:net"
import { createServer as createTlsServer, type TLSSocket } from "node:tls"
import { PEER_CONNECTIONS_MAX, PEER_HANDSHAKE_MS } from "../../../schemas/defaults/FleetNodes.ts"
import { isSameNode, type NodeId } from "../../../schemas/fleet/Node.ts"
import {
  hintOf,
  PEER_PROTOCOLS,
  readIdentity,
  speaksWith,
  type Contract,
  type PeerProtocol
} from "../../../schemas/fleet/PeerHello.ts"
import type { Handshakes } from "./handshakes.ts"
import { TLS } from "./key.ts"

export interface Listening {
  readonly host: string
  readonly port: number
  readonly key: Uint8Array
  readonly contract: Contract
  readonly handshakes: Handshakes
  readonly self: () => NodeId | undefined
  readonly take: (protocol: PeerProtocol, socket: TLSSocket, from: NodeId) => void
}

export const listen = ({ contract, handshakes, host, key, port, self, take }: Listening): Promise<Server> => {
  const callers = new WeakMap<TLSSocket, NodeId>()
  const secure = createTlsServer({
    ...TLS,
    handshakeTimeout: PEER_HANDSHAKE_MS,
    ALPNProtocols: [...PEER_PROTOCOLS],
    pskIdentityHint: hintOf(contract),
    pskCallback: (socket, identity) => {
      const hello = readIdentity(identity)
      const me = self()
      if (hello === undefined || me === undefined || !speaksWith(contract, hello)) return null
      if (hello.to !== undefined && !isSameNode(hello.to, me)) return null
      callers.set(socket, hello.from)
      return key
    }
  })
  secure.on("tlsClientError", (_error, socket) => socket.destroy())
  secure.on("secureConnection", (socket) => {
    socket.on("error", () => {})
    handshakes.completed(socket)
    const from = callers.get(socket)
    const protocol = PEER_PROTOCOLS.find((name) => name === socket.alpnProtocol)
    if (from === undefined || protocol === undefined) return void socket.destroy()
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PEER_HANDSHAKE_MS)
    take(protocol, socket, from)
  })
  // Whoever may not begin a handshake costs no more than the connection.
  const server = createServer((socket) => {
    if (handshakes.begin(socket)) secure.emit("connection", socket)
    else socket.destroy()
  })
  server.maxConnections = PEER_CONNECTIONS_MAX
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host, port }, () => resolve(server.off("error", reject).on("error", () => {})))
  })
}
