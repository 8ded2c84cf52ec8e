/** Gets tokens with the requests of the SDK to the token endpoint, and checks the answers. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { DpopSession, OAuthTokens } from "@modelcontextprotocol/client"
import { scopesOf, type Tokens } from "../../../schemas/login/Credentials.ts"
import { SCOPES_MAX, TOKEN_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import { CALLER, type OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import { metadataFor, type Client } from "./clients.ts"
import type { Discovered } from "./discovery.ts"
import { ACCESS_TOKEN, assertionForCaller, TOKEN_EXCHANGE } from "./callerExchange.ts"
import { AuthProblem, later, loginNeeded, refused, unanswered } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"

export interface GrantOptions {
  readonly oauth: OAuthConfig
  readonly discovered: Discovered
  readonly client: Client
  readonly supplied: Supplied
  readonly dpop: DpopSession | undefined
  readonly scopes: ReadonlyArray<string>
  /** Makes text of a server fit to be shown. */
  readonly tidy: (text: string) => string
}

/** A permanent refusal of the token endpoint. */
export class Rejected {
  readonly code: string
  readonly words: string
  constructor(code: string, words: string) {
    this.code = code
    this.words = words
  }
}

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const YEAR_S = 31_536_000
const PASSING: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])

const isToken = (text: unknown): text is string =>
  typeof text === "string" && text.length <= TOKEN_MAX_CHARS && /^[\x21-\x7e]+$/.test(text)

/** Whether a token is usable: it must fit into a header, and must be bound if that was requested. */
const toTokens = (answer: OAuthTokens, { dpop, scopes }: GrantOptions, now: number): Tokens | AuthProblem => {
  const { access_token: accessToken, expires_in: lifetime, refresh_token: refreshToken, scope } = answer
  if (!isToken(accessToken)) return refused("its authorization server's answer holds no token that can be sent")
  const type = answer.token_type.toLowerCase()
  if (dpop !== undefined && type !== "dpop")
    return refused("its authorization server gave a token that is bound to no key")
  if (dpop === undefined && type !== "bearer")
    return refused("its authorization server gave a token of a kind that was not asked for")
  const expires = lifetime !== undefined && lifetime > 0 ? { expiresAt: now + Math.min(lifetime, YEAR_S) * 1000 } : {}
  return {
    accessToken,
    tokenType: type === "dpop" ? "DPoP" : "Bearer",
    ...(isToken(refreshToken) ? { refreshToken } : {}),
    scopes: (scope === undefined ? scopes : scopesOf(scope)).slice(0, SCOPES_MAX),
    ...expires,
    obtainedAt: now
  }
}

/** Sends a request, and distinguishes a refusal from a temporary failure. */
const request = Effect.fnUntraced(function* (
  options: GrantOptions,
  ask: (fetchFn: Supplied["fetch"]) => Promise<OAuthTokens>
): Effect.fn.Return<Tokens, AuthProblem | Rejected> {
  const { InsecureTokenEndpointError, OAuthError } = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
  let status = 0
  const answer = yield* Effect.tryPromise({
    try: () =>
      ask(async (url, init) => {
        const response = await options.supplied.fetch(url, init)
        status = response.status
        return response
      }),
    catch: (error): AuthProblem | Rejected => {
      if (error instanceof InsecureTokenEndpointError)
        return refused("the token_endpoint of its authorization server is not an https:// address")
      if (error instanceof Error && error.name === "ZodError")
        return refused("its authorization server's answer is not a token")
      if (status === 0 || !(error instanceof OAuthError)) {
        return status >= 400 ? later(`its authorization server answered HTTP ${status}`) : unanswered(error)
      }
      const code = options.tidy(error.code)
      if (status >= 500 || status === 408 || status === 429 || PASSING.has(error.code)) {
        return later(`its authorization server failed (HTTP ${status})`, code)
      }
      return new Rejected(error.code, code)
    }
  })
  const tokens = toTokens(answer, options, yield* Clock.currentTimeMillis)
  return tokens instanceof AuthProblem ? yield* tokens : tokens
})

const clientInformation = ({ client, discovered }: GrantOptions) => ({
  client_id: client.clientId,
  issuer: discovered.authorizationServer.issuer,
  ...(client.clientSecret === undefined ? {} : { client_secret: client.clientSecret }),
  ...(client.authMethod === undefined ? {} : { token_endpoint_auth_method: client.authMethod })
})

const common = (options: GrantOptions) => ({
  metadata: metadataFor(options.discovered, options.oauth),
  clientInformation: clientInformation(options),
  resource: options.discovered.resource,
  ...(options.client.addClientAuthentication === undefined
    ? {}
    : { addClientAuthentication: options.client.addClientAuthentication }),
  ...(options.dpop === undefined ? {} : { dpop: options.dpop })
})

/** The result of a login. */
export interface Code {
  readonly code: string
  readonly iss: string | undefined
  readonly verifier: string
  readonly redirectUri: string
}

export const exchangeCode = (options: GrantOptions, { code, iss, redirectUri, verifier }: Code) =>
  request(options, async (fetchFn) => {
    const { exchangeAuthorization } = await import("@modelcontextprotocol/client")
    return exchangeAuthorization(options.discovered.authorizationServer.issuer, {
      ...common(options),
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier: verifier,
      redirectUri,
      fetchFn
    })
  }).pipe(
    Effect.mapError((error) =>
      error instanceof Rejected ? refused("its authorization server refuses the login", error.words) : error
    )
  )

/** If no new refresh token comes, the old one stays valid. */
export const refresh = (options: GrantOptions, refreshToken: string): Effect.Effect<Tokens, AuthProblem | Rejected> =>
  request(options, async (fetchFn) => {
    const { refreshAuthorization } = await import("@modelcontextprotocol/client")
    return refreshAuthorization(options.discovered.authorizationServer.issuer, {
      ...common(options),
      refreshToken,
      fetchFn
    })
  })

const assertionFor = Effect.fnUntraced(function* (
  { discovered, oauth, scopes, supplied }: GrantOptions,
  reveal: (text: string) => Effect.Effect<string, AuthProblem>
): Effect.fn.Return<string, AuthProblem> {
  const { assertion, enterprise } = oauth
  if (enterprise === undefined) return yield* reveal(assertion ?? "")
  const endpoint = supplied.check(enterprise.idpTokenUrl)
  if (typeof endpoint === "string") return yield* refused(`the token endpoint of the identity provider ${endpoint}`)
  const { idpClientSecret } = enterprise
  const idToken = yield* reveal(enterprise.subjectToken)
  const clientSecret = idpClientSecret === undefined ? undefined : yield* reveal(idpClientSecret)
  if (enterprise.subjectToken === CALLER) {
    return yield* assertionForCaller({
      supplied,
      endpoint,
      enterprise,
      clientSecret,
      subjectToken: idToken,
      audience: discovered.authorizationServer.issuer,
      resource: discovered.resource,
      scopes
    })
  }
  const { requestJwtAuthorizationGrant } = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
  let status = 0
  const { jwtAuthGrant } = yield* Effect.tryPromise({
    try: () =>
      requestJwtAuthorizationGrant({
        tokenEndpoint: endpoint,
        audience: discovered.authorizationServer.issuer,
        resource: discovered.resource,
        idToken,
        clientId: enterprise.idpClientId,
        ...(clientSecret === undefined ? {} : { clientSecret }),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
        fetchFn: async (url, init) => {
          const response = await supplied.fetch(url, init)
          status = response.status
          return response
        }
      }),
    catch: (error) => {
      if (status === 0) return unanswered(error)
      const words = `the identity provider does not give an assertion (HTTP ${status})`
      return status >= 500 || status === 429 ? later(words) : refused(words)
    }
  })
  return jwtAuthGrant
})

const paramsOf = Effect.fnUntraced(function* (
  options: GrantOptions,
  reveal: (text: string) => Effect.Effect<string, AuthProblem>
): Effect.fn.Return<Record<string, string>, AuthProblem> {
  switch (options.oauth.grant) {
    case "client_credentials":
      return { grant_type: "client_credentials" }
    case "token-exchange":
      return {
        grant_type: TOKEN_EXCHANGE,
        subject_token: yield* reveal(CALLER),
        subject_token_type: ACCESS_TOKEN,
        requested_token_type: ACCESS_TOKEN
      }
    default:
      return { grant_type: JWT_BEARER, assertion: yield* assertionFor(options, reveal) }
  }
})

/** A token for a program, without a person: with its own credentials or an assertion. One request, without a fallback. */
export const unattended = Effect.fnUntraced(function* (
  options: GrantOptions,
  reveal: (text: string) => Effect.Effect<string, AuthProblem>
): Effect.fn.Return<Tokens, AuthProblem> {
  const { scopes } = options
  const params = yield* paramsOf(options, reveal)
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(" ") }
  return yield* request(options, async (fetchFn) => {
    const { fetchToken } = await import("@modelcontextprotocol/client")
    const { addClientAuthentication, clientInformation: information, dpop, metadata, resource } = common(options)
    return fetchToken(
      {
        redirectUrl: undefined,
        clientMetadata: { redirect_uris: [] },
        clientInformation: () => information,
        tokens: () => undefined,
        saveTokens: () => {},
        redirectToAuthorization: () => {},
        saveCodeVerifier: () => {},
        codeVerifier: () => "",
        prepareTokenRequest: () => new URLSearchParams({ ...params, ...scope }),
        ...(addClientAuthentication === undefined ? {} : { addClientAuthentication }),
        ...(dpop === undefined ? {} : { dpop: () => dpop })
      },
      options.discovered.authorizationServer.issuer,
      { metadata, resource, fetchFn }
    )
  }).pipe(
    Effect.mapError((error) =>
      error instanceof Rejected ? refused("its authorization server refuses us", error.words) : error
    )
  )
})

/** What the refusal of a refresh token means. */
export const afterRejection = ({ words }: Rejected): AuthProblem =>
  loginNeeded("its authorization server does not renew the login", words)
