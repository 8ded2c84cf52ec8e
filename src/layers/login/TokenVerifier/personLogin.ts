/**
 * A person proves to this gateway who they are: OpenID Connect with a code, PKCE, `state` and `nonce`. Of a login for an account, nothing is kept
 * but the subject, and no token of it is used; a login on the page is for an access token for this gateway.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { jwtVerify } from "jose"
import { createHash, randomBytes } from "node:crypto"
import { ISSUER_SKEW_S } from "../../../schemas/defaults/Clients.ts"
import { notLoggedIn } from "../../../schemas/login/LoginAnswer.ts"
import { TOKEN_ALGORITHMS } from "../../../schemas/login/ClientsConfig.ts"
import type { PageLogins, PersonLogin, Verified } from "../../../services/login/TokenVerifier.ts"
import type { IssuerAway } from "../../../schemas/login/TokenRefused.ts"
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

const away = ({ message }: IssuerAway) => message

interface Client {
  readonly clientId: string
  readonly secret: string | undefined
}

interface Begun {
  readonly url: string
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
}

interface Wanted {
  readonly scope: string
  readonly redirectUri: string
  /** What the access token is for (RFC 8707). */
  readonly resource?: string | undefined
  readonly stateOf?: ((random: string) => string) | undefined
}

const endpointsOf = Effect.fnUntraced(function* (issuer: Issuer) {
  const fields = yield* Effect.mapError(issuer.metadata, away)
  const page = endpoint(fields, "authorization_endpoint")
  const tokens = endpoint(fields, "token_endpoint")
  if (page === undefined || tokens === undefined) return yield* Effect.fail("the issuer has no page for logins")
  return { fields, page, tokens }
})

const withResource = (resource: string | undefined) => (resource === undefined ? {} : { resource })

const beginCode = Effect.fnUntraced(function* (
  issuer: Issuer,
  { clientId }: Client,
  { redirectUri, resource, scope, stateOf = (name) => name }: Wanted
): Effect.fn.Return<Begun, string> {
  const { page } = yield* endpointsOf(issuer)
  const [state, nonce, verifier] = [stateOf(random()), random(), random()]
  const asked = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...withResource(resource)
  }
  for (const [name, value] of Object.entries(asked)) page.searchParams.set(name, value)
  return { url: page.href, state, nonce, verifier }
})

/** Exchanges the code of an answer whose `state` has been checked. The answer has to be of this issuer (RFC 9207). */
const redeemCode = Effect.fnUntraced(function* (
  issuer: Issuer,
  client: Client,
  { nonce, verifier }: Pick<Begun, "nonce" | "verifier">,
  { redirectUri, resource }: Pick<Wanted, "redirectUri" | "resource">,
  params: URLSearchParams
) {
  const { fields, tokens } = yield* endpointsOf(issuer)
  const { issuer: name } = issuer.config
  const iss = params.has("iss") ? (only(params, "iss") ?? "") : undefined
  const namesItself = fields["authorization_response_iss_parameter_supported"] === true
  if (iss === undefined ? namesItself : iss !== name) return yield* Effect.fail("the answer is not of the issuer")
  const code = only(params, "code")
  if (code === undefined) return yield* Effect.fail(notLoggedIn(only(params, "error")))
  const { fields: answer, status } = yield* Effect.mapError(
    issuer.post(tokens, client, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...withResource(resource)
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
  const access = answer?.["access_token"]
  return { subject: sub, token: typeof access === "string" ? access : undefined }
})

const beginLogin = Effect.fnUntraced(function* (
  issuer: Issuer,
  client: Client,
  redirectUri: string,
  stateOf?: (random: string) => string
): Effect.fn.Return<PersonLogin, string> {
  const begun = yield* beginCode(issuer, client, { scope: "openid", redirectUri, stateOf })
  return {
    url: begun.url,
    state: begun.state,
    subject: (params) =>
      Effect.map(redeemCode(issuer, client, begun, { redirectUri }, params), ({ subject }) => subject)
  }
})

/** Logins on the page of this gateway, where some issuer has `page`. An access token comes with them, which is checked like any other. */
export const pageLogins = (
  issuers: ReadonlyArray<Issuer>,
  resource: string,
  verified: (token: string) => Effect.Effect<Verified, { readonly message: string }>
): PageLogins | undefined => {
  const having = issuers.flatMap((issuer) => {
    const { page, scopes } = issuer.config
    if (page === undefined) return []
    const scope = page.scopes ?? scopes
    return [{ issuer, client: { clientId: page.clientId, secret: undefined }, scope: ["openid", ...scope].join(" ") }]
  })
  const named = (name: string) => {
    const found = having.find(({ issuer }) => issuer.config.issuer === name)
    return found === undefined ? Effect.fail("nobody logs in on the page with this issuer") : Effect.succeed(found)
  }
  if (having.length === 0) return undefined
  return {
    issuers: having.map(({ issuer }) => issuer.config.issuer),
    begin: Effect.fnUntraced(function* (name, redirectUri) {
      const { client, issuer, scope } = yield* named(name)
      const { nonce, state, url, verifier } = yield* beginCode(issuer, client, { scope, redirectUri, resource })
      return { url, kept: { issuer: name, state, nonce, verifier } }
    }),
    finish: Effect.fnUntraced(function* (kept, redirectUri, params) {
      const { client, issuer } = yield* named(kept.issuer)
      const { subject, token } = yield* redeemCode(issuer, client, kept, { redirectUri, resource }, params)
      if (token === undefined) return yield* Effect.fail("the issuer gave no access token")
      const found = yield* Effect.mapError(verified(token), ({ message }) => `its access token is refused: ${message}`)
      if (found.identity.person === undefined) return yield* Effect.fail("its access token names no person")
      // A token of somebody else must not come in with the login of this person.
      if (found.issuer !== kept.issuer || found.identity.person.subject !== subject) {
        return yield* Effect.fail("its access token is of another person than its ID token")
      }
      return { token, verified: found }
    })
  }
}

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
