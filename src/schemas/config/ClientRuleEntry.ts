/** Checks one rule of `clients.rules` after its keys are decoded. Warns of what can never match. */
import { matchesGlob } from "../data/Glob.ts"
import type { ClientRule } from "../login/ClientRule.ts"
import { readRule } from "../login/Standing.ts"
import type { AgentConfig } from "./GatewayConfig.ts"
import { type RuledServer, warnOfIdleApprovers, warnOfIdleRules } from "./IdleRules.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import { checkApprovers } from "./ToolRulesEntry.ts"

/** What there is for rules to match. */
export interface Ruled {
  readonly agents: ReadonlyArray<AgentConfig>
  /** The names of the clients with tokens in the configuration. */
  readonly clients: ReadonlyArray<string>
}

const CLIENT = "client:"

/** Why nobody, or somebody else, can be meant; without an issuer, there are only the clients with tokens. */
const whoProblem = (entry: string, { clients }: Ruled, hasIssuers: boolean): string | undefined => {
  if (entry === "*") return undefined
  if (clients.includes(entry))
    return `is the name of a person here: for the client with a token write "${CLIENT}${entry}"`
  if (entry.toLowerCase() === "operator")
    return "is the name of a person here: leave it out, rules do not concern the operator"
  if (hasIssuers) return undefined
  if (!entry.startsWith(CLIENT))
    return "matches nobody: without an issuer, clients have no persons, groups, roles and scopes"
  const pattern = entry.slice(CLIENT.length)
  return clients.some((name) => matchesGlob(pattern, name)) ? undefined : "matches none of the clients with a token"
}

const EMPTY = {
  who: "is empty, so that the rule concerns nobody: leave it out for everybody",
  servers: "is empty, so that the rule concerns no server: leave it out for all of them",
  allow: "is empty, so that the rule allows no tool: leave it out for all of them"
}

export const checkRule = (report: Report, path: KeyPath, rule: ClientRule, hasIssuers: boolean, ruled: Ruled): void => {
  const { agent, servers, tools = {}, who } = rule
  const { covers, fault } = readRule(rule)
  if (fault !== undefined) report.error([...path, "if"], fault)
  if (tools.approvers !== undefined) checkApprovers(report, [...path, "tools", "approvers"], tools.approvers)
  warnOfIdleApprovers(report, [...path, "tools"], tools)
  if (who?.length === 0) report.warn([...path, "who"], EMPTY.who)
  if (servers?.length === 0) report.warn([...path, "servers"], EMPTY.servers)
  if (tools.allow?.length === 0) report.warn([...path, "tools", "allow"], EMPTY.allow)
  for (const [i, entry] of (who ?? []).entries()) {
    const why = whoProblem(entry, ruled, hasIssuers)
    if (why !== undefined) report.warn([...path, "who", i], why)
  }
  const of = agent === undefined ? ruled.agents : ruled.agents.filter(({ id }) => id === agent)
  if (of.length === 0) {
    const ids = ruled.agents.map(({ id }) => id).join(", ")
    return report.error([...path, "agent"], `is not an agent of this configuration; there are: ${ids}`)
  }
  const known = new Map(
    of.flatMap((each) => each.servers).map((server): [string, RuledServer] => [server.name, server])
  )
  for (const [i, pattern] of (servers ?? []).entries()) {
    const isThere = [...known.keys()].some((name) => matchesGlob(pattern.toLowerCase(), name.toLowerCase()))
    if (!isThere && known.size > 0) report.warn([...path, "servers", i], "matches no server that is configured")
  }
  const covered = [...known.values()].filter(({ name }) => covers(name))
  warnOfIdleRules(report, [...path, "tools"], { ...tools, deny: tools.deny ?? [], allow: tools.allow }, covered, true)
}
