/**
 * What two nodes say of themselves in the TLS handshake: the client in the identity of its key, the server in its hint. Both are short texts
 * without secrets. A node of a contract that the other does not speak is refused there, and so is a connection that was meant for another
 * incarnation.
 */
import { FLEET_CONTRACT } from "../defaults/Fleet.ts"
import { FLEET_CONTRACT_OLDEST } from "../defaults/FleetNodes.ts"
import { NODE_NAME, type NodeId } from "./Node.ts"

/** What a connection is for. Each is a protocol of its own (ALPN). */
export const PEER_PROTOCOLS = [
  "mcp-live-rpc",
  "mcp-live-watch",
  "mcp-live-control",
  "mcp-live-person",
  "http/1.1"
] as const
export type PeerProtocol = (typeof PEER_PROTOCOLS)[number]

/** The contract of a node, and the oldest one that it still speaks. */
export interface Contract {
  readonly contract: number
  readonly oldest: number
}

export const OWN_CONTRACT: Contract = { contract: FLEET_CONTRACT, oldest: FLEET_CONTRACT_OLDEST }

/** Whether there is a contract that both speak. */
export const speaksWith = (one: Contract, other: Contract): boolean =>
  Math.max(one.oldest, other.oldest) <= Math.min(one.contract, other.contract)

export interface PeerHello extends Contract {
  readonly from: NodeId
  /** The incarnation that is meant; `undefined` when only the address is known. */
  readonly to: NodeId | undefined
}

const PREFIX = "mcp-live"
const NUMBER = /^[0-9]{1,9}$/
const INCARNATION = /^[a-z0-9-]{1,36}$/
const NOBODY = "-"

const contractText = ({ contract, oldest }: Contract): string => `${PREFIX}/${contract}/${oldest}`

const contractOf = (contract = "", oldest = ""): Contract | undefined =>
  NUMBER.test(contract) && NUMBER.test(oldest) ? { contract: Number(contract), oldest: Number(oldest) } : undefined

const nodeOf = (name = "", incarnation = ""): NodeId | undefined =>
  NODE_NAME.test(name) && INCARNATION.test(incarnation) ? { name, incarnation } : undefined

/** The hint of a server: less than a stranger learns from the program's own release notes. */
export const hintOf: (contract: Contract) => string = contractText

export const readHint = (hint: string | null): Contract | undefined => {
  const [prefix, contract, oldest, ...more] = (hint ?? "").split("/")
  return prefix === PREFIX && more.length === 0 ? contractOf(contract, oldest) : undefined
}

export const identityOf = ({ from, to, ...contract }: PeerHello): string =>
  [
    contractText(contract),
    from.name,
    from.incarnation,
    ...(to === undefined ? [NOBODY, NOBODY] : [to.name, to.incarnation])
  ].join("/")

export const readIdentity = (identity: string): PeerHello | undefined => {
  const [prefix, contract, oldest, name, incarnation, toName, toIncarnation, ...more] = identity.split("/")
  const spoken = contractOf(contract, oldest)
  const from = nodeOf(name, incarnation)
  const isForAny = toName === NOBODY && toIncarnation === NOBODY
  const to = isForAny ? undefined : nodeOf(toName, toIncarnation)
  if (prefix !== PREFIX || more.length > 0 || spoken === undefined || from === undefined) return undefined
  return to === undefined && !isForAny ? undefined : { ...spoken, from, to }
}
