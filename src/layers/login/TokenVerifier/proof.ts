/** DPoP (RFC 9449): the proof of a client that it holds the key that its token is bound to. Each proof counts once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from "jose"
import { createHash } from "node:crypto"
import {
  ACCESS_TOKEN_MAX_CHARS,
  DPOP_PROOF_AGE_S,
  DPOP_PROOFS_MAX,
  ISSUER_SKEW_S
} from "../../../schemas/defaults/Clients.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { TOKEN_ALGORITHMS } from "../../../schemas/login/ClientsConfig.ts"
import { TokenRefused } from "../../../schemas/login/TokenRefused.ts"
import type { Presented } from "../../../services/login/TokenVerifier.ts"

/** What a token says of the key that it is bound to (RFC 7800). */
export const boundTo = (claims: Readonly<Record<string, unknown>>): string | undefined => {
  const confirmation = claims["cnf"]
  const thumbprint = isObject(confirmation) ? confirmation["jkt"] : undefined
  return typeof thumbprint === "string" ? thumbprint : undefined
}

const bad = (detail: string) => new TokenRefused({ fault: "invalid_dpop_proof", detail: `its DPoP proof ${detail}` })

const sameAddress = (given: unknown, expected: string): boolean => {
  const url = typeof given === "string" ? URL.parse(given) : null
  return url !== null && `${url.origin}${url.pathname}` === expected
}

export const makeProofs = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  /** Proofs that were used, the oldest first, with when each stops to be valid anyway. */
  const used = new Map<string, number>()

  /** A proof that is forgotten too early could be used again, so a new one is refused instead. */
  const isNew = (id: string, now: number): boolean => {
    for (const [known, until] of used) {
      if (until > now) break
      used.delete(known)
    }
    if (used.has(id) || used.size >= DPOP_PROOFS_MAX) return false
    used.set(id, now + (DPOP_PROOF_AGE_S + 2 * ISSUER_SKEW_S) * 1000)
    return true
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
    if (!isNew(id, now)) return yield* bad("was used before")
  })
})
