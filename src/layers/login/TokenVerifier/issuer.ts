/**
 * One issuer: its metadata and its keys, read when they are first needed and kept within bounds. It is found and checked as on the client's
 * side: the metadata must name this very issuer (mix-up), redirects stay within the origin, and addresses on another origin must be public.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Semaphore from "effect/Semaphore"
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose"
import {
  ISSUER_CONNECT_MS,
  ISSUER_IDLE_MS,
  ISSUER_KEYS_AGE_MS,
  ISSUER_KEYS_ANSWER_MS,
  ISSUER_KEYS_COOLDOWN_MS,
  ISSUER_KEYS_MAX,
  ISSUER_METADATA_AGE_MS,
  ISSUER_QUOTE_MAX_CHARS,
  ISSUER_RETRY_MS
} from "../../../schemas/defaults/Clients.ts"
import { AUTHORIZATION_ANSWER_BOUNDS, AUTHORIZATION_ANSWER_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import { textWithinBounds } from "../../../schemas/connection/JsonBounds.ts"
import { AddressBlocked } from "../../../schemas/connection/HttpError.ts"
import { networkReason } from "../../../schemas/connection/NetworkReason.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import type { IssuerConfig } from "../../../schemas/login/ClientsConfig.ts"
import { IssuerAway } from "../../../schemas/login/TokenRefused.ts"
import type { NetworkGuard } from "../../../services/connection/NetworkGuard.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Issuer {
  readonly config: IssuerConfig
  /** Finds the key of a token. Rejects with an error of jose if there is none, and with `IssuerAway` if keys cannot be read. */
  readonly keys: Effect.Effect<JWTVerifyGetKey, IssuerAway>
  /** Reads what is needed to check a signature. */
  readonly readable: Effect.Effect<void, IssuerAway>
  /** Asks about a token; `undefined` when the issuer says that it is not active. */
  readonly introspect: (token: string, secret: string) => Effect.Effect<Fields | undefined, IssuerAway>
  /** The metadata that was read. */
  readonly metadata: Effect.Effect<Fields, IssuerAway>
  /** Sends a form to an endpoint of the issuer, as the client with this id and secret. */
  readonly post: (
    url: URL,
    client: { readonly clientId: string; readonly secret: string | undefined },
    form: Readonly<Record<string, string>>
  ) => Effect.Effect<{ readonly status: number; readonly fields: Fields | undefined }, IssuerAway>
}

const WELL_KNOWN = ["oauth-authorization-server", "openid-configuration"] as const

/** RFC 8414 §3, and OpenID Connect Discovery §4 for issuers with a path. */
const placesOf = (issuer: URL): ReadonlyArray<URL> => {
  const path = issuer.pathname.replace(/\/$/, "")
  const places = WELL_KNOWN.map((name) => `/.well-known/${name}${path}`)
  if (path !== "") places.push(`${path}/.well-known/openid-configuration`)
  return places.map((pathname) => Object.assign(new URL(issuer.origin), { pathname }))
}

const parsed = (text: string): Fields | undefined => {
  if (text.length > AUTHORIZATION_ANSWER_MAX_CHARS || !textWithinBounds(text, AUTHORIZATION_ANSWER_BOUNDS))
    return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** RFC 6749 §2.3.1: name and secret are form-encoded before they are joined. */
const basic = (clientId: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")}`

/** For the log of the operator. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof AddressBlocked)) return networkReason(error)
  return `it leads to ${cause.leadsTo}${cause.openable ? '; set "allowPrivate": true on this issuer if that is meant' : ""}`
}

/** What an issuer says of itself, for the log. */
const quoted = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, ISSUER_QUOTE_MAX_CHARS)) : "nothing"

interface Metadata {
  readonly readAt: number
  readonly fields: Fields
  readonly keys: JWTVerifyGetKey | undefined
}

export const makeIssuer = Effect.fnUntraced(function* (config: IssuerConfig, guard: NetworkGuard["Service"]) {
  const clock = yield* Clock.Clock
  const run = Effect.runPromiseWith(yield* Effect.context())
  const own = new URL(config.issuer)
  const one = Semaphore.makeUnsafe(1)
  let metadata: Metadata | undefined
  let failed: { readonly at: number; readonly detail: string } | undefined
  let keysFailed: { readonly at: number; readonly problem: IssuerAway } | undefined

  const away = (detail: string) => new IssuerAway({ issuer: config.issuer, detail, retryInMs: ISSUER_RETRY_MS })

  /** Requests share their connections, which close when nobody has asked for a while: a new one costs several times as much as a question. */
  const doorTo = (address: string) =>
    RcRef.make({
      acquire: Effect.acquireRelease(
        Effect.sync(() =>
          guard.openSupplied({
            server: `issuer ${config.issuer}`,
            own: [{ url: new URL(address), allowPrivate: config.allowPrivate }],
            connectTimeoutMs: ISSUER_CONNECT_MS
          })
        ),
        ({ close }) => Effect.promise(close)
      ),
      idleTimeToLive: ISSUER_IDLE_MS
    })
  const door = yield* doorTo(config.issuer)
  /** The address that the operator wrote may be a private one, but that of nothing else. */
  const asking = config.introspection?.url === undefined ? door : yield* doorTo(config.introspection.url)

  /** One request; the answer is whole, and no larger than a document may be. */
  const requested = (url: URL, what: string, init: RequestInit = {}, by = door) =>
    RcRef.get(by).pipe(
      Effect.flatMap(({ fetch }) =>
        Effect.tryPromise({
          try: async (signal) => {
            const response = await fetch(url, { ...init, signal })
            return { status: response.status, text: await response.text() }
          },
          catch: (error) => away(`cannot be reached (${what}: ${reasonOf(error)})`)
        })
      ),
      Effect.scoped
    )

  const endpointIn = (fields: Fields, name: string): URL | undefined => {
    const value = fields[name]
    return typeof value === "string" ? (URL.parse(value) ?? undefined) : undefined
  }

  const readKeys = Effect.fnUntraced(
    function* (url: URL) {
      if (keysFailed !== undefined && clock.currentTimeMillisUnsafe() - keysFailed.at < ISSUER_RETRY_MS) {
        return yield* keysFailed.problem
      }
      const { status, text } = yield* requested(url, "keys", { headers: { accept: "application/json" } }).pipe(
        Effect.timeoutOrElse({
          duration: ISSUER_KEYS_ANSWER_MS,
          orElse: () => away("cannot be reached (keys: no answer in time)")
        })
      )
      const keys = status === 200 ? parsed(text)?.["keys"] : undefined
      if (!Array.isArray(keys)) return yield* away("has no keys at its jwks_uri")
      if (keys.length > ISSUER_KEYS_MAX) return yield* away(`has more than ${ISSUER_KEYS_MAX} keys`)
      return Response.json({ keys })
    },
    Effect.tapError((problem) =>
      Effect.sync(() => {
        const now = clock.currentTimeMillisUnsafe()
        if (keysFailed?.problem !== problem) keysFailed = { at: now, problem }
      })
    )
  )

  /** jose reads the keys again at most once in a while, whatever tokens name; but after a failure, it would at each token. */
  const keysAt = (url: URL): JWTVerifyGetKey =>
    createRemoteJWKSet(url, {
      cooldownDuration: ISSUER_KEYS_COOLDOWN_MS,
      cacheMaxAge: ISSUER_KEYS_AGE_MS,
      // Ours comes first, and is remembered.
      timeoutDuration: 2 * ISSUER_KEYS_ANSWER_MS,
      [customFetch]: (address, { signal }) => run(readKeys(new URL(address)), { signal })
    })

  const read = Effect.gen(function* () {
    let problem: IssuerAway | undefined
    for (const place of placesOf(own)) {
      const response = yield* Effect.result(requested(place, "metadata", { headers: { accept: "application/json" } }))
      if (response._tag === "Failure") {
        problem ??= response.failure
        continue
      }
      const { status, text } = response.success
      if (status >= 500 || status === 429) problem ??= away(`does not answer (HTTP ${status})`)
      const fields = status === 200 ? parsed(text) : undefined
      if (fields === undefined) continue
      if (fields["issuer"] !== config.issuer) {
        return yield* away(
          `calls itself ${quoted(fields["issuer"])} in its metadata, so none of its tokens is accepted: write that as "issuer" if it is the one that you mean`
        )
      }
      const address = endpointIn(fields, "jwks_uri")
      return {
        fields,
        keys: address === undefined ? undefined : keysAt(address),
        readAt: clock.currentTimeMillisUnsafe()
      }
    }
    return yield* problem ?? away("has no metadata")
  })

  /** Read once for all who wait. What was read lasts on while the issuer cannot be reached. */
  const known = one.withPermit(
    Effect.gen(function* () {
      const now = clock.currentTimeMillisUnsafe()
      if (metadata !== undefined && now - metadata.readAt < ISSUER_METADATA_AGE_MS) return metadata
      if (failed !== undefined && now - failed.at < ISSUER_RETRY_MS) return metadata ?? (yield* away(failed.detail))
      return yield* read.pipe(
        Effect.tap((found) => Effect.sync(() => ((metadata = found), (failed = undefined)))),
        Effect.catch((problem) => {
          failed = { at: now, detail: problem.detail }
          return metadata === undefined ? Effect.fail(problem) : Effect.succeed(metadata)
        })
      )
    })
  )

  const post: Issuer["post"] = Effect.fnUntraced(function* (url, { clientId, secret }, form) {
    const { status, text } = yield* requested(url, "login", {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        ...(secret === undefined ? {} : { authorization: basic(clientId, secret) })
      },
      body: new URLSearchParams(secret === undefined ? { ...form, client_id: clientId } : form)
    })
    return { status, fields: parsed(text) }
  })

  return {
    config,
    metadata: Effect.map(known, ({ fields }) => fields),
    post,
    readable: known.pipe(
      Effect.flatMap(({ fields }) => {
        const url = endpointIn(fields, "jwks_uri")
        if (url !== undefined) return Effect.asVoid(readKeys(url))
        return config.introspection === undefined ? away("names no jwks_uri") : Effect.void
      })
    ),
    keys: Effect.flatMap(known, ({ keys }) => (keys === undefined ? away("names no jwks_uri") : Effect.succeed(keys))),
    introspect: Effect.fnUntraced(function* (token: string, secret: string) {
      const { clientId, url: written } = config.introspection!
      const url = written === undefined ? endpointIn((yield* known).fields, "introspection_endpoint") : new URL(written)
      if (url === undefined) return yield* away("names no introspection_endpoint")
      const { status, text } = yield* requested(
        url,
        "introspection",
        {
          method: "POST",
          headers: {
            accept: "application/json",
            authorization: basic(clientId, secret),
            "content-type": "application/x-www-form-urlencoded"
          },
          body: new URLSearchParams({ token, token_type_hint: "access_token" })
        },
        asking
      )
      if (status !== 200) return yield* away(`refuses introspection (HTTP ${status})`)
      const fields = parsed(text)
      if (typeof fields?.["active"] !== "boolean") return yield* away("answers introspection with something else")
      return fields["active"] ? fields : undefined
    })
  } satisfies Issuer
})
