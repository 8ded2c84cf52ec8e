/**
 * Checks `clients` after its keys are decoded: the agents of issuers, the secrets by which this gateway asks them, and the rules. Warns of
 * rules that can never match.
 */
import type { ClientRule } from "../login/ClientRule.ts"
import { readRule } from "../login/Standing.ts"
import { CLIENTS, type ClientsConfig, type IssuerConfig } from "../login/ClientsConfig.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import { matchesGlob } from "../data/Glob.ts"
import type { AgentConfig } from "./GatewayConfig.ts"
import { type RuledServer, warnOfIdleRules } from "./IdleRules.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { type Place, readSection } from "./Sections.ts"
import { checkApprovers } from "./ToolRulesEntry.ts"

const readIssuer = (
  report: WholeReport,
  { env }: Surroundings,
  agents: ReadonlyArray<string>,
  path: KeyPath,
  issuer: IssuerConfig
): IssuerConfig => {
  const { agent, introspection, login } = issuer
  if (agent !== undefined && !agents.includes(agent)) {
    report.error([...path, "agent"], `is not an agent of this configuration; there are: ${agents.join(", ")}`)
  }
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

// ---- rules -----------------------------------------------------------------------------------------------------------

/** What there is for rules to match. */
export interface Ruled {
  readonly agents: ReadonlyArray<AgentConfig>
  /** The names of the clients with tokens in the configuration. */
  readonly clients: ReadonlyArray<string>
}

const CLIENT = "client:"

/** Why nobody can be meant; without an issuer, there are only the clients with tokens. */
const nobodyMeant = (entry: string, { clients }: Ruled): string | undefined => {
  if (entry === "*") return undefined
  if (!entry.startsWith(CLIENT))
    return "matches nobody: without an issuer, clients have no persons, groups, roles and scopes"
  const pattern = entry.slice(CLIENT.length)
  return clients.some((name) => matchesGlob(pattern, name)) ? undefined : "matches none of the clients with a token"
}

const checkRule = (report: WholeReport, path: KeyPath, rule: ClientRule, hasIssuers: boolean, ruled: Ruled): void => {
  const { agent, servers, tools, who } = rule
  const { fault } = readRule(rule)
  if (fault !== undefined) report.error([...path, "if"], fault)
  const of = agent === undefined ? ruled.agents : ruled.agents.filter(({ id }) => id === agent)
  if (of.length === 0) {
    const ids = ruled.agents.map(({ id }) => id).join(", ")
    return report.error([...path, "agent"], `is not an agent of this configuration; there are: ${ids}`)
  }
  if (who?.length === 0)
    report.warn([...path, "who"], "is empty, so that the rule concerns nobody: leave it out for everybody")
  for (const [i, entry] of (who ?? []).entries()) {
    const why = hasIssuers ? undefined : nobodyMeant(entry, ruled)
    if (why !== undefined) report.warn([...path, "who", i], why)
  }
  const known = new Map(
    of.flatMap((each) => each.servers).map((server): [string, RuledServer] => [server.name, server])
  )
  for (const [i, pattern] of (servers ?? []).entries()) {
    const isThere = [...known.keys()].some((name) => matchesGlob(pattern.toLowerCase(), name.toLowerCase()))
    if (!isThere && known.size > 0) report.warn([...path, "servers", i], "matches no server that is configured")
  }
  const covered = [...known.values()].filter(({ name }) => readRule(rule).covers(name))
  if (tools?.approvers !== undefined) checkApprovers(report, [...path, "tools", "approvers"], tools.approvers)
  if (tools !== undefined)
    warnOfIdleRules(report, [...path, "tools"], { ...tools, deny: tools.deny ?? [], allow: tools.allow }, covered)
}

export const readClients = (
  report: WholeReport,
  context: Surroundings,
  ruled: Ruled,
  place: Place | undefined
): ClientsConfig => {
  const clients = readSection(report, CLIENTS, place)
  if (place === undefined) return clients
  const { issuers, rules } = clients
  const ids = ruled.agents.map(({ id }) => id)
  const names = issuers.map(({ issuer }) => issuer)
  for (const [i, rule] of rules.entries()) {
    checkRule(report, [...place.path, "rules", i], rule, issuers.length > 0, ruled)
  }
  if (rules.length > 0 && !rules.some((rule) => readRule(rule).grants)) {
    report.warn([...place.path, "rules"], "lets nobody in: rules that only deny or ask grant nothing")
  }
  return {
    ...clients,
    issuers: issuers.map((issuer, i) => {
      const path = [...place.path, "issuers", i]
      if (names.indexOf(issuer.issuer) < i) report.error([...path, "issuer"], "is listed twice")
      return readIssuer(report, context, ids, path, issuer)
    })
  }
}
