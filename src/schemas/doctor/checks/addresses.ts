/** Addresses that do not answer, with what the network or the certificate says. */
import { CERTIFICATE_WORDS, type CertificateProblem, certificateProblem } from "../../connection/Certificates.ts"
import type { AddressFacts, Check, Facts } from "../Facts.ts"

interface Told {
  readonly id: string
  readonly what: string
  readonly mend: string
}

const NO_NAME: Told = {
  id: "address-unknown",
  what: "Its host name cannot be resolved.",
  mend: 'Check "url", and whether this machine is online or needs a VPN.'
}
const NOT_TLS: Told = {
  id: "address-no-tls",
  what: "It does not speak TLS there.",
  mend: 'Write http:// instead of https:// in "url", if it is on this machine; otherwise check the port.'
}
const NO_WAY: Told = {
  id: "address-unreachable",
  what: "Its network cannot be reached.",
  mend: "Check the connection of this machine, its VPN and its firewall."
}
const SILENT: Told = {
  id: "address-silent",
  what: "It does not accept connections.",
  mend: "Check the port, and whether a firewall drops what is sent there."
}

const BY_CODE: Readonly<Record<string, Told>> = {
  ECONNREFUSED: {
    id: "address-refused",
    what: "Nobody listens there (connection refused).",
    mend: 'Start the server, or correct the port in "url".'
  },
  ECONNRESET: {
    id: "address-reset",
    what: "It breaks the connection off.",
    mend: "Look at the server's own log, and at a proxy or firewall between here and there."
  },
  ENOTFOUND: NO_NAME,
  EAI_AGAIN: NO_NAME,
  ETIMEDOUT: SILENT,
  UND_ERR_CONNECT_TIMEOUT: SILENT,
  TIMEOUT: SILENT,
  ENETUNREACH: NO_WAY,
  EHOSTUNREACH: NO_WAY,
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS
}

const CERTIFICATE_MENDS: Readonly<Record<CertificateProblem, string>> = {
  expired: "Whoever runs the server must renew it; check the clock of this machine as well.",
  early: "Check the clock of this machine, then ask whoever runs the server.",
  revoked: "Ask whoever runs the server; do not use it until then.",
  name: 'Write the host of the certificate in "url".',
  untrusted:
    "If it is your own authority: NODE_EXTRA_CA_CERTS=/path/to/authority.pem mcp-live … (a proxy that reads all traffic needs its authority there, too)"
}

/** Failures behind which there may be a network that only a proxy leaves. */
const PERHAPS_PROXY = new Set([NO_NAME, NO_WAY, SILENT])

const toldOf = ({ code, status }: AddressFacts): Told | undefined => {
  if (status === 407)
    return {
      id: "address-proxy",
      what: "A proxy between here and there wants credentials (HTTP 407).",
      mend: "mcp-live does not use proxies for HTTP servers: ask for a way around the proxy to this address."
    }
  if (code === undefined) return undefined
  const problem = certificateProblem(code)
  if (problem !== undefined)
    return {
      id: `certificate-${problem}`,
      what: `Its certificate ${CERTIFICATE_WORDS[problem]}.`,
      mend: CERTIFICATE_MENDS[problem]
    }
  return Object.hasOwn(BY_CODE, code)
    ? BY_CODE[code]
    : { id: "address-failed", what: `It cannot be reached (${code}).`, mend: 'Check "url" and the network.' }
}

const proxyHint = (told: Told, proxies: Facts["proxies"]): string =>
  PERHAPS_PROXY.has(told) && proxies.length > 0
    ? ` ${proxies.join(", ")} is set here, and mcp-live does not use proxies for HTTP servers.`
    : ""

export const addresses: Check = ({ proxies, servers }) =>
  servers.flatMap(({ address, config: { name: server } }) => {
    const told = address === undefined ? undefined : toldOf(address)
    if (told === undefined) return []
    return [
      {
        id: told.id,
        severity: "error",
        server,
        what: `${address!.origin}: ${told.what}`,
        why: "The server cannot be used.",
        mend: `${told.mend}${proxyHint(told, proxies)}`
      }
    ]
  })
