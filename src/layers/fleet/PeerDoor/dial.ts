/** Opens a connection to another node, or says why there is none. */
import * as Effect from "effect/Effect"
import { connect, type TLSSocket } from "node:tls"
import { PEER_DIAL_MS } from "../../../schemas/defaults/FleetNodes.ts"
import type { NodeId } from "../../../schemas/fleet/Node.ts"
import { identityOf, readHint, speaksWith, type Contract, type PeerProtocol } from "../../../schemas/fleet/PeerHello.ts"
import { PeerRefused } from "../../../services/fleet/PeerDoor.ts"
import { TLS } from "./key.ts"
import { addressParts } from "./address.ts"

export interface Dialing {
  readonly address: string
  readonly key: Uint8Array
  readonly contract: Contract
  readonly from: NodeId
  readonly to: NodeId | undefined
  readonly protocol: PeerProtocol
}

const refused = (reason: PeerRefused["reason"], detail: string) => new PeerRefused({ reason, detail })

/** What a failed handshake means. */
const judged = ({ address }: Dialing, error: NodeJS.ErrnoException, other: Contract | undefined): PeerRefused => {
  const code = error.code ?? ""
  if (code === "ECONNREFUSED") return refused("gone", `nobody listens at ${address}`)
  if (code.includes("UNKNOWN_PSK_IDENTITY")) return refused("gone", `another node answers at ${address}`)
  if (code.includes("BAD_RECORD_MAC") || code.includes("DECRYPT"))
    return refused("stranger", `${address} belongs to another fleet, or has another secret`)
  if (code.includes("NO_APPLICATION_PROTOCOL"))
    return refused("version", `${address} runs a version of mcp-live that cannot be asked this`)
  if (code.startsWith("ERR_SSL") && other === undefined)
    return refused("stranger", `what answers at ${address} is not a node of a fleet`)
  return refused("silent", `${address} does not answer (${code === "" ? error.message : code})`)
}

export const dial = (dialing: Dialing): Effect.Effect<TLSSocket, PeerRefused> =>
  Effect.callback<TLSSocket, PeerRefused>((resume) => {
    const { address, contract, from, key, protocol, to } = dialing
    const place = addressParts(address)
    if (place === undefined) return resume(Effect.fail(refused("gone", `'${address}' is not an address`)))
    let other: Contract | undefined
    let mismatch = false
    const socket = connect({
      ...TLS,
      ...place,
      ALPNProtocols: [protocol],
      // The key authenticates the other end: there are no certificates.
      checkServerIdentity: () => undefined,
      pskCallback: (hint) => {
        other = readHint(hint)
        mismatch = other !== undefined && !speaksWith(contract, other)
        if (other === undefined || mismatch) return null
        return { psk: key, identity: identityOf({ ...contract, from, to }) }
      }
    })
    const failed = (error: PeerRefused) => {
      socket.destroy()
      resume(Effect.fail(error))
    }
    socket.setNoDelay(true)
    socket.once("secureConnect", () => {
      if (socket.alpnProtocol !== protocol) return failed(refused("stranger", `${address} does not speak ${protocol}`))
      socket.setKeepAlive(true, PEER_DIAL_MS)
      socket.off("close", ended)
      resume(Effect.succeed(socket))
    })
    const ended = () => failed(refused("silent", `${address} ended the connection`))
    socket.once("close", ended)
    socket.on("error", (error) =>
      failed(
        mismatch
          ? refused("version", `${address} runs a version of mcp-live that this one cannot work with`)
          : judged(dialing, error, other)
      )
    )
    return Effect.sync(() => void socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: PEER_DIAL_MS,
      orElse: () => Effect.fail(refused("silent", `${dialing.address} does not answer`))
    })
  )
