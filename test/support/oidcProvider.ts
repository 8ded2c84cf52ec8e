/** A certified authorization server (`oidc-provider`) on the loopback, whose person logs in and agrees without being asked. */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What is used of it: it has no types of its own. */
interface Provider {
  readonly callback: () => RequestListener
  readonly use: (
    through: (ctx: { readonly path: string; body: unknown }, next: () => Promise<void>) => Promise<void>
  ) => void
  readonly interactionDetails: (incoming: IncomingMessage, response: ServerResponse) => Promise<Interaction>
  readonly interactionFinished: (
    incoming: IncomingMessage,
    response: ServerResponse,
    result: object,
    options: { readonly mergeWithLastSubmission: boolean }
  ) => Promise<void>
  readonly registerGrantType: (
    name: string,
    handler: (ctx: {
      readonly oidc: { readonly client: unknown; readonly params: Record<string, unknown> }
      body: unknown
    }) => Promise<void>,
    params: ReadonlyArray<string>
  ) => void
  readonly on: (event: "access_token.saved", told: (token: SavedToken) => void) => void
  readonly AccessToken: new (of: object) => { resourceServer: unknown; readonly save: () => Promise<string> }
  readonly ResourceServer: new (resource: string, of: object) => unknown
  readonly Grant: new (of: object) => {
    readonly addOIDCScope: (scope: string) => void
    readonly addResourceScope: (resource: string, scope: string) => void
    readonly save: () => Promise<string>
  }
}

interface SavedToken {
  readonly accountId: string
  readonly destroy: () => Promise<void>
}

interface Interaction {
  readonly prompt: { readonly name: string; readonly details: Record<string, unknown> }
  readonly params: Record<string, unknown>
  readonly session?: { readonly accountId: string }
}

export interface OidcOptions {
  /** Who logs in next. */
  readonly person: () => string
  readonly scope?: string
  /** Seconds for which a token is good. */
  readonly tokenS?: number
  readonly format?: "jwt" | "opaque"
  /** Whether introspection says when a token expires. */
  readonly tellsExpiry?: boolean
  /** Whether a login can be renewed without the person. */
  readonly refresh?: boolean
  readonly grants?: ReadonlyArray<ExtraGrant>
  /** Clients that are registered beforehand. */
  readonly clients?: ReadonlyArray<object>
  /** What else tokens say of a person. */
  readonly claims?: (person: string) => object
}

export const GATEWAY_CLIENT = { clientId: "gateway", clientSecret: "the secret of the gateway" }

export const ROBOT = { clientId: "robot", clientSecret: "the secret of the robot" }

/** Answers a request for a token of this kind; a grant that gives nothing refuses. */
export interface ExtraGrant {
  readonly name: string
  readonly params: ReadonlyArray<string>
  readonly answer: (
    params: Readonly<Record<string, unknown>>,
    tokenFor: (subject: string) => Promise<string>
  ) => Promise<Readonly<Record<string, unknown>> | undefined>
}

const addGrant = (provider: Provider, { answer, name, params }: ExtraGrant) =>
  provider.registerGrantType(
    name,
    async (ctx) => {
      const { client, params: given } = ctx.oidc
      const tokenFor = (accountId: string): Promise<string> => {
        const resource = String(given["resource"])
        const token = new provider.AccessToken({ accountId, client, scope: "mcp", gty: "extra" })
        token.resourceServer = new provider.ResourceServer(resource, {
          scope: "mcp",
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } }
        })
        return token.save()
      }
      const body = await answer(given, tokenFor)
      if (body === undefined) {
        const refused = { error: "invalid_grant", status: 400, statusCode: 400, expose: true }
        throw Object.assign(new Error("invalid_grant"), refused)
      }
      ctx.body = { token_type: "Bearer", expires_in: 600, scope: "mcp", ...body }
    },
    [...params, "resource", "scope", "audience"]
  )

export const oidcProvider = ({
  claims = () => ({ groups: ["staff"] }),
  clients = [],
  grants = [],
  format = "jwt",
  person,
  refresh,
  scope = "mcp",
  tellsExpiry = true,
  tokenS = 600
}: OidcOptions) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const module = (await import("oidc-provider" as string)) as {
        default: new (issuer: string, of: object) => Provider
      }
      let handle: RequestListener = (_, response) => void response.writeHead(503).end()
      const server = createServer((incoming, response) => handle(incoming, response))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const provider = new module.default(issuer, {
        clients: [
          ...clients,
          {
            client_id: GATEWAY_CLIENT.clientId,
            client_secret: GATEWAY_CLIENT.clientSecret,
            grant_types: [],
            redirect_uris: [],
            response_types: []
          },
          {
            client_id: ROBOT.clientId,
            client_secret: ROBOT.clientSecret,
            grant_types: ["client_credentials"],
            redirect_uris: [],
            response_types: [],
            scope
          }
        ],
        scopes: ["openid", "offline_access", ...scope.split(" ")],
        pkce: { required: () => true },
        rotateRefreshToken: false,
        ...(refresh === undefined ? {} : { issueRefreshToken: async () => refresh }),
        ttl: { AccessToken: tokenS, ClientCredentials: tokenS, Grant: 3600, Interaction: 600, Session: 3600 },
        interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
        extraTokenClaims: (_: unknown, { accountId }: { accountId?: string }) =>
          accountId === undefined ? {} : { email: `${accountId}@example.com`, ...claims(accountId) },
        features: {
          clientCredentials: { enabled: true },
          devInteractions: { enabled: false },
          dPoP: { enabled: true },
          introspection: { enabled: true, allowedPolicy: () => true },
          registration: { enabled: true },
          revocation: { enabled: true },
          resourceIndicators: {
            enabled: true,
            defaultResource: (_: unknown, __: unknown, given?: string) => given,
            useGrantedResource: () => true,
            getResourceServerInfo: (_: unknown, resource: string) => ({
              scope,
              audience: resource,
              accessTokenTTL: tokenS,
              accessTokenFormat: format,
              ...(format === "jwt" ? { jwt: { sign: { alg: "RS256" } } } : {})
            })
          }
        }
      })
      for (const grant of grants) addGrant(provider, grant)
      const saved: Array<SavedToken> = []
      provider.on("access_token.saved", (token) => saved.push(token))
      let count = 0
      provider.use(async (ctx, next) => {
        await next()
        if (ctx.path !== "/token/introspection") return
        count++
        const { exp, ...rest } = ctx.body as { readonly exp?: number }
        ctx.body = tellsExpiry && exp !== undefined ? { ...rest, exp } : rest
      })
      const own = provider.callback()
      const agree = async (incoming: IncomingMessage, response: ServerResponse) => {
        const { params, prompt, session } = await provider.interactionDetails(incoming, response)
        if (prompt.name === "login") {
          const result = { login: { accountId: person() } }
          return provider.interactionFinished(incoming, response, result, { mergeWithLastSubmission: false })
        }
        const grant = new provider.Grant({ accountId: session?.accountId, clientId: params["client_id"] })
        grant.addOIDCScope(String(params["scope"] ?? "openid"))
        const resource = params["resource"]
        for (const each of Array.isArray(resource) ? resource : [resource]) {
          if (typeof each === "string") grant.addResourceScope(each, scope)
        }
        const result = { consent: { grantId: await grant.save() } }
        return provider.interactionFinished(incoming, response, result, { mergeWithLastSubmission: true })
      }
      handle = (incoming, response) => {
        if (incoming.url?.startsWith("/interaction/") !== true) return own(incoming, response)
        agree(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
      }
      /** An introspection of the person's tokens says from now on that they are not good. */
      const revoke = async (who: string): Promise<void> => {
        await Promise.all(saved.filter(({ accountId }) => accountId === who).map((token) => token.destroy()))
      }
      return { issuer, server, revoke, asked: () => count }
    }),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )

/** Follows the pages of a login as a browser with cookies does, to the address that the client waits at. */
export const loggedIn = async (
  authorization: URL,
  redirect: string
): Promise<{ readonly code: string; readonly iss: string | undefined }> => {
  const jar = new Map<string, string>()
  let at = authorization
  for (let hop = 0; hop < 20; hop++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(at, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (name !== undefined) jar.set(name, value ?? "")
    }
    const location = response.headers.get("location")
    if (location === null) throw new Error(`the login ended at ${at.href}: ${response.status} ${await response.text()}`)
    at = new URL(location, at)
    if (at.href.startsWith(redirect)) {
      const code = at.searchParams.get("code")
      if (code === null) throw new Error(`no code came back: ${at.search}`)
      return { code, iss: at.searchParams.get("iss") ?? undefined }
    }
  }
  throw new Error("the login does not end")
}
