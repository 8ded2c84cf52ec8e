/**
 * Finds the authorization server of a server: first the document of the server, at the address in its refusal or in the usual places, and then
 * the document of the authorization server. A document for another resource or another issuer is refused. Without any document, the server
 * does not use OAuth.
 */
import * as Effect from "effect/Effect"
import { AUTHORIZATION_SERVERS_MAX, SCOPES_MAX } from "../../../schemas/defaults/Authorization.ts"
import type { OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import type { Challenge } from "./challenge.ts"
import {
  parseObject,
  readAuthorizationServer,
  readResourceDocument,
  relationOf,
  type AuthorizationServer,
  type Fields,
  type ResourceDocument
} from "./documents.ts"
import { AuthProblem, later, refused, unanswered } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"

export interface Discovered {
  readonly authorizationServer: AuthorizationServer
  /** What tokens are asked for, as it is sent. */
  readonly resource: string
  /** The scopes that the server lists. */
  readonly scopes: ReadonlyArray<string>
}

export interface DiscoveryOptions {
  readonly url: URL
  readonly oauth: OAuthConfig
  readonly supplied: Supplied
  /** The authorization servers that know us already: one of them is chosen if the server names several. */
  readonly knownIssuer: string | undefined
}

const MCP_VERSION = "2025-11-25"
const PROTECTED_RESOURCE = "oauth-protected-resource"
const HEADERS = { Accept: "application/json", "MCP-Protocol-Version": MCP_VERSION }

/** `undefined` if there is no such document. */
const fetchDocument = Effect.fnUntraced(function* (
  supplied: Supplied,
  url: URL
): Effect.fn.Return<Fields | undefined, AuthProblem> {
  const response = yield* Effect.tryPromise({
    try: (signal) => supplied.fetch(url, { headers: HEADERS, signal }),
    catch: unanswered
  })
  const { ok, status } = response
  if (status === 429 || (status >= 500 && status !== 502)) {
    return yield* later(`its OAuth metadata cannot be read now (HTTP ${status})`)
  }
  if (!ok) return undefined
  return parseObject(yield* Effect.tryPromise({ try: () => response.text(), catch: unanswered }))
})

const wellKnown = (url: URL, name: string): URL => {
  const path = url.pathname === "/" ? "" : url.pathname.replace(/\/$/, "")
  const place = new URL(`/.well-known/${name}${path}`, url.origin)
  place.search = url.search
  return place
}

/** The server as a resource, without its query, which may contain a secret. */
const addressOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`

/** The places of the document of the server; the one that it named comes first. */
const resourcePlaces = (
  url: URL,
  challenge: Challenge | undefined,
  checkOwn: Supplied["checkOwn"]
): ReadonlyArray<URL> => {
  const named = challenge?.resourceMetadata === undefined ? "" : checkOwn(challenge.resourceMetadata)
  const places = [wellKnown(url, PROTECTED_RESOURCE), new URL(`/.well-known/${PROTECTED_RESOURCE}`, url.origin)]
  const all = typeof named === "string" ? places : [named, ...places]
  return all.filter((place, index) => all.findIndex(({ href }) => href === place.href) === index)
}

interface Found {
  readonly document: ResourceDocument
  /** What tokens are asked for, as it is sent. */
  readonly resource: string
}

/** Reads the document at a place; `undefined` if there is none. */
const documentAt = Effect.fnUntraced(function* (supplied: Supplied, place: URL) {
  const fields = yield* fetchDocument(supplied, place)
  return fields === undefined ? undefined : readResourceDocument(fields, AUTHORIZATION_SERVERS_MAX)
})

/**
 * A document is valid for the resource at whose place it is (RFC 9728 §3.3). If it names a resource above the server, a token would be valid for
 * more than this server: that is requested only if the document of the resource above says the same.
 */
const isConfirmed = Effect.fnUntraced(function* (supplied: Supplied, { resource }: ResourceDocument, place: URL) {
  const url = new URL(resource)
  const ownPlace = wellKnown(url, PROTECTED_RESOURCE)
  if (ownPlace.href === place.href) return true
  const there = yield* documentAt(supplied, ownPlace)
  return there !== undefined && URL.parse(there.resource)?.href === url.href
})

const findResource = Effect.fnUntraced(function* (
  { supplied, url }: DiscoveryOptions,
  challenge: Challenge | undefined
): Effect.fn.Return<Found | undefined, AuthProblem> {
  let problem: AuthProblem | undefined
  for (const place of resourcePlaces(url, challenge, supplied.checkOwn)) {
    const fetched = yield* Effect.result(documentAt(supplied, place))
    if (fetched._tag === "Failure") {
      problem ??= fetched.failure
      continue
    }
    const document = fetched.success
    if (document === undefined) continue
    const relation = relationOf(document.resource, url)
    if (relation === "other") return yield* refused("its OAuth metadata speaks for another resource")
    const isAsWritten = relation === "same" || (yield* isConfirmed(supplied, document, place))
    return { document, resource: isAsWritten ? document.resource : addressOf(url) }
  }
  return problem === undefined ? undefined : yield* problem
})

/** They may differ in the slash that URL parsers add to a bare host. */
export const sameIssuer = (a: string, b: string): boolean => a === b || `${a}/` === b || a === `${b}/`

const chooseIssuer = (
  { knownIssuer, oauth, url }: DiscoveryOptions,
  document: ResourceDocument | undefined
): string | AuthProblem => {
  const offered = document?.authorizationServers ?? []
  // A server that names none is its own authorization server, unless the configuration names one.
  const all = offered.length > 0 ? offered : [oauth.issuer ?? `${url.origin}/`]
  const same = (wanted: string) => all.find((each) => sameIssuer(each, wanted))
  if (oauth.issuer !== undefined) {
    return same(oauth.issuer) ?? refused("it names another authorization server than its configuration does")
  }
  return (knownIssuer === undefined ? undefined : same(knownIssuer)) ?? all[0]!
}

/** The places of the metadata of an issuer (RFC 8414 §3, OpenID Connect Discovery §4). */
const issuerPlaces = (issuer: URL): ReadonlyArray<URL> => {
  const path = issuer.pathname === "/" ? "" : issuer.pathname.replace(/\/$/, "")
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`]
  if (path !== "") places.push(`${path}/.well-known/openid-configuration`)
  // Set as a path: a path that begins with two slashes would be read as another host.
  return places.map((place) => Object.assign(new URL(issuer.origin), { pathname: place }))
}

const findAuthorizationServer = Effect.fnUntraced(function* (
  { supplied }: DiscoveryOptions,
  issuer: string
): Effect.fn.Return<AuthorizationServer | undefined, AuthProblem> {
  const url = supplied.check(issuer)
  if (typeof url === "string") return yield* refused(`its authorization server ${url}`)
  if (url.search !== "") return yield* refused("its authorization server is named with a query")
  for (const place of issuerPlaces(url)) {
    const document = yield* fetchDocument(supplied, place)
    if (document === undefined) continue
    const read = readAuthorizationServer(document, issuer, supplied.check)
    return read instanceof AuthProblem ? yield* read : read
  }
  return undefined
})

export const discover = Effect.fnUntraced(function* (
  options: DiscoveryOptions,
  challenge: Challenge | undefined
): Effect.fn.Return<Discovered, AuthProblem> {
  const found = yield* findResource(options, challenge)
  const document = found?.document
  const issuer = chooseIssuer(options, document)
  if (issuer instanceof AuthProblem) return yield* issuer
  const authorizationServer = yield* findAuthorizationServer(options, issuer)
  if (authorizationServer === undefined) {
    return yield* document === undefined
      ? new AuthProblem({ remedy: "none", detail: "it offers no OAuth" })
      : refused("its authorization server has no metadata")
  }
  return {
    authorizationServer,
    resource: found?.resource ?? addressOf(options.url),
    scopes: (document?.scopes ?? []).slice(0, SCOPES_MAX)
  }
})
