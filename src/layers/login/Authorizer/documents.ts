/**
 * The metadata documents of a server and of its authorization server (RFC 9728, RFC 8414, OpenID Connect Discovery), as far as they are needed.
 * Any value may be malformed or hostile; addresses are checked. Read by hand and not by a Schema, because each defect has its own message.
 */
import { METADATA_ADDRESS_MAX_CHARS, SCOPES_MAX } from "../../../schemas/defaults/Authorization.ts"
import { isScope } from "../../../schemas/login/Credentials.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { refused, type AuthProblem } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface ResourceDocument {
  /** As written in the document: it is sent in this form. */
  readonly resource: string
  readonly authorizationServers: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly tokenEndpoint: URL
  readonly authorizationEndpoint: URL | undefined
  readonly registrationEndpoint: URL | undefined
  readonly revocationEndpoint: URL | undefined
  /** `undefined` if it does not mention PKCE. */
  readonly challengeMethods: ReadonlyArray<string> | undefined
  readonly clientAuthMethods: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
  /** `undefined` if it does not mention DPoP. */
  readonly dpopAlgorithms: ReadonlyArray<string> | undefined
  /** Whether its responses contain its issuer (RFC 9207). */
  readonly namesItself: boolean
  /** Whether it accepts a client ID that is the address of a metadata document. */
  readonly takesClientDocuments: boolean
}

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && value.length <= METADATA_ADDRESS_MAX_CHARS

/** Names that are compared or sent, none longer than a scope may be. */
const namesIn = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) ? value.filter(isScope).slice(0, SCOPES_MAX) : undefined

export const parseObject = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined` for anything else: many servers answer every address with a page. */
export const readResourceDocument = (document: Fields, serversMax: number): ResourceDocument | undefined => {
  const { authorization_servers: servers, resource, scopes_supported: scopes } = document
  if (!isAddress(resource) || URL.parse(resource) === null) return undefined
  return {
    resource,
    authorizationServers: Array.isArray(servers) ? servers.filter(isAddress).slice(0, serversMax) : [],
    scopes: namesIn(scopes) ?? []
  }
}

const withSlash = (path: string): string => (path.endsWith("/") ? path : `${path}/`)

/**
 * How a resource relates to a server: `same`; `parent` if it has the same origin and the server is below its path, so that a token for it is valid
 * for more than this server; `other`.
 */
export const relationOf = (resource: string, server: URL): "same" | "parent" | "other" => {
  const url = URL.parse(resource)
  if (url === null || url.origin !== server.origin || url.hash !== "" || url.username !== "") return "other"
  if (url.search !== "" && url.search !== server.search) return "other"
  if (withSlash(url.pathname) === withSlash(server.pathname)) return "same"
  return withSlash(server.pathname).startsWith(withSlash(url.pathname)) ? "parent" : "other"
}

/** They may differ in the slash that URL parsers add to a bare host. */
const sameIssuer = (expected: string, named: unknown): named is string =>
  named === expected || (expected.endsWith("/") && named === expected.slice(0, -1))

export const readAuthorizationServer = (
  document: Fields,
  expectedIssuer: string,
  check: Supplied["check"]
): AuthorizationServer | AuthProblem => {
  const { issuer } = document
  if (!sameIssuer(expectedIssuer, issuer)) return refused("its authorization server's metadata is another issuer's")
  const responses = namesIn(document["response_types_supported"])
  if (responses !== undefined && !responses.includes("code")) {
    return refused("its authorization server does not offer the authorization code flow")
  }
  let problem: AuthProblem | undefined
  const endpoint = (name: string): URL | undefined => {
    if (document[name] === undefined) return undefined
    const checked = check(document[name])
    if (typeof checked !== "string") return checked
    problem ??= refused(`the ${name} of its authorization server ${checked}`)
    return undefined
  }
  const tokenEndpoint = endpoint("token_endpoint")
  const server = {
    issuer,
    authorizationEndpoint: endpoint("authorization_endpoint"),
    registrationEndpoint: endpoint("registration_endpoint"),
    revocationEndpoint: endpoint("revocation_endpoint"),
    challengeMethods: namesIn(document["code_challenge_methods_supported"]),
    clientAuthMethods: namesIn(document["token_endpoint_auth_methods_supported"]) ?? [],
    scopes: namesIn(document["scopes_supported"]) ?? [],
    dpopAlgorithms: namesIn(document["dpop_signing_alg_values_supported"]),
    namesItself: document["authorization_response_iss_parameter_supported"] === true,
    takesClientDocuments: document["client_id_metadata_document_supported"] === true
  }
  if (problem !== undefined) return problem
  return tokenEndpoint === undefined
    ? refused("its authorization server names no token endpoint")
    : { ...server, tokenEndpoint }
}
