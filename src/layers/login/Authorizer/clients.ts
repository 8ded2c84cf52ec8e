/**
 * Our client identity at an authorization server, in the order of the protocol: a client that the operator registered, one with a metadata
 * document at an address, and one that registers itself. A client is never shown to another authorization server than its own.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AddClientAuthentication, AuthorizationServerMetadata } from "@modelcontextprotocol/client"
import type { Credentials, RegisteredClient } from "../../../schemas/login/Credentials.ts"
import { CLIENT_TEXT_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import type { OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import type { SecretResolver } from "../../../services/secret/SecretResolver.ts"
import type { Discovered } from "./discovery.ts"
import { later, refused, unanswered, type AuthProblem } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"

export interface Client {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly authMethod: string | undefined
  /** Authenticates by a signature instead of a secret. */
  readonly addClientAuthentication: AddClientAuthentication | undefined
  /** The registration to keep, if it is new. */
  readonly registered: RegisteredClient | undefined
}

export interface ClientOptions {
  readonly server: string
  readonly oauth: OAuthConfig
  readonly discovered: Discovered
  readonly current: Credentials | undefined
  readonly supplied: Supplied
  readonly reveal: (text: string) => Effect.Effect<string, AuthProblem>
}

export const NAME = "mcp-live"

/** Resolves the references in a text. An error names the reference. */
export const revealing =
  (resolver: SecretResolver["Service"], owner: string, known: (value: string) => void) =>
  (text: string): Effect.Effect<string, AuthProblem> =>
    resolver.resolve(owner, text).pipe(
      Effect.map((value) => {
        const plain = Redacted.value(value).trim()
        known(plain)
        return plain
      }),
      Effect.mapError((error) => refused(error.message))
    )

/** The metadata of an authorization server that the SDK needs. Only checked values. */
export const metadataFor = (
  { authorizationServer: server }: Discovered,
  { tokenEndpointAuthMethod }: OAuthConfig
): AuthorizationServerMetadata => ({
  issuer: server.issuer,
  authorization_endpoint: (server.authorizationEndpoint ?? server.tokenEndpoint).href,
  token_endpoint: server.tokenEndpoint.href,
  response_types_supported: ["code"],
  ...(server.registrationEndpoint === undefined ? {} : { registration_endpoint: server.registrationEndpoint.href }),
  code_challenge_methods_supported: [...(server.challengeMethods ?? [])],
  // The configuration counts, even if the server does not list the method.
  token_endpoint_auth_methods_supported:
    tokenEndpointAuthMethod === undefined ? [...server.clientAuthMethods] : [tokenEndpointAuthMethod],
  authorization_response_iss_parameter_supported: server.namesItself
})

const parseKey = (text: string): string | Record<string, unknown> | undefined => {
  if (!text.startsWith("{")) return text
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const configured = Effect.fnUntraced(function* (
  { oauth, reveal }: ClientOptions,
  clientId: string
): Effect.fn.Return<Client, AuthProblem> {
  const { algorithm, clientSecret, privateKey, tokenEndpointAuthMethod } = oauth
  let addClientAuthentication: AddClientAuthentication | undefined
  if (privateKey !== undefined && algorithm !== undefined) {
    const key = parseKey(yield* reveal(privateKey))
    if (key === undefined) return yield* refused('its "privateKey" is neither PEM nor a JWK')
    const { createPrivateKeyJwtAuth } = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
    addClientAuthentication = createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey: key,
      alg: algorithm
    })
  }
  return {
    clientId,
    clientSecret: clientSecret === undefined ? undefined : yield* reveal(clientSecret),
    authMethod: tokenEndpointAuthMethod,
    addClientAuthentication,
    registered: undefined
  }
})

const isUsable = (client: RegisteredClient, redirectUri: string | undefined, now: number): boolean =>
  (client.expiresAt === undefined || client.expiresAt > now) &&
  (redirectUri === undefined || client.redirectUri === redirectUri)

const fromRegistered = (client: RegisteredClient, isNew: boolean): Client => ({
  clientId: client.clientId,
  clientSecret: client.clientSecret,
  authMethod: client.authMethod,
  addClientAuthentication: undefined,
  registered: isNew ? client : undefined
})

/** A supported method; without a secret if possible, because an installed program cannot keep one secret. */
const authMethodFor = (offered: ReadonlyArray<string>): string =>
  offered.length === 0 || offered.includes("none")
    ? "none"
    : (["client_secret_basic", "client_secret_post"].find((method) => offered.includes(method)) ?? "none")

/** An id or a secret that a form can carry (RFC 6749, appendix A), not longer than what is kept. */
const isClientText = (text: string): boolean => text.length <= CLIENT_TEXT_MAX_CHARS && /^[\x20-\x7e]+$/.test(text)

const isOnThisMachine = (redirectUri: string): boolean => URL.parse(redirectUri)?.protocol === "http:"

const register = Effect.fnUntraced(function* (
  { discovered, oauth, supplied }: ClientOptions,
  redirectUri: string,
  scopes: ReadonlyArray<string>
): Effect.fn.Return<Client, AuthProblem> {
  const { issuer } = discovered.authorizationServer
  const { RegistrationRejectedError, registerClient } = yield* Effect.promise(
    () => import("@modelcontextprotocol/client")
  )
  const answer = yield* Effect.tryPromise({
    try: () =>
      registerClient(issuer, {
        metadata: metadataFor(discovered, oauth),
        clientMetadata: {
          client_name: NAME,
          redirect_uris: [redirectUri],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: authMethodFor(discovered.authorizationServer.clientAuthMethods),
          application_type: isOnThisMachine(redirectUri) ? "native" : "web"
        },
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
        fetchFn: supplied.fetch
      }),
    catch: (error) => {
      if (error instanceof RegistrationRejectedError) {
        const words = `its authorization server does not register us (HTTP ${error.status})`
        return error.status >= 500 || error.status === 429
          ? later(words)
          : refused(`${words}: set "clientId" in "auth"`)
      }
      return error instanceof Error && error.name === "ZodError"
        ? refused("its authorization server's answer to a registration cannot be read")
        : unanswered(error)
    }
  })
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: authMethod } = answer
  if (![clientId, clientSecret, authMethod].every((text) => text === undefined || isClientText(text))) {
    return yield* refused("its authorization server registers us with an id or a secret that cannot be used")
  }
  const expires = answer.client_secret_expires_at
  return fromRegistered(
    {
      clientId,
      redirectUri,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(authMethod === undefined ? {} : { authMethod }),
      ...(expires === undefined || expires <= 0 ? {} : { expiresAt: expires * 1000 })
    },
    true
  )
})

/** The client to which the tokens were given, if it is still ours. */
export const knownClient = Effect.fnUntraced(function* (
  options: ClientOptions,
  now: number
): Effect.fn.Return<Client | undefined, AuthProblem> {
  const { current, discovered, oauth } = options
  const { issuer } = discovered.authorizationServer
  if (oauth.clientId !== undefined) return yield* configured(options, oauth.clientId)
  const client = current?.clients[issuer]
  if (client !== undefined && isUsable(client, undefined, now)) return fromRegistered(client, false)
  const document = oauth.clientMetadataUrl
  return document !== undefined && current?.authorization?.clientId === document
    ? yield* configured(options, document)
    : undefined
})

/** The client for a login with this redirect URI. */
export const clientForLogin = Effect.fnUntraced(function* (
  options: ClientOptions,
  redirectUri: string,
  scopes: ReadonlyArray<string>,
  now: number
): Effect.fn.Return<Client, AuthProblem> {
  const { current, discovered, oauth } = options
  const { issuer, registrationEndpoint, takesClientDocuments } = discovered.authorizationServer
  if (oauth.clientId !== undefined) return yield* configured(options, oauth.clientId)
  if (oauth.clientMetadataUrl !== undefined && takesClientDocuments) {
    return yield* configured(options, oauth.clientMetadataUrl)
  }
  const known = current?.clients[issuer]
  if (known !== undefined && isUsable(known, redirectUri, now)) return fromRegistered(known, false)
  if (registrationEndpoint === undefined) {
    return yield* refused('its authorization server does not register clients by itself: set "clientId" in "auth"')
  }
  return yield* register(options, redirectUri, scopes)
})
