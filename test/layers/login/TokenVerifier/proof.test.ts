import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose"
import { createHash } from "node:crypto"
import { makeProofs } from "../../../../src/layers/login/TokenVerifier/proof.ts"
import { DPOP_PROOF_AGE_S, ISSUER_SKEW_S } from "../../../../src/schemas/defaults/Clients.ts"

const URL = "https://gateway.example.com/mcp"
const TOKEN = "a-token"
const ath = createHash("sha256").update(TOKEN).digest("base64url")

/** Somebody with a key: what they send, and its thumbprint. */
const someone = Effect.promise(async () => {
  const pair = await generateKeyPair("ES256", { extractable: true })
  const jwk = await exportJWK(pair.publicKey)
  const thumbprint = await calculateJwkThumbprint(jwk)
  const made = (jti: string, iat: number) =>
    new SignJWT({ htm: "POST", htu: URL, ath, jti, iat })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .sign(pair.privateKey)
  return { thumbprint, made }
})

describe("proofs of a key", () => {
  it.effect("one key does not take the room of all others, and has room again when its proofs are too old", () =>
    Effect.gen(function* () {
      const proves = yield* makeProofs({ all: 100, each: 2 })
      const [eve, ada] = [yield* someone, yield* someone]
      const send = ({ made, thumbprint }: typeof eve, jti: string, iat = 0) =>
        Effect.flatMap(
          Effect.promise(() => made(jti, iat)),
          (proof) => proves({ scheme: "dpop", method: "POST", url: URL, token: TOKEN, proof }, thumbprint)
        )
      for (const jti of ["1", "2"]) yield* send(eve, jti)
      for (let n = 3; n < 10; n++) assert.match((yield* Effect.flip(send(eve, String(n)))).message, /too many/)
      for (const jti of ["1", "2"]) yield* send(ada, jti)
      assert.match((yield* Effect.flip(send(ada, "1"))).message, /used before/)
      const laterS = DPOP_PROOF_AGE_S + 2 * ISSUER_SKEW_S
      yield* TestClock.adjust(laterS * 1000)
      yield* send(eve, "3", laterS)
    })
  )
})
