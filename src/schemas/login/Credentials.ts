/**
 * What is kept of a server's authorization: which client we are at which authorization server, and the tokens it gave.
 * Read back from files, so every value may be anything.
 */
import { createHash } from "node:crypto"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SCOPE_MAX_CHARS, TOKEN_MAX_CHARS } from "../defaults/Authorization.ts"

/** Whose credentials they are. Two servers of one address are two: they may be logged in as different people. */
export interface ServerIdentity {
  readonly server: string
  /** The address of the server; of its query, which may hold a secret, only a digest. */
  readonly resource: string
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

export const identityOf = (server: string, { origin, pathname, search }: URL): ServerIdentity => ({
  server,
  resource: `${origin}${pathname}${search === "" ? "" : `?${digest(search)}`}`
})

/** Tells identities apart in names of files and locks. */
export const identityKey = ({ resource, server }: ServerIdentity): string => digest(`${server}\n${resource}`)

/** What a header and a form may carry (RFC 6749, appendix A): visible ASCII. */
const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/), Schema.isMaxLength(TOKEN_MAX_CHARS))

/** The tokens of one server. Secret. */
const Tokens = Schema.Struct({
  accessToken: Token,
  /** How it is presented. */
  tokenType: Schema.Literals(["Bearer", "DPoP"]),
  refreshToken: Schema.optionalKey(Token),
  /** What it was given for, else what was asked for. */
  scopes: Schema.Array(Schema.String),
  /** Milliseconds since 1970. */
  expiresAt: Schema.optionalKey(Schema.Finite),
  obtainedAt: Schema.Finite
})
/** The tokens of one server. Secret. */
export type Tokens = typeof Tokens.Type

const Client = Schema.Struct({
  clientId: Schema.String,
  clientSecret: Schema.optionalKey(Schema.String),
  authMethod: Schema.optionalKey(Schema.String),
  redirectUri: Schema.optionalKey(Schema.String),
  /** Of the secret; milliseconds since 1970. */
  expiresAt: Schema.optionalKey(Schema.Finite)
})
/** A client that registered itself, which is worth nothing at any other authorization server. */
export type RegisteredClient = typeof Client.Type

const Authorization = Schema.Struct({
  issuer: Schema.String,
  /** For what the tokens are, as the server's metadata writes it. */
  resource: Schema.String,
  /** Whose client the tokens were given to. */
  clientId: Schema.String,
  tokens: Schema.optionalKey(Tokens)
})
export type Authorization = typeof Authorization.Type

const Stored = Schema.Struct({
  /** The present authorization server; one that got secrets from us is not exchanged without the operator's word. */
  authorization: Schema.optionalKey(Authorization),
  clients: Schema.Record(Schema.String, Client),
  /** Scopes that the server wants beyond those that were given: for the next login. */
  wanted: Schema.Array(Schema.String),
  /** The private key that tokens are bound to, as a JWK. */
  dpopKey: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
/**
 * What is kept of a server's authorization: which client we are at which authorization server, and the tokens it
 * gave. Secret.
 */
export type Credentials = typeof Stored.Type

export const NO_CREDENTIALS: Credentials = { clients: {}, wanted: [] }

const decode = Schema.decodeUnknownOption(Stored)

/** `undefined` for what is none of ours. */
export const readCredentials = (value: unknown): Credentials | undefined => Option.getOrUndefined(decode(value))

const isText = (value: unknown): value is string => typeof value === "string"

/** Everything in them that nobody else may see: what authorization servers chose, and the key that is ours. */
export const secretsIn = ({ authorization, clients, dpopKey }: Credentials) => ({
  chosen: [
    authorization?.tokens?.accessToken,
    authorization?.tokens?.refreshToken,
    ...Object.values(clients).map(({ clientSecret }) => clientSecret)
  ].filter(isText),
  own: [dpopKey?.["d"]].filter(isText)
})

export const isScope = (text: unknown): text is string =>
  typeof text === "string" && text.length <= SCOPE_MAX_CHARS && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)

/** Scopes of a text (RFC 6749 §3.3), each once. */
export const scopesOf = (text: string | undefined): ReadonlyArray<string> => [
  ...new Set((text ?? "").split(" ").filter(isScope))
]

export const union = (...lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  ...new Set(lists.flat())
]
