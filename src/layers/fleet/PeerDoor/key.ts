/** The key of a fleet: from its secret and its id, so that two fleets with the same secret have different keys. */
import { constants, hkdfSync } from "node:crypto"
import type { ConnectionOptions } from "node:tls"

export const keyOf = (secret: string, fleet: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, fleet, "mcp-live peers", 32))

/**
 * TLS 1.2 with one cipher: the key alone authenticates, and an exchange of fresh keys keeps recorded connections secret if it becomes known.
 * Nothing is resumed or negotiated again, so that each connection is judged.
 */
export const TLS = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION
} as const satisfies ConnectionOptions
