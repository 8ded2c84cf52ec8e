/**
 * The key that tokens are bound to (RFC 9449), made once per server and kept with its credentials: a refresh token that is
 * bound to it is worth nothing without. Nonces are remembered by the SDK's session.
 */
import { createHash, webcrypto } from "node:crypto"
import type { DpopSession } from "@modelcontextprotocol/client"

export const DPOP_ALGORITHM = "ES256"
const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const

type StoredKey = Readonly<Record<string, unknown>>

export interface Dpop {
  readonly session: DpopSession
  /** As it is kept. */
  readonly key: StoredKey
}

const text = (key: StoredKey, name: string): string => {
  const value = key[name]
  if (typeof value !== "string") throw new TypeError("no key")
  return value
}

/** RFC 7638: members in this order and nothing else. */
const thumbprintOf = (crv: string, x: string, y: string): string =>
  createHash("sha256")
    .update(JSON.stringify({ crv, kty: "EC", x, y }))
    .digest("base64url")

const load = async (key: StoredKey): Promise<Dpop> => {
  const [d, x, y] = [text(key, "d"), text(key, "x"), text(key, "y")]
  const publicJwk = { kty: "EC", crv: CURVE.namedCurve, x, y }
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey("jwk", { ...publicJwk, d }, CURVE, false, ["sign"]),
    webcrypto.subtle.importKey("jwk", publicJwk, CURVE, true, ["verify"])
  ])
  const { DpopSession } = await import("@modelcontextprotocol/client")
  const thumbprint = thumbprintOf(CURVE.namedCurve, x, y)
  const keyPair = { privateKey, publicKey, publicJwk, thumbprint, alg: DPOP_ALGORITHM } as const
  const session = await DpopSession.create({ keyPair })
  return { session, key: { ...publicJwk, d } }
}

const make = async (): Promise<Dpop> => {
  const { privateKey } = await webcrypto.subtle.generateKey(CURVE, true, ["sign", "verify"])
  return load({ ...(await webcrypto.subtle.exportKey("jwk", privateKey)) })
}

/** With the key that is kept, or a new one where there is none that can be used. */
export const openDpop = (kept: StoredKey | undefined): Promise<Dpop> =>
  kept === undefined ? make() : load(kept).catch(make)
