/**
 * How a server's HTTP requests are authorized with OAuth 2.1, as an operator configures it. Names follow the RFCs. Secrets
 * are references here; they become values just before they are sent.
 */

export const OAUTH_GRANTS = ["authorization_code", "client_credentials", "jwt-bearer"] as const
/** `jwt-bearer` is RFC 7523: an assertion of a workload's platform, or one that a company's identity provider gives. */
export type OAuthGrant = (typeof OAUTH_GRANTS)[number]

export const CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const
/** How the client proves to the token endpoint who it is (`token_endpoint_auth_method`, RFC 7591). */
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

/** What signs the assertions of `private_key_jwt`. */
export const SIGNING_ALGORITHMS = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512"
] as const
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** A company's identity provider, which says by an assertion that this user may use the server (SEP-990, RFC 8693). */
export interface EnterpriseConfig {
  readonly idpTokenUrl: string
  readonly idpClientId: string
  /** May hold references. */
  readonly idpClientSecret?: string | undefined
  /** What the user has of the identity provider: an ID token. May hold references. */
  readonly subjectToken: string
}

/** How the requests to one server are authorized with OAuth 2.1 (`auth` of its entry). Names follow the RFCs. */
export interface OAuthConfig {
  readonly grant: OAuthGrant
  /** The authorization server that gets what is configured here, and no other. The first one that is met when left out. */
  readonly issuer?: string | undefined
  readonly clientId?: string | undefined
  /** May hold references. */
  readonly clientSecret?: string | undefined
  /** Where this client describes itself (Client ID Metadata Documents); it is the client's id where that is understood. */
  readonly clientMetadataUrl?: string | undefined
  /** Asked for in place of what the server names. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Of the address on this machine that a login leads back to; any that is free when left out. */
  readonly redirectPort?: number | undefined
  readonly tokenEndpointAuthMethod?: ClientAuthMethod | undefined
  /** PEM (PKCS #8) or JWK. May hold references. */
  readonly privateKey?: string | undefined
  readonly algorithm?: SigningAlgorithm | undefined
  /** A JWT of the workload's platform. May hold references, which are read anew for each request. */
  readonly assertion?: string | undefined
  readonly enterprise?: EnterpriseConfig | undefined
  /** Tokens are bound to a key of ours (RFC 9449); one that is not is refused. */
  readonly dpop?: boolean | undefined
}

/** What holds for a server of which nothing is configured: a person logs in, and the client registers itself. */
export const DEFAULT_OAUTH: OAuthConfig = { grant: "authorization_code" }

/** Whether a token can be had without a person. */
export const isUnattended = ({ grant }: OAuthConfig): boolean => grant !== "authorization_code"

/** Whether something is sent to the authorization server that must not come to another one. */
export const entrustsSecrets = ({ assertion, clientSecret, enterprise, privateKey }: OAuthConfig): boolean =>
  (clientSecret ?? privateKey ?? assertion ?? enterprise) !== undefined

/** The texts that may hold references. */
export const secretTextsOf = ({
  assertion,
  clientSecret,
  enterprise,
  privateKey
}: OAuthConfig): ReadonlyArray<string> =>
  [clientSecret, privateKey, assertion, enterprise?.idpClientSecret, enterprise?.subjectToken].filter(
    (text) => text !== undefined
  )
