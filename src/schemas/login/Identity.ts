/** Who a token says that its client is: read from checked claims. Pure. */
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import {
  CLAIM_VALUE_MAX_CHARS,
  CLAIM_VALUES_MAX,
  CLAIMS_MAX_CHARS,
  CLAIMS_MAX_DEPTH,
  CLAIMS_VALUES_MAX
} from "../defaults/Clients.ts"
import { exceeds, isObject, withinBounds } from "../data/Json.ts"
import { DEFAULT_CLAIMS, type IssuerConfig } from "./ClientsConfig.ts"

/** The person behind a client. Two are the same if issuer and subject are; the name is for people, and for rules. */
export const Person = Schema.Struct({ issuer: Schema.String, subject: Schema.String, name: Schema.String })
export type Person = typeof Person.Type

const PERSON_ID_CHARS = 32

/** The same for the same person, through whatever client, and for nobody else: of issuer and subject, never of the name. */
export const personIdOf = ({ issuer, subject }: Pick<Person, "issuer" | "subject">): string =>
  createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("hex")
    .slice(0, PERSON_ID_CHARS)

/** Whose call it is, as far as a token says. */
export const Identity = Schema.Struct({
  client: Schema.String,
  /** `undefined` for a program that acts for itself. */
  person: Schema.optional(Person),
  groups: Schema.Array(Schema.String),
  roles: Schema.Array(Schema.String),
  scopes: Schema.Array(Schema.String),
  /** Everything that the token says, for the conditions of rules; `undefined` if that is too much. Never logged. */
  claims: Schema.optional(Schema.Record(Schema.String, Schema.Json))
})
export type Identity = typeof Identity.Type

export type Claims = Readonly<Record<string, unknown>>

/** A member, or that of an object inside: `realm_access.roles`. The whole name comes first: claims may be URLs. */
const claimAt = (claims: Claims, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path]
  const dot = path.indexOf(".")
  if (dot < 0) return undefined
  const inside = Object.hasOwn(claims, path.slice(0, dot)) ? claims[path.slice(0, dot)] : undefined
  return isObject(inside) ? claimAt(inside, path.slice(dot + 1)) : undefined
}

/** They would end a line of the log. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const isName = (value: unknown): value is string =>
  isText(value) && value.length <= CLAIM_VALUE_MAX_CHARS && !CONTROLS.test(value) && value.isWellFormed()

const namesAt = (claims: Claims, path: string): ReadonlyArray<string> => {
  const value = claimAt(claims, path)
  const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return all.filter(isText)
}

export const scopesIn = ({ scope, scp }: Claims): ReadonlyArray<string> => {
  const value = scope ?? scp
  const all: ReadonlyArray<unknown> = Array.isArray(value) ? value : typeof value === "string" ? value.split(" ") : []
  return all.filter(isText)
}

/** Some issuers write it as a text. */
const isUnverified = (claims: Claims): boolean =>
  [false, "false"].includes(claims["email_verified"] as boolean | string)

/** As they were written, if that is not too much. */
const boundedClaims = (claims: Claims): Identity["claims"] =>
  withinBounds(claims, CLAIMS_MAX_DEPTH, CLAIMS_VALUES_MAX) && !exceeds(claims, CLAIMS_MAX_CHARS)
    ? (JSON.parse(JSON.stringify(claims)) as Identity["claims"])
    : undefined

/**
 * The identity in checked claims; a text says what is wrong with them. An address that the issuer has not verified is nobody's
 * name: somebody else could have entered it.
 */
export const identityOf = (
  claims: Claims,
  { claims: read = DEFAULT_CLAIMS, issuer }: IssuerConfig
): Identity | string => {
  const client = [claimAt(claims, read.client), claims["azp"]].find(isName)
  const { sub } = claims
  if (!isName(sub)) return "it names no subject (sub)"
  const scopes = scopesIn(claims)
  const groups = namesAt(claims, read.groups)
  const roles = namesAt(claims, read.roles)
  // Without some of them, a rule that denies something would not hold.
  for (const [what, values] of Object.entries({ groups, roles, scopes })) {
    if (values.length > CLAIM_VALUES_MAX) return `it names more than ${CLAIM_VALUES_MAX} ${what}`
    if (!values.every(isName)) return `one of its ${what} is too long, or has a character that cannot be shown`
  }
  const said = { groups, roles, scopes, claims: boundedClaims(claims) }
  if (sub === client) return { client, person: undefined, ...said }
  const named = claimAt(claims, read.person)
  if (!isName(named)) return `the claim '${read.person}' names no person`
  if (read.person === "email" && isUnverified(claims)) return "its e-mail address is not verified"
  return { client: client ?? "unknown", person: { issuer, subject: sub, name: named }, ...said }
}

/** The client with a token of the configuration: its name is all that is known of it. */
export const identityOfToken = (principal: string): Identity => ({
  client: principal.startsWith(TOKEN_CLIENT) ? principal.slice(TOKEN_CLIENT.length) : principal,
  groups: [],
  roles: [],
  scopes: [],
  claims: {}
})

/** The principal of a client with a token of the configuration. */
export const principalOfToken = (name: string): string => `${TOKEN_CLIENT}${name}`

const TOKEN_CLIENT = "client "

const DIGEST_CHARS = 16

/** The same for the same person with the same client at the same issuer, and never for others. People can read it. */
export const principalOf = ({ client, person }: Identity, issuer: string): string => {
  const key = JSON.stringify([issuer, person?.subject ?? null, client])
  const digest = createHash("sha256").update(key).digest("hex").slice(0, DIGEST_CHARS)
  return person === undefined ? `client ${client} ${digest}` : `${person.name} by ${client} ${digest}`
}
