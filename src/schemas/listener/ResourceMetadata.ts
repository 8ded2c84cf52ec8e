/**
 * What a client without a good token is told, so that it finds the login by itself: the metadata of the protected resource (RFC 9728) and the
 * challenge that names its address (RFC 6750 §3, RFC 9449 §7.1). Pure.
 */
import type { JsonObject } from "../data/Json.ts"
import type { TokenFault } from "../login/TokenRefused.ts"

export const METADATA_PATH = "/.well-known/oauth-protected-resource"

const METADATA_PLACE = /^\/\.well-known\/oauth-protected-resource(?:\/(?:mcp|sse|messages)(?:\/[^/]+)?)?$/

/** One document for all addresses: a token for the resource is good at each of them. */
export const isMetadataPath = (path: string): boolean => METADATA_PLACE.test(path)

export interface Resource {
  /** The address of this gateway, as clients know it. */
  readonly resource: string
  readonly issuers: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
  readonly proofAlgorithms: ReadonlyArray<string>
}

export const metadataOf = ({ issuers, proofAlgorithms, resource, scopes }: Resource): JsonObject => ({
  resource,
  authorization_servers: [...issuers],
  bearer_methods_supported: ["header"],
  dpop_signing_alg_values_supported: [...proofAlgorithms],
  resource_name: "mcp-live",
  ...(scopes.length === 0 ? {} : { scopes_supported: [...scopes] })
})

/** Where that document is (RFC 9728 §3.1): the path of the resource follows the well-known one. */
export const metadataAddressOf = (resource: string): string => {
  const { origin, pathname } = new URL(resource)
  return `${origin}${METADATA_PATH}${pathname === "/" ? "" : pathname}`
}

export interface Refusal {
  readonly fault: TokenFault
  readonly scopes?: ReadonlyArray<string> | undefined
}

/** Without a refusal, nothing was sent that could be refused: then the standard names no error. */
export const challengeOf = (
  { proofAlgorithms, resource, scopes }: Resource,
  refusal: Refusal | undefined,
  scheme: "Bearer" | "DPoP" = "Bearer"
): string => {
  const wanted = refusal?.scopes ?? scopes
  const parts = [
    ...(refusal === undefined ? [] : [`error="${refusal.fault}"`]),
    ...(wanted.length === 0 ? [] : [`scope="${wanted.join(" ")}"`]),
    `resource_metadata="${metadataAddressOf(resource)}"`,
    ...(scheme === "DPoP" ? [`algs="${proofAlgorithms.join(" ")}"`] : [])
  ]
  return `${scheme} ${parts.join(", ")}`
}
