/**
 * The names by which a server is reached at the address that a connection came to. A request for another name may come from a page whose own
 * name was made to lead here (DNS rebinding).
 */
import type { IncomingMessage } from "node:http"
import { kindOfAddress } from "../schemas/connection/Address.ts"
import { isLoopback } from "../schemas/listener/HttpAccess.ts"
import { LOOPBACK } from "./httpServer.ts"

const USUAL_PORT = 80

/** As it stands in a URL. */
const literal = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** The host by which a client on this machine reaches it: if it listens on all addresses, the loopback. */
export const hostAt = (address: string): string => {
  if (kindOfAddress(address) !== "unspecified") return literal(address)
  return literal(address.includes(":") ? "::1" : LOOPBACK)
}

/** The names of the address that a connection came to. An IPv4 address inside of an IPv6 one is the IPv4 address. */
const namesOf = (localAddress: string): ReadonlyArray<string> => {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, "")
  return isLoopback(address) ? [literal(address), "localhost"] : [literal(address)]
}

/** What `Host` may say, in lower case. */
export const makeOwnHosts = (port: number): ((incoming: IncomingMessage) => ReadonlyArray<string>) => {
  let last: { readonly address: string; readonly hosts: ReadonlyArray<string> } | undefined
  // Most connections come to the same address.
  return ({ socket: { localAddress: address = "" } }) => {
    if (last?.address === address) return last.hosts
    const hosts = namesOf(address).flatMap((name) =>
      port === USUAL_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]
    )
    last = { address, hosts }
    return hosts
  }
}
