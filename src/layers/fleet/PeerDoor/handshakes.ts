/**
 * Which connections may begin a handshake. It costs far more than to open a connection, so strangers get few: at a time, and a minute, of each
 * sender (an IPv4 address, or the /64 of an IPv6 address) and of all. The addresses of nodes do not count with them: those in the table of nodes, and those from which somebody has proved the secret.
 */
import { isIP, isIPv6, SocketAddress, type Socket } from "node:net"
import { networkOf } from "../../../schemas/connection/SenderNetwork.ts"
import { fullBucket, takeToken, type TokenBucket } from "../../../schemas/call/TokenBucket.ts"
import { addNewest, makeRecent } from "../../../schemas/data/Newest.ts"
import {
  PEER_ADDRESSES_MAX,
  PEER_HANDSHAKES_MAX,
  PEER_HANDSHAKES_OF_ADDRESS_MAX,
  STRANGERS_BURST,
  STRANGERS_OF_ADDRESS_BURST,
  STRANGERS_OF_ADDRESS_PER_MINUTE,
  STRANGERS_PER_MINUTE
} from "../../../schemas/defaults/FleetNodes.ts"
import { addressParts } from "./address.ts"

const OF_ADDRESS = { burst: STRANGERS_OF_ADDRESS_BURST, perMinute: STRANGERS_OF_ADDRESS_PER_MINUTE }
const OF_ALL = { burst: STRANGERS_BURST, perMinute: STRANGERS_PER_MINUTE }

const MAPPED = "::ffff:"

/** One way to write an address; `undefined` for a name. */
const addressOf = (host: string): string | undefined => {
  const plain = host.toLowerCase().startsWith(MAPPED) && host.includes(".") ? host.slice(MAPPED.length) : host
  if (isIP(plain) === 0) return undefined
  return new SocketAddress({ address: plain, family: isIPv6(plain) ? "ipv6" : "ipv4" }).address
}

/** The other end of a connection, the same below TLS and above. */
const endOf = ({ remoteAddress = "", remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`

export interface Handshakes {
  /** Whether this connection may begin one. It is under way until it is completed, or the connection ends. */
  readonly begin: (socket: Socket) => boolean
  readonly completed: (socket: Socket) => void
  /** The addresses of all other nodes. */
  readonly expect: (addresses: ReadonlyArray<string>) => void
}

export const makeHandshakes = (now: () => number): Handshakes => {
  const underWay = new Map<string, () => void>()
  /** Of strangers, and of nodes. */
  const counts = { strangers: 0, ofSender: new Map<string, number>() }
  const buckets = makeRecent<TokenBucket>(PEER_ADDRESSES_MAX)
  const ofAll = fullBucket(OF_ALL, now())
  const proved = new Set<string>()
  let expected: ReadonlySet<string> = new Set()

  const isNode = (address: string): boolean => expected.has(address) || proved.has(address)

  const mayBegin = (sender: string, isKnown: boolean): boolean => {
    const same = counts.ofSender.get(sender) ?? 0
    if (isKnown) return same < PEER_HANDSHAKES_MAX
    return (
      counts.strangers < PEER_HANDSHAKES_MAX &&
      same < PEER_HANDSHAKES_OF_ADDRESS_MAX &&
      takeToken(
        buckets(sender, () => fullBucket(OF_ADDRESS, now())),
        now()
      ) &&
      takeToken(ofAll, now())
    )
  }

  return {
    begin: (socket) => {
      const [end, address] = [endOf(socket), addressOf(socket.remoteAddress ?? "") ?? ""]
      const isKnown = isNode(address)
      // Nodes may share a network with strangers, whose connections do not count with theirs.
      const sender = isKnown ? address : networkOf(address)
      if (!mayBegin(sender, isKnown)) return false
      const strangers = isKnown ? 0 : 1
      counts.strangers += strangers
      counts.ofSender.set(sender, (counts.ofSender.get(sender) ?? 0) + 1)
      const ended = () => {
        if (underWay.get(end) !== ended) return
        underWay.delete(end)
        counts.strangers -= strangers
        const left = (counts.ofSender.get(sender) ?? 1) - 1
        if (left === 0) counts.ofSender.delete(sender)
        else counts.ofSender.set(sender, left)
      }
      underWay.get(end)?.()
      underWay.set(end, ended)
      socket.once("close", ended)
      return true
    },
    completed: (socket) => {
      underWay.get(endOf(socket))?.()
      const address = addressOf(socket.remoteAddress ?? "")
      if (address !== undefined) addNewest(proved, address, PEER_ADDRESSES_MAX)
    },
    expect: (addresses) => {
      const hosts = addresses.map((one) => addressOf(addressParts(one)?.host ?? ""))
      expected = new Set(hosts.filter((host) => host !== undefined))
    }
  }
}
