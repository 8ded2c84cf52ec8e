/**
 * The keys of `auth` of a server: a token or a key that becomes a header, or OAuth 2.1. Names follow the RFCs.
 */
import * as Schema from "effect/Schema"
import { REDIRECT_PORT_MIN } from "../defaults/Authorization.ts"
import { CLIENT_AUTH_METHODS, OAUTH_GRANTS, SIGNING_ALGORITHMS } from "../login/OAuthConfig.ts"
import { flag, list, optional, required, text, whole, word } from "./Keys.ts"
import { kindOf, show } from "./Fields.ts"
import { notes } from "./Notes.ts"

const TYPES = '"bearer", "api-key" or "oauth"'

const typeOf = <const A extends string>(type: A) =>
  required(
    Schema.Literal(type).annotate(notes({ problem: (value) => `must be ${TYPES}, is ${show(value)}` })),
    "the kind of authorization"
  )

export const BEARER_KEYS = { type: typeOf("bearer"), token: required(text, "sent as `Authorization: Bearer`") }
export const API_KEY_KEYS = { type: typeOf("api-key"), key: required(text, "sent as `X-API-Key`") }

/** A company's identity provider, which asserts that this user may use the server (SEP-990, RFC 8693). */
export const ENTERPRISE_KEYS = {
  idpTokenUrl: optional(text, "required", "the token endpoint of the identity provider"),
  idpClientId: optional(text, "required", "the client id at the identity provider"),
  idpClientSecret: optional(text, "none", "its client secret; may be a `secret://` reference"),
  subjectToken: optional(
    text,
    "required",
    "the user's ID token from the identity provider, which may be a `secret://` reference; or `{caller}`: the access token of the person who calls"
  )
}

const scopes = list(text, 'scopes, or one string such as "read write"')

export const OAUTH_KEYS = {
  type: typeOf("oauth"),
  grant: optional(
    word(OAUTH_GRANTS),
    '"authorization_code"',
    "how to get a token: a person logs in, the client alone, with an assertion, or in exchange for the token of the person who calls"
  ),
  issuer: optional(
    text,
    "the first one that the server names",
    "the only authorization server that gets these credentials"
  ),
  clientId: optional(text, "the client registers itself", "the id of a client that you registered"),
  clientSecret: optional(text, "none", "the secret of that client; may be a `secret://` reference"),
  clientMetadataUrl: optional(text, "none", "the `https://` address of a Client ID Metadata Document"),
  scopes: optional(
    Schema.Union([text, scopes]).annotate(
      notes({
        problem: (value) =>
          typeof value === "string" || Array.isArray(value)
            ? undefined
            : `must be a list of scopes, or one string such as "read write", is ${kindOf(value)}`
      })
    ),
    "those that the server names",
    "the scopes to request; a list, or one string with spaces"
  ),
  redirectPort: optional(
    whole(`a port from ${REDIRECT_PORT_MIN} on`, REDIRECT_PORT_MIN, 65_535),
    "any that is free",
    "the port on this machine to which a login redirects"
  ),
  tokenEndpointAuthMethod: optional(
    word(CLIENT_AUTH_METHODS),
    "one that the server offers",
    "how the client authenticates at the token endpoint"
  ),
  privateKey: optional(text, "none", "for `private_key_jwt`: PEM (PKCS #8) or JWK; may be a `secret://` reference"),
  algorithm: optional(word(SIGNING_ALGORITHMS), "none", "the signature algorithm for `privateKey`"),
  assertion: optional(
    text,
    "none",
    "for `jwt-bearer`: a JWT of the workload's platform; may be a `secret://` reference"
  ),
  enterprise: optional(Schema.Struct(ENTERPRISE_KEYS), "none", "for `jwt-bearer`: a company's identity provider"),
  per: optional(
    word(["person"]),
    "one login for everybody",
    "`person`: each person who logged in at [`clients`](clients.md#accounts-at-servers) has a login of their own, and a connection"
  ),
  dpop: optional(
    flag,
    "false",
    "whether tokens are bound to a key of this machine (RFC 9449); other tokens are refused"
  )
}

/** OpenClaw writes `"oauth"`. */
export const auth = Schema.Union([
  Schema.Literal("oauth"),
  Schema.Struct(BEARER_KEYS),
  Schema.Struct(API_KEY_KEYS),
  Schema.Struct(OAUTH_KEYS)
])
