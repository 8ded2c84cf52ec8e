/** `serve --http` with an issuer at which people log in on the page, as browsers and attackers meet it. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { GATEWAY_CLIENT, loggedIn, oidcProvider, type OidcOptions } from "./oidcProvider.ts"
import { freePort } from "./freePort.ts"
import { ask, type Answer } from "./ask.ts"
import { tlsProxy } from "./tlsProxy.ts"
import { tokenAt } from "./issuerToken.ts"
import { listeningTo, overHttp, placeFor, real } from "../integration/serve/program.ts"

const CLIENT = "the-page"
const PEERS_SECRET = "the secret of the nodes of this test, long enough"

/** A browser with a session, as `page.ts` has it. */
interface Entered {
  readonly url: string
  readonly origin: string
  readonly cookie: string
}

export interface PeopleSetup extends Partial<Omit<OidcOptions, "person">> {
  readonly rules?: ReadonlyArray<object>
  readonly limits?: object
  readonly gateway?: object
  readonly servers?: object
  /** Of a fleet: there are two nodes then. */
  readonly database?: string
  /** Of the issuer in the configuration. */
  readonly issuer?: object
  /** The host name of a proxy with TLS, behind which the gateway is. */
  readonly host?: string
}

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")

export interface BegunSignIn {
  /** The page of the issuer. */
  readonly authorization: URL
  /** `NAME=VALUE` of the browser in which it was begun. */
  readonly cookie: string
}

/** The cookies that an answer sets, as a browser sends them back. */
export const cookiesOf = ({ headers }: Pick<Answer, "headers">): string =>
  [headers["set-cookie"] ?? []]
    .flat()
    .filter((line) => !/Max-Age=0\b/.test(line))
    .map((line) => line.split(";", 1)[0]!)
    .join("; ")

const post = (url: string, origin: string | undefined, body: string, cookie = ""): Promise<Answer> => {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
    ...(origin === undefined ? {} : { origin }),
    ...(cookie === "" ? {} : { cookie })
  }
  return ask(url, headers, "POST", false, body)
}

/** The gateway and its issuer; `comes` says who logs in next. */
export const peopleGateway = Effect.fnUntraced(function* ({
  gateway = {},
  database,
  host,
  issuer: issuerMore = {},
  limits = {},
  rules = [],
  servers = {},
  ...options
}: PeopleSetup = {}) {
  let person = "ada"
  const port = yield* freePort
  const origin =
    host === undefined ? `http://127.0.0.1:${port}` : `https://${host}:${yield* tlsProxy([host], () => port)}`
  const resource = `${origin}/mcp`
  const mcp = `http://127.0.0.1:${port}/mcp`
  const url = `${origin}/page/`
  const { asked, issuer, revoke } = yield* oidcProvider({
    person: () => person,
    claims: (who) => ({ groups: who === "lea" ? ["leads"] : ["staff"] }),
    clients: [
      {
        client_id: CLIENT,
        application_type: host === undefined ? "native" : "web",
        redirect_uris: [`${url}callback`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none"
      }
    ],
    ...options
  })
  const configOf = (more: object) => ({
    gateway,
    mcp: {
      servers: { all: real("everything", ["stdio"]), ...servers },
      clients: {
        resource,
        rules,
        limits,
        issuers: [{ issuer, scopes: ["mcp"], claims: { person: "email" }, page: { clientId: CLIENT }, ...issuerMore }]
      },
      ...more
    }
  })
  const startedAt = Effect.fnUntraced(function* (at: number, more: object) {
    const place = yield* placeFor(configOf(more))
    const named = host === undefined ? [] : ["--allow-host", host]
    const args = ["--config", place.file, "--http", "--port", String(at), ...named]
    return { ...(yield* listeningTo(place.home, args)), ...place }
  })
  const nodeNamed = Effect.fnUntraced(function* (name: string, at: number) {
    const listen = `127.0.0.1:${yield* freePort}`
    return yield* startedAt(at, { fleet: { database, name, listen, peers: { secret: PEERS_SECRET } } })
  })
  const running = yield* database === undefined ? startedAt(port, {}) : nodeNamed("node-0", port)
  const otherPort = yield* freePort
  const startOther = nodeNamed("node-1", otherPort)
  let other = database === undefined ? undefined : yield* startOther
  const scope = yield* Effect.scope
  /** The other node ends, and is there again. */
  const restartOther = Effect.gen(function* () {
    yield* Effect.promise(async () => other?.stop())
    other = yield* Scope.provide(startOther, scope)
  })

  const begin = async (): Promise<BegunSignIn> => {
    const answer = await post(`${url}sign-in`, origin, "issuer=0")
    const [, next = ""] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(answer.text) ?? []
    return { authorization: new URL(unescaped(next)), cookie: cookiesOf(answer) }
  }
  /** What the issuer sends the browser back with. */
  const answered = async ({ authorization }: BegunSignIn): Promise<Record<string, string>> => {
    const { code, iss = "" } = await loggedIn(authorization, `${url}callback`)
    return { code, iss, state: authorization.searchParams.get("state")! }
  }
  const back = (params: Record<string, string>, cookie: string, at = url): Promise<Answer> =>
    ask(`${at}callback?${new URLSearchParams(params)}`, {
      cookie,
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate"
    })

  /** As a browser does. */
  const signedIn = async (name: string): Promise<Entered> => {
    person = name
    const begun = await begin()
    const answer = await back(await answered(begun), begun.cookie)
    if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${answer.text}`)
    return { url, origin, cookie: cookiesOf(answer) }
  }

  return {
    ...running,
    issuer,
    /** The tokens of somebody are good no more. */
    revoke,
    /** How often the issuer was asked about tokens. */
    asked,
    resource,
    origin,
    page: url,
    /** At the other node, as a load balancer leads there. */
    otherPage: `http://127.0.0.1:${otherPort}/page/`,
    restartOther,
    comes: (name: string) => void (person = name),
    begin,
    answered,
    back,
    post: (name: string, from: string | undefined, cookie: string) => post(url + name, from, "issuer=0", cookie),
    signIn: (name: string) => Effect.promise(() => signedIn(name)),
    /** An MCP client of somebody, which can show no forms. */
    clientOf: (name: string) =>
      Effect.gen(function* () {
        person = name
        return yield* overHttp("2025-11-25", mcp, yield* tokenAt(issuer, resource))
      })
  }
})

export { GATEWAY_CLIENT }
