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
    "which of the three it is"
  )

export const BEARER_KEYS = { type: typeOf("bearer"), token: required(text, "sent as `Authorization: Bearer`") }
export const API_KEY_KEYS = { type: typeOf("api-key"), key: required(text, "sent as `X-API-Key`") }

/** A company's identity provider, which says by an assertion that this user may use the server (SEP-990, RFC 8693). */
export const ENTERPRISE_KEYS = {
  idpTokenUrl: optional(text, "required", "the token endpoint of the identity provider"),
  idpClientId: optional(text, "required", "the client there"),
  idpClientSecret: optional(text, "none", "may be a `secret://` reference"),
  subjectToken: optional(
    text,
    "required",
    "what the user has of the identity provider: an ID token; may be a `secret://` reference"
  )
}

const scopes = list(text, 'scopes, or one string such as "read write"')

export const OAUTH_KEYS = {
  type: typeOf("oauth"),
  grant: optional(
    word(OAUTH_GRANTS),
    '"authorization_code"',
    "how a token is had: by a person who logs in, by the client alone, or by an assertion"
  ),
  issuer: optional(
    text,
    "the first that is met",
    "the authorization server that gets what is configured here, and no other"
  ),
  clientId: optional(text, "the client registers itself", "of a client that you registered"),
  clientSecret: optional(text, "none", "of that client; may be a `secret://` reference"),
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
    "what the server names",
    "asked for in place of what the server names; a list, or words with spaces between"
  ),
  redirectPort: optional(
    whole(`a port from ${REDIRECT_PORT_MIN} on`, REDIRECT_PORT_MIN, 65_535),
    "any that is free",
    "of the address on this machine that a login leads back to"
  ),
  tokenEndpointAuthMethod: optional(
    word(CLIENT_AUTH_METHODS),
    "by what the server offers",
    "how the client proves to the token endpoint who it is"
  ),
  privateKey: optional(text, "none", "of `private_key_jwt`: PEM (PKCS #8) or JWK; may be a `secret://` reference"),
  algorithm: optional(word(SIGNING_ALGORITHMS), "none", "what signs with `privateKey`"),
  assertion: optional(
    text,
    "none",
    "of `jwt-bearer`: a JWT of the workload's platform; may be a `secret://` reference"
  ),
  enterprise: optional(Schema.Struct(ENTERPRISE_KEYS), "none", "of `jwt-bearer`: a company's identity provider"),
  dpop: optional(
    flag,
    "false",
    "whether tokens are bound to a key of this machine (RFC 9449); one that is not is refused"
  )
}

/** `"oauth"` is how OpenClaw writes it. */
export const auth = Schema.Union([
  Schema.Literal("oauth"),
  Schema.Struct(BEARER_KEYS),
  Schema.Struct(API_KEY_KEYS),
  Schema.Struct(OAUTH_KEYS)
])
