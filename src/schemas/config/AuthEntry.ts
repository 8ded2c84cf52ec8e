/**
 * `auth` of a server: OAuth 2.1. It replaces the `auth` of a default as a whole, so that credentials for one authorization
 * server never go to another.
 */
import { SCOPES_MAX } from "../defaults/Authorization.ts"
import { scopesOf } from "../login/Credentials.ts"
import { isObject } from "../data/Json.ts"
import {
  CALLER,
  entrustsSecrets,
  type EnterpriseConfig,
  type OAuthConfig,
  passesCallers
} from "../login/OAuthConfig.ts"
import { SECRET_SCHEME } from "../secret/SecretReference.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import { ENTERPRISE_KEYS, OAUTH_KEYS } from "./AuthKeys.ts"
import { defined, member, show } from "./Fields.ts"
import { itemsOf, type KeyPath, type Located } from "./KeyPath.ts"
import { readKeys } from "./ReadKeys.ts"
import type { Report } from "./Report.ts"
import type { Environment } from "./Interpolation.ts"
import { checkUrl, chooseWord, refuseMask, resolveText } from "./Resolve.ts"

type Texts<Name extends string> = { readonly [_ in Name]?: Located<string> }
type TextKey = Exclude<keyof typeof OAUTH_KEYS, "type" | "scopes" | "redirectPort" | "dpop" | "enterprise">

/** As written: checked for types and keys, but not interpolated, and not checked as a whole. */
export interface AuthEntry {
  readonly path: KeyPath
  readonly texts: Texts<TextKey>
  readonly enterprise: Texts<keyof typeof ENTERPRISE_KEYS> | undefined
  readonly scopes: ReadonlyArray<Located<string>> | undefined
  readonly redirectPort: number | undefined
  readonly dpop: boolean | undefined
}

/** The values that may be references to secrets. */
export const secretsOf = ({ enterprise, texts }: AuthEntry): ReadonlyArray<Located<string>> =>
  [texts.clientSecret, texts.privateKey, texts.assertion, enterprise?.idpClientSecret, enterprise?.subjectToken].filter(
    (secret): secret is Located<string> => secret !== undefined && secret.value !== CALLER
  )

const TYPES = '"bearer", "api-key" or "oauth"'

/** The texts among the values, each with its path. */
const textsIn = (path: KeyPath, values: Readonly<Record<string, unknown>>): Readonly<Record<string, Located<string>>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, { path: [...path, key], value }]] : []
    )
  )

/** A list, or one string separated by spaces, as in the protocol. */
const scopesIn = (path: KeyPath, scopes: string | ReadonlyArray<string> | undefined) => {
  if (scopes === undefined) return undefined
  return typeof scopes === "string" ? [{ path, value: scopes }] : itemsOf({ path, value: scopes })
}

export const readAuth = (report: Report, path: KeyPath, value: unknown): AuthEntry | undefined => {
  // As OpenClaw writes it.
  const raw = value === "oauth" ? { type: "oauth" } : value
  if (!isObject(raw)) {
    report.error(path, `must be an object with a "type" of ${TYPES}, is ${show(raw)}`)
    return undefined
  }
  if (member(raw, "type") === undefined) report.error(path, `needs a "type": ${TYPES}`)
  const { dpop, redirectPort, scopes, type: _, ...others } = readKeys(OAUTH_KEYS, report, path, raw)
  const company = member(raw, "enterprise")
  const place = [...path, "enterprise"]
  const entry: AuthEntry = {
    path,
    texts: textsIn(path, others),
    enterprise: isObject(company) ? textsIn(place, readKeys(ENTERPRISE_KEYS, report, place, company)) : undefined,
    scopes: scopesIn([...path, "scopes"], scopes),
    redirectPort,
    dpop
  }
  for (const secret of secretsOf(entry)) warnOfPlaintext(report, secret)
  return entry
}

// ---- rules between keys --------------------------------------------------------------------------------------------

const needs = (
  report: Report,
  path: KeyPath,
  what: string,
  present: ReadonlyArray<readonly [string, unknown]>
): void => {
  for (const [key, value] of present) if (value === undefined) report.error(path, `${what} needs "${key}"`)
}

const checkTogether = (report: Report, path: KeyPath, config: OAuthConfig, given: AuthEntry): void => {
  const { algorithm, assertion, clientId, clientSecret, enterprise, grant, privateKey, tokenEndpointAuthMethod } =
    config
  const at = (key: TextKey): KeyPath => given.texts[key]?.path ?? path
  if (grant === "client_credentials") needs(report, path, 'grant "client_credentials"', [["clientId", clientId]])
  if (grant === "client_credentials" && clientSecret === undefined && privateKey === undefined) {
    report.error(path, 'grant "client_credentials" needs a "clientSecret" or a "privateKey"')
  }
  if (grant === "jwt-bearer" && (assertion === undefined) === (enterprise === undefined)) {
    report.error(path, 'grant "jwt-bearer" needs either "assertion" or "enterprise", not both')
  }
  if (grant !== "jwt-bearer" && (assertion ?? enterprise) !== undefined) {
    report.error(path, `"${assertion === undefined ? "enterprise" : "assertion"}" goes with grant "jwt-bearer" only`)
  }
  if (grant === "jwt-bearer") needs(report, path, 'grant "jwt-bearer"', [["clientId", clientId]])
  if (grant === "token-exchange") {
    // Nobody else may get the token of a person.
    needs(report, path, 'grant "token-exchange"', [
      ["clientId", clientId],
      ["issuer", config.issuer]
    ])
  }
  if (passesCallers(config) && config.per === undefined) {
    report.error(path, 'needs "per": "person": the token of one person must not be used for others')
  }
  if (grant === "client_credentials" && config.per !== undefined) {
    report.error(at("per"), 'cannot be combined with grant "client_credentials": that is a program, not a person')
  }
  if (clientSecret !== undefined || privateKey !== undefined) {
    needs(report, path, clientSecret === undefined ? '"privateKey"' : '"clientSecret"', [["clientId", clientId]])
  }
  if (clientSecret !== undefined && privateKey !== undefined) {
    report.error(at("privateKey"), 'cannot be combined with "clientSecret": keep one')
  }
  if (privateKey !== undefined && algorithm === undefined)
    needs(report, path, '"privateKey"', [["algorithm", algorithm]])
  if (tokenEndpointAuthMethod === "private_key_jwt")
    needs(report, path, '"private_key_jwt"', [["privateKey", privateKey]])
  if (tokenEndpointAuthMethod?.startsWith("client_secret") === true) {
    needs(report, path, `"${tokenEndpointAuthMethod}"`, [["clientSecret", clientSecret]])
  }
  if (clientId !== undefined && config.clientMetadataUrl !== undefined) {
    report.error(at("clientMetadataUrl"), 'cannot be combined with "clientId": keep one')
  }
  if (enterprise !== undefined) {
    needs(
      report,
      [...path, "enterprise"],
      '"enterprise"',
      (["idpTokenUrl", "idpClientId", "subjectToken"] as const).map((key) => [key, enterprise[key] || undefined])
    )
  }
  if (entrustsSecrets(config) && config.issuer === undefined) {
    report.warn(
      path,
      'the first authorization server that the MCP server names gets these credentials: name the right one with "issuer"'
    )
  }
}

const checkHttps = (report: Report, place: KeyPath, text: string, complete: boolean): void => {
  const url = complete ? URL.parse(text) : null
  if (!complete || (url?.protocol === "https:" && url.pathname !== "/" && url.hash === "" && url.username === ""))
    return
  report.error(place, "must be an https:// address with a path: it is the id of this client")
}

export const buildAuth = (report: Report, env: Environment, needed: boolean, entry: AuthEntry): OAuthConfig => {
  const resolve = (located: Located<string> | undefined) =>
    located === undefined ? undefined : resolveText(report, env, needed, located)
  const text = (name: TextKey) => resolve(entry.texts[name])?.text
  if (needed)
    for (const secret of secretsOf(entry)) refuseMask(report, resolveText(report, env, false, secret), "secret")
  const choose = <Name extends TextKey>(name: Name) => {
    const located = entry.texts[name]
    return (
      located && chooseWord<(typeof OAUTH_KEYS)[Name]["Type"]>(report, OAUTH_KEYS[name], located, resolve(located)!)
    )
  }
  const address = (located: Located<string> | undefined): string | undefined => {
    const resolved = resolve(located)
    if (resolved?.text.includes(SECRET_SCHEME) === true) {
      report.error(resolved.path, `cannot hold a ${SECRET_SCHEME} reference`)
    } else if (resolved !== undefined) checkUrl(report, resolved)
    return resolved?.text
  }
  const company = (located: Located<string> | undefined) => resolve(located)?.text ?? ""
  const enterprise: EnterpriseConfig | undefined = entry.enterprise && {
    idpTokenUrl: address(entry.enterprise.idpTokenUrl) ?? "",
    idpClientId: company(entry.enterprise.idpClientId),
    subjectToken: company(entry.enterprise.subjectToken),
    ...defined({ idpClientSecret: resolve(entry.enterprise.idpClientSecret)?.text })
  }
  const document = resolve(entry.texts.clientMetadataUrl)
  if (document !== undefined) checkHttps(report, document.path, document.text, document.complete)
  const wanted = entry.scopes?.flatMap((scope) => {
    const resolved = resolve(scope)!
    const read = scopesOf(resolved.text)
    if (resolved.complete && read.length === 0) report.error(scope.path, "is not a scope")
    return read
  })
  if (wanted !== undefined && wanted.length > SCOPES_MAX) report.error(entry.path, `has more than ${SCOPES_MAX} scopes`)
  const grant = choose("grant")
  const asserts = entry.texts.assertion !== undefined || entry.enterprise !== undefined
  const config: OAuthConfig = {
    grant: grant ?? (asserts && entry.texts.grant === undefined ? "jwt-bearer" : "authorization_code"),
    ...defined<Omit<OAuthConfig, "grant">>({
      issuer: address(entry.texts.issuer),
      clientId: text("clientId"),
      clientSecret: text("clientSecret"),
      clientMetadataUrl: document?.text,
      scopes: wanted,
      redirectPort: entry.redirectPort,
      tokenEndpointAuthMethod: choose("tokenEndpointAuthMethod"),
      privateKey: text("privateKey"),
      algorithm: choose("algorithm"),
      assertion: text("assertion"),
      enterprise,
      per: choose("per"),
      dpop: entry.dpop
    })
  }
  checkTogether(report, entry.path, config, entry)
  return config
}
