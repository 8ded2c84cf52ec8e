/**
 * Requests to Vault. There are limits for the size of an answer, and for how often and where to a standby node may redirect. A token is sent
 * only over https, or over http within this machine. Text of Vault is not quoted.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { Agent, fetch, type Response } from "undici"
import {
  SECRET_ANSWER_MAX_BYTES,
  SECRET_RETRIES,
  SECRET_RETRY_MS,
  VAULT_REDIRECTS_MAX
} from "../../../schemas/defaults/Secrets.ts"
import { parseJson } from "./jsonField.ts"
import { networkReason } from "./networkReason.ts"

export interface VaultSite {
  /** Without a trailing slash. */
  readonly address: URL
  readonly namespace: string | undefined
  /** CA certificates, in place of those that Node trusts. */
  readonly ca: string | undefined
}

export interface VaultRequest {
  readonly method: "GET" | "POST"
  /** Below the address, with its query: `/v1/secret/data/app?version=2`. */
  readonly path: string
  readonly token?: string
  readonly body?: object
}

export interface VaultAnswer {
  readonly status: number
  /** Parsed with `parseJson`; `undefined` if it was not JSON. */
  readonly body: unknown
}

export interface VaultFailure {
  readonly detail: string
  /** A retry may succeed, and the failed request has changed nothing. */
  readonly passing: boolean
}

export interface Vault {
  /** Retries twice if the failure may be temporary. A status about Vault as a whole is a failure too. */
  readonly send: (request: VaultRequest) => Effect.Effect<VaultAnswer, VaultFailure>
}

const lasting = (detail: string): VaultFailure => ({ detail, passing: false })

/** The connections belong to this use alone and are closed after it, so an interruption cancels its requests. */
export const withVault = <A, E>(site: VaultSite, use: (vault: Vault) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Agent(site.ca === undefined ? {} : { connect: { ca: site.ca } })),
    (agent) => use({ send: (request) => send(site, agent, request) }),
    (agent) => Effect.promise(() => agent.destroy())
  )

const send = (site: VaultSite, agent: Agent, request: VaultRequest) =>
  exchange(site, agent, request).pipe(
    Effect.flatMap((answer) => {
      const failure = failureOf(answer.status, request.method)
      return failure === undefined ? Effect.succeed(answer) : Effect.fail(failure)
    }),
    Effect.retry({ times: SECRET_RETRIES, while: ({ passing }) => passing, schedule: Schedule.spaced(SECRET_RETRY_MS) })
  )

/** A status about Vault as a whole, and not about the request. */
const failureOf = (status: number, method: VaultRequest["method"]): VaultFailure | undefined => {
  if (status === 503) {
    return { detail: "Vault is sealed, in maintenance or without an active node (HTTP 503)", passing: true }
  }
  if (status === 429) {
    return { detail: "Vault limits the rate of requests, or this node is a standby (HTTP 429)", passing: true }
  }
  if (status === 412) return { detail: "this node of Vault lags behind the others (HTTP 412)", passing: true }
  // The login may have been counted nevertheless.
  return status >= 500 ? { detail: `Vault is in trouble (HTTP ${status})`, passing: method === "GET" } : undefined
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308])

const exchange = Effect.fnUntraced(function* (site: VaultSite, agent: Agent, request: VaultRequest) {
  const { address } = site
  let url = new URL(address.origin + address.pathname.replace(/\/+$/, "") + request.path)
  for (let hops = 0; ; hops++) {
    const { location, ...answer } = yield* once(site, agent, request, url)
    if (!REDIRECTS.has(answer.status)) return answer
    if (hops === VAULT_REDIRECTS_MAX) {
      return yield* Effect.fail(lasting(`Vault sent the request on more than ${VAULT_REDIRECTS_MAX} times`))
    }
    url = yield* Effect.fromResult(followed(url, location, request.path))
  }
})

/**
 * A standby node redirects to the same request at the active node. The token must not go anywhere else, such as to the login page of a proxy or
 * to an address without TLS.
 */
const followed = (from: URL, location: string | null, path: string): Result.Result<URL, VaultFailure> => {
  if (location === null || !URL.canParse(location, from.href)) {
    return Result.fail(lasting("Vault sent the request on without saying where to"))
  }
  const to = new URL(location, from)
  if (to.protocol !== from.protocol || (to.protocol === "http:" && !isLoopback(to))) {
    return Result.fail(
      lasting("Vault sent the request on to an address with another scheme, or without TLS: not followed")
    )
  }
  const asked = new URL(path, to)
  const isSame = (to.pathname === asked.pathname || to.pathname === from.pathname) && to.search === asked.search
  return isSame && to.username === "" && to.password === ""
    ? Result.succeed(to)
    : Result.fail(lasting("the request to Vault's address was redirected to another page, and was not sent there"))
}

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

interface Arrived extends VaultAnswer {
  readonly location: string | null
}

const once = (
  { namespace }: VaultSite,
  agent: Agent,
  { body, method, token }: VaultRequest,
  url: URL
): Effect.Effect<Arrived, VaultFailure> =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        method,
        headers: {
          accept: "application/json",
          // Vault may be configured to refuse requests without this header, which forged requests (SSRF) do not have.
          "x-vault-request": "true",
          ...(token === undefined ? {} : { "x-vault-token": token }),
          ...(namespace === undefined ? {} : { "x-vault-namespace": namespace }),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "manual",
        dispatcher: agent
      })
      const text = await readText(response)
      return { status: response.status, location: response.headers.get("location"), text }
    },
    catch: (error) => networkFailure(error, url, method)
  }).pipe(
    Effect.flatMap(({ location, status, text }) =>
      text === undefined
        ? Effect.fail(lasting(`the answer of Vault is larger than ${SECRET_ANSWER_MAX_BYTES / 1024 / 1024} MiB`))
        : Effect.succeed({ status, location, body: Result.getOrUndefined(parseJson(text)) })
    )
  )

/** `undefined` if it is too large; then the rest is not read. */
const readText = async (response: Response): Promise<string | undefined> => {
  if (response.body === null) return ""
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > SECRET_ANSWER_MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const networkFailure = (error: unknown, { origin }: URL, method: VaultRequest["method"]): VaultFailure => {
  const reason = networkReason(error)
  if (reason === undefined) return lasting(`${origin} did not answer as Vault does`)
  const hint = reason.certificate ? "; VAULT_CACERT names the file of the authority to trust" : ""
  return {
    detail: `${origin} ${reason.detail}${hint}`,
    // A login whose connection broke may have been counted.
    passing: !reason.certificate && (reason.neverSent || method === "GET")
  }
}
