/** `clients`: at which authorization servers MCP clients over HTTP may log in, and how their tokens are read. */
import * as Schema from "effect/Schema"
import { choice, flag, key, list, names, optional, required, sound, text } from "../config/Keys.ts"
import { hasSome, section } from "../config/Sections.ts"
import { LIMITS } from "../config/Limits.ts"
import { CLIENT_RULES_MAX, ISSUERS_MAX } from "../defaults/Clients.ts"
import { ClientRule } from "./ClientRule.ts"

/** Signatures with a public key alone: with a shared secret, whoever checks a token could also make one. */
export const TOKEN_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
] as const
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number]

const addressFault =
  (example: string) =>
  (value: string): string | undefined => {
    const url = URL.parse(value)
    const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
    return isAddress && url.hash === "" && url.search === ""
      ? undefined
      : `must be an address such as "${example}", without a query and without credentials`
  }

/** Of a protected resource. */
export const resourceFault = addressFault("https://mcp.example.com/mcp")

const address = sound(addressFault("https://login.example.com"))

const CLAIMS = {
  person: key(
    text,
    "sub",
    "the claim with the name of the person, as rules and records show it; identity is always issuer and `sub`"
  ),
  groups: key(text, "groups", "the claim with the groups of the person; `a.b` is the member `b` of the claim `a`"),
  roles: key(text, "roles", "the claim with the roles of the person, such as `realm_access.roles`"),
  client: key(text, "client_id", "the claim with the client; `azp` counts where it is missing")
}

const INTROSPECTION = {
  url: optional(
    address,
    "as the issuer's metadata says",
    "the address at which to ask about tokens that are no JWT (RFC 7662)"
  ),
  clientId: required(text, "the id of this gateway as a client of the issuer"),
  clientSecret: required(text, "its secret; may be a `secret://` reference")
}

const LOGIN = {
  clientId: required(text, "the id of this gateway as a client of the issuer (OpenID Connect)"),
  clientSecret: optional(text, "none", "its secret; may be a `secret://` reference")
}

const PAGE = {
  clientId: required(
    text,
    "the id of the page as a public client of the issuer (OAuth 2.1 with PKCE, without a secret)"
  ),
  scopes: optional(names, "`openid` and the `scopes` of the issuer", "the scopes that the page asks for")
}

export const ISSUER_KEYS = {
  issuer: required(address, "the issuer of the tokens, exactly as it calls itself"),
  audience: optional(
    Schema.Union([text, names]),
    "`resource`",
    "the audience that a token must have (`aud`); one of them, if you list several"
  ),
  algorithms: optional(
    list(choice(TOKEN_ALGORITHMS), "signature algorithms"),
    "all of them",
    "the signature algorithms that are accepted; never one with a shared secret"
  ),
  scopes: key(names, [], "scopes that a token needs; the refusal of a token without them names them"),
  claims: optional(Schema.Struct(CLAIMS), "the usual ones", "the claims that say whose call it is"),
  agent: optional(text, "that of the program", "the agent whose servers and rules hold for its clients"),
  introspection: optional(Schema.Struct(INTROSPECTION), "none", "for tokens that are no JWT"),
  login: optional(
    Schema.Struct(LOGIN),
    "none",
    "how a person logs in at the issuer before they connect an account at a server"
  ),
  page: optional(
    Schema.Struct(PAGE),
    "none",
    "lets people who have an account at the issuer log in on the page of `serve --http`, where they see what is theirs"
  ),
  allowPrivate: key(flag, false, "whether its addresses may be private; its own may always be on this machine if it is")
}

const Issuer = Schema.Struct(ISSUER_KEYS)

export type IssuerConfig = typeof Issuer.Type

const QUOTA = {
  perDay: optional(LIMITS.perDay, "no limit", "calls in a day of UTC"),
  perMonth: optional(LIMITS.perMonth, "no limit", "calls in a month of UTC")
}

const PERSON_LIMITS = {
  perMinute: optional(LIMITS.perDay, "no limit", "calls in a minute"),
  ...QUOTA,
  tools: optional(
    Schema.Record(text, Schema.Struct(QUOTA)),
    "none",
    "the same for some tools, by patterns of `server/tool` such as `git/*`; each pattern that matches counts the call"
  )
}

const KEYS = {
  issuers: key(
    list(Issuer, "issuers", ISSUERS_MAX),
    [],
    `the authorization servers whose access tokens let a client in, at most ${ISSUERS_MAX}`
  ),
  limits: optional(
    Schema.Struct(PERSON_LIMITS),
    "no limits",
    "how many calls each person who logs in may make, of all servers together; kept over restarts, and one count for all nodes of a fleet"
  ),
  resource: optional(
    sound(resourceFault),
    "the address that the program listens on",
    "the address of this gateway as clients know it, such as `https://mcp.example.com/mcp`; tokens are made for it"
  ),
  rules: key(
    list(ClientRule, "rules", CLIENT_RULES_MAX),
    [],
    `what clients over HTTP may use, at most ${CLIENT_RULES_MAX} rules; without any, everything that their agent has`
  )
}

/** At which authorization servers MCP clients may log in. */
export interface ClientsConfig extends Schema.Struct.Type<typeof KEYS> {}

export const CLIENTS = section("clients", KEYS, (value) => hasSome(value, ["issuers", "rules"]))

export const DEFAULT_CLIENTS: ClientsConfig = CLIENTS.defaults

export const DEFAULT_CLAIMS: Schema.Struct.Type<typeof CLAIMS> = Schema.decodeUnknownSync(Schema.Struct(CLAIMS))({})
