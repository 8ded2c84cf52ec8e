/** Why a client with an access token is not let in. The client is told the code of the standard, the operator the reason. */
import * as Schema from "effect/Schema"

/** The codes of RFC 6750 §3.1 and RFC 9449 §12.2. */
export const TOKEN_FAULTS = ["invalid_token", "insufficient_scope", "invalid_dpop_proof"] as const
export type TokenFault = (typeof TOKEN_FAULTS)[number]

export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  fault: Schema.Literals(TOKEN_FAULTS),
  /** For the operator: which check refused it, in our own words. */
  detail: Schema.String,
  /** The scopes that are missing or needed. */
  scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `false` if the same token may be good later. */
  isFinal: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.detail
  }
}

/** The issuer cannot be asked now, so nobody is let in who is not known yet. */
export class IssuerAway extends Schema.TaggedError<IssuerAway>()("IssuerAway", {
  issuer: Schema.String,
  detail: Schema.String,
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `the issuer ${this.issuer} ${this.detail}`
  }
}

/** So many tokens of this sender (an IPv4 address, or the /64 network of an IPv6 address) were wrong that one which is not known yet is not checked for now. */
export class TokenUnchecked extends Schema.TaggedError<TokenUnchecked>()("TokenUnchecked", {
  from: Schema.String,
  retryInMs: Schema.Finite
}) {
  override get message() {
    return `new tokens from ${this.from} are checked at a limited rate, because so many were wrong`
  }
}
