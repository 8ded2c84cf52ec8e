/**
 * A person proves to this gateway who they are: OpenID Connect with a code, PKCE, `state` and `nonce`. Nothing is kept of it but the subject,
 * and no token of it is used for anything else.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { jwtVerify } from "jose"
import { createHash, randomBytes } from "node:crypto"
import { ISSUER_SKEW_S } from "../../../schemas/defaults/Clients.ts"
import { TOKEN_ALGORITHMS } from "../../../schemas/login/ClientsConfig.ts"
import type { PersonLogin } from "../../../services/login/TokenVerifier.ts"
import { CLIENTS_OWNER, type SecretResolver } from "../../../services/secret/SecretResolver.ts"
import type { Issuer } from "./issuer.ts"

const random = (): string => randomBytes(32).toString("base64url")

/** A repeated parameter is not read: others may read another one of its values. */
const only = (params: URLSearchParams, name: string): string | undefined => {
  const values = params.getAll(name)
  return values.length === 1 && values[0] !== "" ? values[0] : undefined
}

const endpoint = (fields: Readonly<Record<string, unknown>>, name: string): URL | undefined => {
  const value = fields[name]
  const url = typeof value === "string" ? URL.parse(value) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.hash === "" ? url : undefined
}

const away = ({ detail }: { readonly detail: string }) => `the issuer ${detail}`

const beginLogin = Effect.fnUntraced(function* (
  issuer: Issuer,
  client: { readonly clientId: string; readonly secret: string | undefined },
  redirectUri: string,
  stateOf: (random: string) => string = (random) => random
): Effect.fn.Return<PersonLogin, string> {
  const fields = yield* Effect.mapError(issuer.metadata, away)
  const page = endpoint(fields, "authorization_endpoint")
  const tokens = endpoint(fields, "token_endpoint")
  if (page === undefined || tokens === undefined) return yield* Effect.fail("the issuer has no page for logins")
  const [state, nonce, verifier] = [stateOf(random()), random(), random()]
  const asked = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: "openid",
    state,
    nonce,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  }
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value)

  const subject = Effect.fnUntraced(function* (params: URLSearchParams): Effect.fn.Return<string, string> {
    const { issuer: name } = issuer.config
    const iss = params.has("iss") ? (only(params, "iss") ?? "") : undefined
    const namesItself = fields["authorization_response_iss_parameter_supported"] === true
    if (iss === undefined ? namesItself : iss !== name) return yield* Effect.fail("the answer is not of the issuer")
    const code = only(params, "code")
    if (code === undefined) return yield* Effect.fail("the issuer did not log anybody in")
    const { fields: answer, status } = yield* Effect.mapError(
      issuer.post(tokens, client, {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier
      }),
      away
    )
    const token = answer?.["id_token"]
    if (status !== 200 || typeof token !== "string") return yield* Effect.fail(`the issuer refuses us (HTTP ${status})`)
    const keys = yield* Effect.mapError(issuer.keys, away)
    const now = yield* Clock.currentTimeMillis
    const { payload } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(token, keys, {
          issuer: name,
          audience: client.clientId,
          algorithms: [...TOKEN_ALGORITHMS],
          clockTolerance: ISSUER_SKEW_S,
          requiredClaims: ["exp", "sub", "nonce"],
          currentDate: new Date(now)
        }),
      catch: () => "the issuer's answer is no valid ID token"
    })
    const { azp, nonce: given, sub } = payload
    if (given !== nonce || (azp !== undefined && azp !== client.clientId) || sub === undefined || sub === "") {
      return yield* Effect.fail("the issuer's ID token is not for this login")
    }
    return sub
  })
  return { url: page.href, state, subject }
})

/** Where the issuer has `login`. */
export const loginAt = (
  issuer: Issuer | undefined,
  secrets: SecretResolver["Service"],
  redirectUri: string,
  stateOf?: (random: string) => string
): Effect.Effect<PersonLogin, string> | undefined => {
  const login = issuer?.config.login
  if (issuer === undefined || login === undefined) return undefined
  const { clientId, clientSecret } = login
  const secret =
    clientSecret === undefined
      ? Effect.undefined
      : secrets.resolve(CLIENTS_OWNER, clientSecret).pipe(
          Effect.map((value) => Redacted.value(value)),
          Effect.mapError(({ detail }) => `the secret of the gateway is not available (${detail})`)
        )
  return Effect.flatMap(secret, (own) => beginLogin(issuer, { clientId, secret: own }, redirectUri, stateOf))
}
