/**
 * Checks `clients` after its keys are decoded: the agents and addresses of issuers, the secrets by which this gateway asks them, the rules
 * and the limits. What is well-formed is checked even if something else is not, so that everything is reported at once.
 */
import { ClientRule } from "../login/ClientRule.ts"
import { readRule } from "../login/Standing.ts"
import { CLIENTS, type ClientsConfig, ISSUER_KEYS, type IssuerConfig } from "../login/ClientsConfig.ts"
import { isObject } from "../data/Json.ts"
import { checkRule, type Ruled } from "./ClientRuleEntry.ts"
import { ownReach } from "../connection/Reach.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import { member } from "./Fields.ts"
import { idleProblems } from "./IdleRules.ts"
import { noLines } from "./KeyLines.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type Keys, readKeys } from "./ReadKeys.ts"
import { makeReport, type Report, type WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { RULE_KEYS } from "./RuleKeys.ts"
import { type Place, readSection } from "./Sections.ts"

const warnOfPlainHttp = (report: Report, path: KeyPath, address: string | undefined): void => {
  const url = address === undefined ? null : URL.parse(address)
  if (url?.protocol !== "http:" || ownReach({ url, allowPrivate: false }).loopback) return
  report.warn(path, "is http://, which everybody on the way can read and change, also tokens: use https://")
}

const checkIssuer = (
  report: Report,
  agents: ReadonlyArray<string>,
  path: KeyPath,
  { agent, algorithms, audience, introspection, issuer }: Partial<IssuerConfig>
): void => {
  if (agent !== undefined && !agents.includes(agent)) {
    report.error([...path, "agent"], `is not an agent of this configuration; there are: ${agents.join(", ")}`)
  }
  for (const [key, list] of Object.entries({ algorithms, audience })) {
    if (list?.length === 0) report.error([...path, key], "is empty, so that every token would be refused: leave it out")
  }
  warnOfPlainHttp(report, [...path, "issuer"], issuer)
  warnOfPlainHttp(report, [...path, "introspection", "url"], introspection?.url)
}

/** With its secrets. */
const readIssuer = <I extends Partial<IssuerConfig>>(
  report: WholeReport,
  { env }: Surroundings,
  path: KeyPath,
  issuer: I
): I => {
  const { introspection, login } = issuer
  const secretAt = (place: "introspection" | "login", value: string): string => {
    const secret = { path: [...path, place, "clientSecret"], value }
    warnOfPlaintext(report, secret)
    const resolved = resolveText(report, env, true, secret)
    refuseMask(report, resolved, "secret")
    return resolved.text
  }
  return {
    ...issuer,
    ...(introspection && {
      introspection: { ...introspection, clientSecret: secretAt("introspection", introspection.clientSecret) }
    }),
    ...(login?.clientSecret !== undefined && {
      login: { ...login, clientSecret: secretAt("login", login.clientSecret) }
    })
  }
}

// ---- parts -----------------------------------------------------------------------------------------------------------

/** The members that are as they must be. The others were reported when the section was read. */
const soundKeys = <K extends Keys>(keys: K, value: unknown) => readKeys(keys, makeReport("", noLines), [], value)

const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? member(value, key) : undefined)

const itemsIn = ({ path, value }: Place, key: string): ReadonlyArray<Place> => {
  const list = memberOf(value, key)
  return (Array.isArray(list) ? list : []).map((item: unknown, i) => ({ path: [...path, key, i], value: item }))
}

/** Of `who`, all that are texts: one that is wrong does not hide what is to be said of others. */
const soundRule = (value: unknown): ClientRule => {
  const [tools, who] = [memberOf(value, "tools"), memberOf(value, "who")]
  return {
    ...soundKeys(ClientRule.fields, value),
    ...(isObject(tools) && { tools: soundKeys(RULE_KEYS, tools) }),
    ...(Array.isArray(who) && { who: who.map((entry: unknown) => (typeof entry === "string" ? entry : "*")) })
  }
}

// ---- all of it -------------------------------------------------------------------------------------------------------

const warnOfIdleLimits = (report: Report, { path, value }: Place, { agents }: Ruled): void => {
  const tools = memberOf(memberOf(value, "limits"), "tools")
  const problemOf = idleProblems(
    agents.flatMap(({ servers }) => servers),
    true
  )
  for (const pattern of isObject(tools) ? Object.keys(tools) : []) {
    const problem = problemOf(pattern)
    if (problem !== undefined) report.warn([...path, "limits", "tools", pattern], problem)
  }
}

export const readClients = (
  report: WholeReport,
  context: Surroundings,
  ruled: Ruled,
  place: Place | undefined
): ClientsConfig => {
  const clients = readSection(report, CLIENTS, place)
  if (place === undefined) return clients
  const ids = ruled.agents.map(({ id }) => id)
  const issuers = itemsIn(place, "issuers").map(({ path, value }) => ({ path, issuer: soundKeys(ISSUER_KEYS, value) }))
  const names = issuers.map(({ issuer }) => issuer.issuer)
  for (const [i, { issuer, path }] of issuers.entries()) {
    checkIssuer(report, ids, path, issuer)
    if (issuer.issuer !== undefined && names.indexOf(issuer.issuer) < i)
      report.error([...path, "issuer"], "is listed twice")
  }
  for (const { path, value } of itemsIn(place, "rules")) {
    checkRule(report, path, soundRule(value), issuers.length > 0, ruled)
  }
  const { rules } = clients
  if (rules.length > 0 && !rules.some((rule) => readRule(rule).grants)) {
    report.warn([...place.path, "rules"], "lets nobody in: rules that only deny or ask grant nothing")
  }
  warnOfPlainHttp(report, [...place.path, "resource"], clients.resource)
  warnOfIdleLimits(report, place, ruled)
  const read = issuers.map(({ issuer, path }) => readIssuer(report, context, path, issuer))
  return { ...clients, issuers: clients.issuers.map((issuer, i) => ({ ...issuer, ...read[i] })) }
}
