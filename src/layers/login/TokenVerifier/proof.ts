/** DPoP (RFC 9449): the proof of a client that it holds the key that its token is bound to. Each proof counts once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose"
import { createHash } from "node:crypto"
import {
  ACCESS_TOKEN_MAX_CHARS,
  DPOP_PROOF_AGE_S,
  DPOP_PROOFS_EACH_MAX,
  DPOP_PROOFS_MAX,
  ISSUER_SKEW_S
} from "../../../schemas/defaults/Clients.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { TOKEN_ALGORITHMS } from "../../../schemas/login/ClientsConfig.ts"
import { TokenRefused } from "../../../schemas/login/TokenRefused.ts"
import type { Presented } from "../../../services/login/TokenVerifier.ts"

/**
 * What a token says of the key that it is bound to (RFC 7800). `unknown`: it is bound to something else, such as a certificate (RFC 8705),
 * and whoever sends it cannot show here that it is theirs.
 */
export const boundTo = (
  claims: Readonly<Record<string, unknown>>
): { readonly thumbprint: string | undefined } | "unknown" => {
  const confirmation = claims["cnf"]
  if (confirmation === undefined) return { thumbprint: undefined }
  const thumbprint = isObject(confirmation) ? confirmation["jkt"] : undefined
  return typeof thumbprint === "string" ? { thumbprint } : "unknown"
}

const bad = (detail: string) => new TokenRefused({ fault: "invalid_dpop_proof", detail: `its DPoP proof ${detail}` })

const sameAddress = (given: unknown, expected: string): boolean => {
  const url = typeof given === "string" ? URL.parse(given) : null
  return url !== null && `${url.origin}${url.pathname}` === expected
}

/** How many proofs are remembered: of all keys, and of one. */
const ROOM = { all: DPOP_PROOFS_MAX, each: DPOP_PROOFS_EACH_MAX }

export const makeProofs = Effect.fnUntraced(function* (room = ROOM) {
  const clock = yield* Clock.Clock
  /** Proofs that were used, the oldest first, with when each stops to be valid anyway. */
  const used = new Map<string, { readonly until: number; readonly key: string }>()
  /** How many of them each key has made. */
  const counts = new Map<string, number>()

  const count = (key: string, change: number): void => {
    const next = (counts.get(key) ?? 0) + change
    if (next === 0) counts.delete(key)
    else counts.set(key, next)
  }

  /** A proof that is forgotten too early could be used again, so a new one is refused instead; one key does not take the room of all. */
  const problemOf = (id: string, key: string, now: number): string | undefined => {
    for (const [known, { key: maker, until }] of used) {
      if (until > now) break
      used.delete(known)
      count(maker, -1)
    }
    if (used.has(id)) return "was used before"
    if (used.size >= room.all || (counts.get(key) ?? 0) >= room.each) {
      return "is one too many for now"
    }
    used.set(id, { until: now + (DPOP_PROOF_AGE_S + 2 * ISSUER_SKEW_S) * 1000, key })
    count(key, 1)
    return undefined
  }

  return Effect.fnUntraced(function* ({ method, proof, token, url }: Presented, thumbprint: string) {
    if (proof === undefined) return yield* bad("is missing")
    if (proof.length > ACCESS_TOKEN_MAX_CHARS) return yield* bad("is too long")
    const now = clock.currentTimeMillisUnsafe()
    const { payload, protectedHeader } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(proof, EmbeddedJWK, {
          typ: "dpop+jwt",
          algorithms: [...TOKEN_ALGORITHMS],
          maxTokenAge: DPOP_PROOF_AGE_S,
          clockTolerance: ISSUER_SKEW_S,
          currentDate: new Date(now)
        }),
      catch: () => bad("has no valid signature, or is too old")
    })
    const { jwk } = protectedHeader
    if (jwk === undefined || "d" in jwk) return yield* bad("has no public key")
    if (payload["htm"] !== method) return yield* bad("is for another method")
    if (!sameAddress(payload["htu"], url)) return yield* bad("is for another address")
    if (payload["ath"] !== createHash("sha256").update(token).digest("base64url"))
      return yield* bad("is for another token")
    const own = yield* Effect.tryPromise({
      try: () => calculateJwkThumbprint(jwk),
      catch: () => bad("has no public key")
    })
    if (own !== thumbprint) return yield* bad("is made with another key")
    if (typeof payload.jti !== "string" || payload.jti === "") return yield* bad("has no name (jti)")
    const id = createHash("sha256").update(`${thumbprint}\n${payload.jti}`).digest("base64url")
    const problem = problemOf(id, thumbprint, now)
    if (problem !== undefined) return yield* bad(problem)
  })
})
