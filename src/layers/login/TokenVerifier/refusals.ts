/** Why a token is refused, in words for the operator. */
import { errors } from "jose"
import { TokenRefused } from "../../../schemas/login/TokenRefused.ts"

export const bad = (detail: string) => new TokenRefused({ fault: "invalid_token", detail })

/** A refusal that may be another one later: the token becomes valid, or its issuer gets the key. */
export const badNow = (detail: string) => new TokenRefused({ fault: "invalid_token", detail, isFinal: false })

export const NO_JWT = "it is no valid JWT"
/** Those that are accepted are named, since that is what an issuer has to write into its tokens. */
export const otherAudience = (accepted: ReadonlyArray<string>) =>
  `it is meant for another audience than ${accepted.map((one) => `"${one}"`).join(" or ")}`
const NO_KEY = "it is signed with a key that its issuer does not have"
export const NOT_YET = "it is not valid yet"
export const EXPIRED = "it has expired"
export const OTHER_ALGORITHM = "it is signed with an algorithm that is not accepted"

/** What `jose` found, in words. */
export const refusalOf = (error: unknown): TokenRefused => {
  if (error instanceof errors.JWTExpired) return bad(EXPIRED)
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === "nbf" ? badNow(NOT_YET) : bad(`its claim '${error.claim}' is missing or wrong`)
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return bad("its signature is not valid")
  if (error instanceof errors.JWKSNoMatchingKey) return badNow(NO_KEY)
  if (error instanceof errors.JOSEAlgNotAllowed) return bad(OTHER_ALGORITHM)
  return bad(NO_JWT)
}
