/** Listens for other nodes. Who is no node of this fleet is hung up on, and cannot keep others out by that. */
import { createServer, type Server, type TLSSocket } from "node:tls"
import type { Socket } from "node:net"
import {
  PEER_CONNECTIONS_MAX,
  PEER_HANDSHAKE_MS,
  PEER_HANDSHAKES_MAX,
  PEER_HANDSHAKES_OF_ADDRESS_MAX
} from "../../../schemas/defaults/FleetNodes.ts"
import { isSameNode, type NodeId } from "../../../schemas/fleet/Node.ts"
import {
  hintOf,
  PEER_PROTOCOLS,
  readIdentity,
  speaksWith,
  type Contract,
  type PeerProtocol
} from "../../../schemas/fleet/PeerHello.ts"
import { TLS } from "./key.ts"

export interface Listening {
  readonly host: string
  readonly port: number
  readonly key: Uint8Array
  readonly contract: Contract
  readonly self: () => NodeId | undefined
  readonly take: (protocol: PeerProtocol, socket: TLSSocket, from: NodeId) => void
}

/** The other end of a connection, the same below TLS and above. */
const endOf = ({ remoteAddress = "", remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

/** Bounds the handshakes under way, in all and for each address. */
const boundHandshakes = (server: Server): void => {
  const underWay = new Map<string, () => void>()
  const ofAddress = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const [end, address = ""] = [endOf(socket), socket.remoteAddress]
    const same = ofAddress.get(address) ?? 0
    if (underWay.size >= PEER_HANDSHAKES_MAX || same >= PEER_HANDSHAKES_OF_ADDRESS_MAX) return void socket.destroy()
    ofAddress.set(address, same + 1)
    const ended = () => {
      if (!underWay.delete(end)) return
      const left = (ofAddress.get(address) ?? 1) - 1
      if (left === 0) ofAddress.delete(address)
      else ofAddress.set(address, left)
    }
    underWay.set(end, ended)
    socket.once("close", ended)
  })
  server.on("secureConnection", (socket: TLSSocket) => underWay.get(endOf(socket))?.())
}

export const listen = ({ contract, host, key, port, self, take }: Listening): Promise<Server> => {
  const callers = new WeakMap<TLSSocket, NodeId>()
  const server = createServer({
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
  server.maxConnections = PEER_CONNECTIONS_MAX
  boundHandshakes(server)
  server.on("tlsClientError", (_error, socket) => socket.destroy())
  server.on("secureConnection", (socket) => {
    socket.on("error", () => {})
    const from = callers.get(socket)
    const protocol = PEER_PROTOCOLS.find((name) => name === socket.alpnProtocol)
    if (from === undefined || protocol === undefined) return void socket.destroy()
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PEER_HANDSHAKE_MS)
    take(protocol, socket, from)
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host, port }, () => resolve(server.off("error", reject).on("error", () => {})))
  })
}
