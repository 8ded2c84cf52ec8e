/**
 * The OAuth 2.1 settings of a server, as an operator configures them. Names follow the RFCs. Secrets are references; they are
 * resolved just before they are sent.
 */

export const OAUTH_GRANTS = ["authorization_code", "client_credentials", "jwt-bearer", "token-exchange"] as const
/**
 * `jwt-bearer` is RFC 7523: an assertion of a workload's platform or of a company's identity provider. `token-exchange` is RFC 8693: the access
 * token that the person of a call brought.
 */
export type OAuthGrant = (typeof OAUTH_GRANTS)[number]

export const CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const
/** How the client authenticates at the token endpoint (`token_endpoint_auth_method`, RFC 7591). */
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

/** The signature algorithms for `private_key_jwt`. */
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

/** A company's identity provider, which asserts that this user may use the server (SEP-990, RFC 8693). */
export interface EnterpriseConfig {
  readonly idpTokenUrl: string
  readonly idpClientId: string
  /** May contain references. */
  readonly idpClientSecret?: string | undefined
  /** The user's ID token from the identity provider. May contain references. */
  readonly subjectToken: string
}

/** The OAuth 2.1 settings of a server (`auth` of its entry). Names follow the RFCs. */
export interface OAuthConfig {
  readonly grant: OAuthGrant
  /** The only authorization server that gets these credentials. Default: the first one that the server names. */
  readonly issuer?: string | undefined
  readonly clientId?: string | undefined
  /** May contain references. */
  readonly clientSecret?: string | undefined
  /** A URL where this client describes itself (Client ID Metadata Documents); it is the client id where that is supported. */
  readonly clientMetadataUrl?: string | undefined
  /** Requested instead of the scopes that the server names. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The port on this machine to which a login redirects. Default: any free one. */
  readonly redirectPort?: number | undefined
  readonly tokenEndpointAuthMethod?: ClientAuthMethod | undefined
  /** PEM (PKCS #8) or JWK. May contain references. */
  readonly privateKey?: string | undefined
  readonly algorithm?: SigningAlgorithm | undefined
  /** A JWT of the workload's platform. May contain references, which are resolved again for each request. */
  readonly assertion?: string | undefined
  readonly enterprise?: EnterpriseConfig | undefined
  /** Each person has a login of their own. */
  readonly per?: "person" | undefined
  /** Tokens are bound to a key of ours (RFC 9449); other tokens are refused. */
  readonly dpop?: boolean | undefined
}

/** In place of a secret: the access token that the person of a call brought. */
export const CALLER = "{caller}"

/** Whether the token of the person who calls goes to an authorization server. */
export const passesCallers = ({ enterprise, grant }: OAuthConfig): boolean =>
  grant === "token-exchange" || enterprise?.subjectToken === CALLER

/** The default for a server: a person logs in, and the client registers itself. */
export const DEFAULT_OAUTH: OAuthConfig = { grant: "authorization_code" }

/** Whether tokens can be had without a person. */
export const isUnattended = ({ grant }: OAuthConfig): boolean => grant !== "authorization_code"

/** Whether it contains secrets that only the right authorization server may get. */
export const entrustsSecrets = ({ assertion, clientSecret, enterprise, grant, privateKey }: OAuthConfig): boolean =>
  grant === "token-exchange" || (clientSecret ?? privateKey ?? assertion ?? enterprise) !== undefined

/** The texts that may contain references. */
export const secretTextsOf = ({
  assertion,
  clientSecret,
  enterprise,
  privateKey
}: OAuthConfig): ReadonlyArray<string> =>
  [clientSecret, privateKey, assertion, enterprise?.idpClientSecret, enterprise?.subjectToken].filter(
    (text): text is string => text !== undefined && text !== CALLER
  )
