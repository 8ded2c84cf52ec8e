/**
 * The key to which tokens are bound (RFC 9449). It is made once per server and kept with its credentials, because a bound refresh token is useless
 * without it. The session of the SDK remembers nonces.
 */
import { createHash, webcrypto } from "node:crypto"
import type { DpopSession } from "@modelcontextprotocol/client"

export const DPOP_ALGORITHM = "ES256"
const CURVE = { name: "ECDSA", namedCurve: "P-256" } as const

type StoredKey = Readonly<Record<string, unknown>>

export interface Dpop {
  readonly session: DpopSession
  /** In the format of the store. */
  readonly key: StoredKey
}

const text = (key: StoredKey, name: string): string => {
  const value = key[name]
  if (typeof value !== "string") throw new TypeError("no key")
  return value
}

/** RFC 7638: exactly these members, in this order. */
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

/** Uses the kept key, or makes a new one if there is no usable one. */
export const openDpop = (kept: StoredKey | undefined): Promise<Dpop> =>
  kept === undefined ? make() : load(kept).catch(make)
