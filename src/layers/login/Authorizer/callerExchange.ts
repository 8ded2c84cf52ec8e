/**
 * A company's identity provider vouches for the person of a call, by the access token that they brought (enterprise-managed authorization with
 * RFC 8693). The library's own request takes an ID token, which no client sends here.
 */
import * as Effect from "effect/Effect"
import { isObject } from "../../../schemas/data/Json.ts"
import { TOKEN_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import type { EnterpriseConfig } from "../../../schemas/login/OAuthConfig.ts"
import { later, refused, unanswered, type AuthProblem } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"

export interface Vouching {
  readonly supplied: Supplied
  readonly endpoint: string | URL
  readonly enterprise: EnterpriseConfig
  readonly clientSecret: string | undefined
  readonly subjectToken: string
  readonly audience: string
  readonly resource: string | undefined
  readonly scopes: ReadonlyArray<string>
}

/** An assertion for the authorization server of the MCP server. */
export const assertionForCaller = (asked: Vouching): Effect.Effect<string, AuthProblem> =>
  Effect.gen(function* () {
    const { audience, clientSecret, endpoint, enterprise, resource, scopes, subjectToken, supplied } = asked
    const form = new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: ID_JAG,
      audience,
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      client_id: enterprise.idpClientId,
      ...(resource === undefined ? {} : { resource }),
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") })
    })
    const { answer, status } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await supplied.fetch(endpoint, {
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
          body: form.toString(),
          signal
        })
        const read: unknown = await response.json().catch(() => undefined)
        return { answer: read, status: response.status }
      },
      catch: unanswered
    })
    if (status !== 200) {
      const words = `the identity provider does not vouch for the person of this call (HTTP ${status})`
      return yield* status >= 500 || status === 429 ? later(words) : refused(words)
    }
    const token = isObject(answer) && answer["issued_token_type"] === ID_JAG ? answer["access_token"] : undefined
    return typeof token === "string" && token.length <= TOKEN_MAX_CHARS && /^[\x21-\x7e]+$/.test(token)
      ? token
      : yield* refused("the identity provider's answer is no assertion")
  })
