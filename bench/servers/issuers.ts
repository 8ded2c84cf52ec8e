/** Two issuers: one whose tokens are JWTs, and one that is asked about other tokens. Says their addresses, and tokens to make wrong ones of, as one line. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { testIssuer } from "../../test/support/issuer.ts"
import type { Samples } from "../lib/wrongTokens.ts"

const started = () => Effect.runPromise(Scope.provide(testIssuer, Scope.makeUnsafe()))

const [jwt, asked] = [await started(), await started()]
const token = (claims: object) => jwt.token({ scope: "mcp", ...claims })
const samples: Samples = {
  good: await token({}),
  expired: await token({ iat: 0, exp: 3600 }),
  otherAudience: await token({ aud: "https://other.example.com/mcp" }),
  otherIssuer: await token({ iss: "https://other.example.com" })
}
process.stdout.write(`${JSON.stringify({ jwt: jwt.issuer, asked: asked.issuer, samples })}\n`)
