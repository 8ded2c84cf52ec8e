/** The gateway with an issuer, and a server with an authorization server of its own; its persons, and their browsers. */
import * as Effect from "effect/Effect"
import { createRemoteJWKSet, jwtVerify } from "jose"
import { randomBytes } from "node:crypto"
import { inFixtures } from "../../fixtures/servers.ts"
import { accountServer } from "../../support/accountServer.ts"
import { makeBrowser, type Seen } from "../../support/browser.ts"
import { freePort } from "../../support/freePort.ts"
import { tokenAt } from "../../support/issuerToken.ts"
import { type Answers, type Era } from "../../support/mcpClients.ts"
import { oidcProvider } from "../../support/oidcProvider.ts"
import { listeningTo, overHttp, placeFor } from "./program.ts"

const PAGES_CLIENT = "the-pages"
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag"
export const EXCHANGER = { clientId: "exchanger", clientSecret: "the secret of the exchanger" }

export interface Setup {
  /** The page finds out who looks at it. */
  readonly proves?: boolean
  /** Logins at the server are renewed without their person. */
  readonly renewed?: boolean
  /** There is another issuer, with persons of the same names. */
  readonly two?: boolean
  readonly rules?: ReadonlyArray<object>
  readonly servers?: (at: { readonly idp: string; readonly issuer: string; readonly url: string }) => object
}

/** The gateway with its issuer, and a server with an authorization server of its own. */
export const running = Effect.fnUntraced(function* ({
  proves = false,
  renewed = true,
  rules = [],
  servers = () => ({}),
  two = false
}: Setup = {}) {
  /** Who logs in next, at the issuer and at the server. */
  const next = { issuer: "ada", server: "ada-at-tickets" }
  const port = yield* freePort
  const resource = `http://127.0.0.1:${port}/mcp`
  /** Assertions that the issuer gave, and for whom. */
  const vouched = new Map<string, string>()
  let at = ""
  const subjectOf = async (token: string): Promise<string | undefined> => {
    try {
      const keys = createRemoteJWKSet(new URL(`${at}/jwks`))
      return (await jwtVerify(token, keys, { issuer: at, audience: resource })).payload.sub
    } catch {
      return undefined
    }
  }
  const { issuer } = yield* oidcProvider({
    person: () => next.issuer,
    grants: [
      {
        name: EXCHANGE,
        params: ["subject_token", "subject_token_type", "requested_token_type"],
        answer: async ({ requested_token_type: wanted, subject_token: token }) => {
          const subject = await subjectOf(String(token))
          if (subject === undefined || wanted !== ID_JAG) return undefined
          const assertion = randomBytes(32).toString("base64url")
          vouched.set(assertion, subject)
          return { access_token: assertion, issued_token_type: ID_JAG, token_type: "N_A" }
        }
      }
    ],
    clients: [
      {
        client_id: EXCHANGER.clientId,
        client_secret: EXCHANGER.clientSecret,
        grant_types: [EXCHANGE],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: "client_secret_post"
      },
      {
        client_id: PAGES_CLIENT,
        application_type: "native",
        redirect_uris: [`http://127.0.0.1:${port}/login/callback`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none"
      }
    ]
  })
  at = issuer
  const { issuer: second } = yield* oidcProvider({ person: () => next.issuer })
  const { issuer: other } = yield* oidcProvider({
    person: () => next.server,
    ...(renewed ? {} : { refresh: false }),
    grants: [
      {
        name: EXCHANGE,
        params: ["subject_token", "subject_token_type", "requested_token_type"],
        answer: async ({ subject_token: token }, tokenFor) => {
          const subject = await subjectOf(String(token))
          return subject === undefined
            ? undefined
            : {
                access_token: await tokenFor(subject),
                issued_token_type: "urn:ietf:params:oauth:token-type:access_token"
              }
        }
      },
      {
        name: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        params: ["assertion"],
        answer: async ({ assertion }, tokenFor) => {
          const subject = vouched.get(String(assertion))
          return subject === undefined ? undefined : { access_token: await tokenFor(subject) }
        }
      }
    ],
    clients: [
      {
        client_id: EXCHANGER.clientId,
        client_secret: EXCHANGER.clientSecret,
        grant_types: [EXCHANGE, "urn:ietf:params:oauth:grant-type:jwt-bearer"],
        redirect_uris: [],
        response_types: [],
        scope: "mcp"
      }
    ]
  })
  const server = yield* accountServer(other)
  const place = yield* placeFor({
    mcp: {
      servers: {
        tickets: { url: server.url, auth: { type: "oauth", per: "person" } },
        bird: {
          command: process.execPath,
          args: [inFixtures("parrot.ts")],
          share: "person",
          env: { WHOSE: two ? "{person.id}" : "{person}" }
        },
        ...servers({ idp: issuer, issuer: other, url: server.url })
      },
      clients: {
        resource,
        rules,
        issuers: [
          {
            issuer,
            scopes: ["mcp"],
            claims: { person: "email" },
            ...(proves ? { login: { clientId: PAGES_CLIENT } } : {})
          },
          ...(two ? [{ issuer: second, scopes: ["mcp"], claims: { person: "email" } }] : [])
        ]
      }
    }
  })
  const gateway = yield* listeningTo(place.home, ["--config", place.file, "--http", "--port", String(port)])

  const tokenOf = (person: string, atSecond = false) =>
    Effect.suspend(() => {
      next.issuer = person
      return tokenAt(atSecond ? second : issuer, resource)
    })

  const clientOf = Effect.fnUntraced(function* (person: string, era: Era, answers?: Answers, atSecond = false) {
    const token = yield* tokenOf(person, atSecond)
    return yield* overHttp(era, gateway.url, token, answers)
  })
  return { ...gateway, clientOf, home: place.home, file: place.file, next, server, tokenOf, resource, port }
})

/** A person who does what the page says, and logs in at the server under this name. */
export const willing = (next: { issuer: string; server: string }, person: string, account = `${person}-at-tickets`) => {
  const seen: Array<Seen> = []
  const browser = makeBrowser()
  const connects = async (url: string): Promise<Seen> => {
    next.issuer = person
    next.server = account
    const page = await browser.open(url)
    seen.push(page)
    const end = await browser.click(page)
    seen.push(end)
    return end
  }
  return {
    seen,
    browser,
    connects,
    answers: {
      browse: async ({ url }: { readonly url: string }) => {
        await connects(url)
        return { action: "accept" }
      }
    }
  }
}

export const linkIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+\/login\/[A-Za-z0-9_.~-]{43,}/.exec(text)![0]

export const pageFor = (client: { readonly call: (name: string) => Promise<string> }) =>
  Effect.map(
    Effect.promise(() => client.call("mcp_tickets_connect_account")),
    linkIn
  )
