/**
 * The stored authorization of a server: our client id at its authorization server, and the tokens. It is read back from
 * files, so every value is checked.
 */
import { createHash } from "node:crypto"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ifValid, reader } from "../data/Lenient.ts"
import { SCOPE_MAX_CHARS, TOKEN_MAX_CHARS } from "../defaults/Authorization.ts"

/** Identifies whose credentials they are. Two servers with the same URL are separate: they may be logged in as different people. */
export interface ServerIdentity {
  readonly server: string
  /** The server's URL, with a digest in place of its query, which may contain a secret. */
  readonly resource: string
  /** Whose login it is, where each person has their own. */
  readonly account?: string | undefined
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

export const identityOf = (
  server: string,
  { origin, pathname, search }: URL,
  account?: string | undefined
): ServerIdentity => ({
  server,
  resource: `${origin}${pathname}${search === "" ? "" : `?${digest(search)}`}`,
  ...(account === undefined ? {} : { account })
})

/** The identity in names of files and locks. */
export const identityKey = ({ account, resource, server }: ServerIdentity): string =>
  digest(`${server}\n${resource}${account === undefined ? "" : `\n${account}`}`)

const readIdentity = reader(
  Schema.fromJsonString(
    Schema.Struct({ server: Schema.String, resource: Schema.String, account: ifValid(Schema.String) })
  )
)

/** Whose credentials a stored text holds, which it says without being decrypted; `undefined` for any other text. */
export const identityIn = (text: string): ServerIdentity | undefined => {
  const { account, resource, server } = readIdentity(text) ?? {}
  if (server === undefined || resource === undefined) return undefined
  return { server, resource, ...(account === undefined ? {} : { account }) }
}

/** The characters allowed in a header and a form (RFC 6749, appendix A): visible ASCII. */
const Token = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/), Schema.isMaxLength(TOKEN_MAX_CHARS))

/** The tokens of one server. Secret. */
const Tokens = Schema.Struct({
  accessToken: Token,
  /** How it is presented. */
  tokenType: Schema.Literals(["Bearer", "DPoP"]),
  refreshToken: Schema.optionalKey(Token),
  /** The granted scopes, or if unknown, the requested ones. */
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
  /** When the secret expires; milliseconds since 1970. */
  expiresAt: Schema.optionalKey(Schema.Finite)
})
/** A client that registered itself; it is valid only at that authorization server. */
export type RegisteredClient = typeof Client.Type

const Authorization = Schema.Struct({
  issuer: Schema.String,
  /** The resource of the tokens, as in the server's metadata. */
  resource: Schema.String,
  /** The client that the tokens were issued to. */
  clientId: Schema.String,
  tokens: Schema.optionalKey(Tokens)
})
export type Authorization = typeof Authorization.Type

const Stored = Schema.Struct({
  /** The current authorization server. One that got secrets from us is not replaced without the operator. */
  authorization: Schema.optionalKey(Authorization),
  clients: Schema.Record(Schema.String, Client),
  /** Scopes that the server requires in addition to those granted: for the next login. */
  wanted: Schema.Array(Schema.String),
  /** The private key that tokens are bound to, as a JWK. */
  dpopKey: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
/** The stored authorization of a server: our client id at its authorization server, and the tokens. Secret. */
export type Credentials = typeof Stored.Type

export const NO_CREDENTIALS: Credentials = { clients: {}, wanted: [] }

const decode = Schema.decodeUnknownOption(Stored)

/** `undefined` when it is not a valid file of ours. */
export const readCredentials = (value: unknown): Credentials | undefined => Option.getOrUndefined(decode(value))

const isText = (value: unknown): value is string => typeof value === "string"

/** Everything in them that must be masked: what authorization servers chose, and our own key. */
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

/** The scopes in a text (RFC 6749 §3.3), without duplicates. */
export const scopesOf = (text: string | undefined): ReadonlyArray<string> => [
  ...new Set((text ?? "").split(" ").filter(isScope))
]

export const union = (...lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  ...new Set(lists.flat())
]
