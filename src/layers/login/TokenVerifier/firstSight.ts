/**
 * What is wrong with a token at first sight: before a signature is checked or an issuer is asked, so whoever sends many of them costs little.
 * Such a token is wrong, whoever has signed it.
 */
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose"
import { ACCESS_TOKEN_MAX_CHARS, ISSUER_SKEW_S } from "../../../schemas/defaults/Clients.ts"
import { TOKEN_ALGORITHMS, type IssuerConfig } from "../../../schemas/login/ClientsConfig.ts"
import type { TokenRefused } from "../../../schemas/login/TokenRefused.ts"
import type { Issuer } from "./issuer.ts"
import { bad, EXPIRED, NO_JWT, OTHER_ALGORITHM, otherAudience } from "./refusals.ts"
import { JWT, TOKEN, TYPES } from "./tokenShape.ts"

/** A JWT that may be right. */
export interface Plausible {
  readonly issuer: Issuer
  readonly said: JWTPayload
  readonly algorithms: Array<string>
}

/** Made once: an error costs more than all that is looked at here. */
const REFUSED = {
  noToken: bad("it is not a token"),
  nobodyAsked: bad("it is no JWT, and no issuer is asked about other tokens"),
  noJwt: bad(NO_JWT),
  issuer: bad("its issuer is not one of the configuration"),
  type: bad("it is no access token"),
  algorithm: bad(OTHER_ALGORITHM),
  expired: bad(EXPIRED)
}

export const audienceOf = ({ audience }: IssuerConfig, resource: string): ReadonlyArray<string> =>
  audience === undefined ? [resource] : typeof audience === "string" ? [audience] : audience

export const isMeantFor = (given: unknown, audience: ReadonlyArray<string>): boolean => {
  const meant: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  return audience.some((one) => meant.includes(one))
}

const decoded = (token: string) => {
  try {
    return { header: decodeProtectedHeader(token), said: decodeJwt(token) }
  } catch {
    return undefined
  }
}

/** `"opaque"`: only an issuer can judge it. */
export const makeFirstSight = (issuers: ReadonlyArray<Issuer>, resource: string, now: () => number) => {
  const audiences = new Map(
    issuers.map((issuer) => {
      const accepted = audienceOf(issuer.config, resource)
      return [issuer, { accepted, refused: bad(otherAudience(accepted)) }]
    })
  )
  return (token: string): Plausible | TokenRefused | "opaque" => {
    if (token.length > ACCESS_TOKEN_MAX_CHARS || !TOKEN.test(token)) return REFUSED.noToken
    if (!JWT.test(token)) {
      return issuers.some(({ config }) => config.introspection !== undefined) ? "opaque" : REFUSED.nobodyAsked
    }
    const found = decoded(token)
    if (found === undefined) return REFUSED.noJwt
    const { header, said } = found
    const issuer = issuers.find(({ config }) => config.issuer === said.iss)
    if (issuer === undefined) return REFUSED.issuer
    if (!TYPES.has(String(header.typ ?? "").toLowerCase())) return REFUSED.type
    const algorithms = [...(issuer.config.algorithms ?? TOKEN_ALGORITHMS)]
    if (!algorithms.some((one) => one === header.alg)) return REFUSED.algorithm
    const { accepted, refused } = audiences.get(issuer)!
    if (!isMeantFor(said.aud, accepted)) return refused
    if (typeof said.exp === "number" && (said.exp + ISSUER_SKEW_S) * 1000 <= now()) return REFUSED.expired
    return { issuer, said, algorithms }
  }
}
