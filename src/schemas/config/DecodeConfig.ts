/**
 * Decodes a parsed configuration file of any format into `GatewayConfig`, or reports all its problems at once.
 *
 * Servers merge in this order, later over earlier: `servers` (`loadMCPServers`, VS Code), `mcpServers` (Claude, Cursor),
 * `mcp.servers` (OpenClaw), `agents.defaults.mcp.servers`, the agent's own `mcp.servers`. Other top-level keys are ignored. A
 * server with a missing variable or secret stays in the result together with its fault, and does not affect the others.
 */
import * as Result from "effect/Result"
import { TOOL_INDEX_THRESHOLD } from "../defaults/Catalogue.ts"
import type { AgentConfig, GatewayConfig, ToolRules } from "./GatewayConfig.ts"
import type { ConfigIssue } from "./ConfigIssue.ts"
import { readFleet } from "./FleetEntry.ts"
import { readGateways } from "./GatewayEntry.ts"
import { isObject } from "../data/Json.ts"
import { type AgentEntries, type AgentEntry, readAgents } from "./AgentEntries.ts"
import { SECTIONS } from "./AllSections.ts"
import { kindOf, member, record } from "./Fields.ts"
import { type RuledServer, warnOfIdleApprovers, warnOfIdleRules } from "./IdleRules.ts"
import { namesPersonsOfOneIssuer } from "../connection/PersonPlaceholder.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import type { ClientsConfig } from "../login/ClientsConfig.ts"
import { readClients } from "./ClientsEntry.ts"
import type { KeyLines } from "./KeyLines.ts"
import { buildModel } from "./ModelEntry.ts"
import type { KnownSecrets } from "./References.ts"
import { makeReport, type Report, type WholeReport } from "./Report.ts"
import type { Surroundings } from "./Resolve.ts"
import { findSecrets, readSecrets } from "./SecretsEntry.ts"
import { findSection, readSection } from "./Sections.ts"
import { readServe } from "./ServeEntry.ts"
import { buildServer } from "./ServerBuild.ts"
import { mergeServers, type McpEntry, readMcp, sharedServers } from "./ServerEntries.ts"
import { isOursAlone, OWN_KEYS, warnOfNoServers, warnOfSlips } from "./TopKeys.ts"
import { overrideRules, type PlacedRules, readRulesIn } from "./ToolRulesEntry.ts"

export interface ConfigContext extends Surroundings {
  /** Absolute path of the file. */
  readonly file: string
  /** The file's name in messages. */
  readonly shownFile: string
  readonly lines: KeyLines
}

const warnOfRepeats = (report: Report, lines: KeyLines, own: ReadonlySet<unknown>): void => {
  for (const { line, path } of lines.repeated) {
    if (own.has(path[0])) report.warn(path, `is also on line ${line}; the last one counts`)
  }
}

const gatewayRules = (report: Report, root: Record<string, unknown>): ReadonlyArray<PlacedRules> => {
  const raw = member(root, "gateway")
  const gateway = raw === undefined ? undefined : record(report, ["gateway"], raw)
  // At the top: OpenClaw's policy for all agents.
  return [
    gateway === undefined ? undefined : readRulesIn(report, ["gateway"], gateway),
    readRulesIn(report, [], root)
  ].filter((placed) => placed !== undefined)
}

/** Rules of the gateway and the defaults concern the servers of all agents, those of an agent only its own. */
const checkRules = (
  report: Report,
  ofGateway: ReadonlyArray<PlacedRules>,
  { agents, defaults }: AgentEntries,
  built: ReadonlyArray<AgentConfig>,
  isOursAlone: boolean
): void => {
  const all = new Map<string, RuledServer>()
  for (const server of built.flatMap(({ servers }) => servers)) all.set(`${server.name}\n${server.toolPrefix}`, server)
  const everywhere = [...all.values()]
  for (const { path, rules } of ofGateway) {
    warnOfIdleRules(report, path, rules, everywhere, isOursAlone)
    warnOfIdleApprovers(report, path, rules)
  }
  const ofAll = defaults.rules
  if (ofAll !== undefined) warnOfIdleRules(report, ofAll.path, ofAll.rules, everywhere, isOursAlone)
  // Approvers of the defaults count for what an agent asks about, and the other way round.
  const asked = agents.map(({ rules }) => overrideRules(ofAll?.rules, rules?.rules)?.ask ?? [])
  if (ofAll !== undefined) warnOfIdleApprovers(report, ofAll.path, { ...ofAll.rules, ask: asked.flat() })
  for (const [i, { rules }] of agents.entries()) {
    if (rules === undefined) continue
    warnOfIdleRules(report, rules.path, rules.rules, built[i]!.servers, isOursAlone)
    warnOfIdleApprovers(report, rules.path, { ...rules.rules, ask: asked[i] })
  }
}

/** Each server of which this is so, once. */
const namesOf = (built: ReadonlyArray<AgentConfig>, isSo: (server: ServerConfig) => boolean): ReadonlySet<string> =>
  new Set(built.flatMap(({ servers }) => servers.filter(isSo)).map(({ name }) => name))

const checkPersons = (report: Report, { issuers }: ClientsConfig, built: ReadonlyArray<AgentConfig>): void => {
  if (issuers.length === 0 && report.errorCount() === 0) {
    for (const name of namesOf(built, ({ enabled, isolate }) => enabled && isolate === "person")) {
      report.warn(
        [],
        `MCP server '${name}' is one for each person, and no client is a person without "clients.issuers": name there where they log in`
      )
    }
  }
  // Two issuers may have a person of the same name each, and of the same subject.
  if (issuers.length < 2) return
  for (const name of namesOf(built, namesPersonsOfOneIssuer)) {
    report.error(
      [],
      `MCP server '${name}' says {person} or {person.subject}, and there are several issuers in "clients": two persons could be one there; use {person.id}`
    )
  }
}

const buildAgent = (
  report: WholeReport,
  context: ConfigContext & KnownSecrets,
  shared: Pick<McpEntry, "servers" | "toolIndexThreshold"> & { readonly rules: ReadonlyArray<ToolRules> },
  defaults: AgentEntries["defaults"],
  agent: AgentEntry
): AgentConfig => {
  const merged = mergeServers([shared.servers, defaults.mcp.servers, agent.mcp.servers])
  const model = agent.model ?? defaults.model
  const own = overrideRules(defaults.rules?.rules, agent.rules?.rules)
  return {
    id: agent.id,
    model: model === undefined ? undefined : buildModel(report, context, model),
    servers: [...merged]
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, entry]) =>
        buildServer(report, context, name, entry, () => [...merged.keys()].filter((other) => other !== name))
      )
      .filter((server) => server !== undefined),
    rules: own === undefined ? shared.rules : [...shared.rules, own],
    toolIndexThreshold:
      agent.mcp.toolIndexThreshold ??
      defaults.mcp.toolIndexThreshold ??
      shared.toolIndexThreshold ??
      TOOL_INDEX_THRESHOLD
  }
}

/** Why a configuration is invalid, and its warnings. */
export interface ConfigFaults {
  readonly issues: ReadonlyArray<ConfigIssue>
  readonly warnings: ReadonlyArray<ConfigIssue>
}

export const decodeConfig = (value: unknown, context: ConfigContext): Result.Result<GatewayConfig, ConfigFaults> => {
  const report = makeReport(context.shownFile, context.lines)
  if (!isObject(value)) {
    report.error([], `must be an object at the top, is ${kindOf(value)}`)
    return Result.fail({ issues: report.errors(), warnings: [] })
  }
  const mcp = readMcp(report, ["mcp"], member(value, "mcp"), "top")
  const find = (name: keyof typeof SECTIONS) => findSection(report, value, SECTIONS[name], member(mcp.sections, name))
  const places = {
    secrets: findSecrets(report, value, member(mcp.sections, "secrets")),
    audit: find("audit"),
    acp: find("acp"),
    serve: find("serve"),
    clients: find("clients"),
    order: find("order"),
    reload: find("reload"),
    logs: find("logs"),
    telemetry: find("telemetry"),
    ui: find("ui"),
    fleet: find("fleet")
  }
  const atTop = Object.values(places).flatMap((place) => (place?.path.length === 1 ? place.path : []))
  warnOfRepeats(report, context.lines, new Set([...OWN_KEYS, ...atTop]))
  const { commands, secrets } = readSecrets(report, context, places.secrets)
  const audit = readSection(report, SECTIONS.audit, places.audit)
  const acp = readSection(report, SECTIONS.acp, places.acp)
  const order = readSection(report, SECTIONS.order, places.order)
  const reload = readSection(report, SECTIONS.reload, places.reload)
  const logs = readSection(report, SECTIONS.logs, places.logs)
  const telemetry = readSection(report, SECTIONS.telemetry, places.telemetry)
  const ui = readSection(report, SECTIONS.ui, places.ui)
  const ofGateway = gatewayRules(report, value)
  const shared = {
    toolIndexThreshold: mcp.toolIndexThreshold,
    servers: sharedServers(report, value, mcp),
    rules: ofGateway.map(({ rules }) => rules)
  }
  const entries = readAgents(report, member(value, "agents"))
  const { agents, defaults } = entries
  const built = agents.map((agent) => buildAgent(report, { ...context, commands }, shared, defaults, agent))
  if (report.errorCount() === 0 && built.every((agent) => agent.servers.length === 0)) warnOfNoServers(report, value)
  else warnOfSlips(report, value)
  checkRules(report, ofGateway, entries, built, isOursAlone(value, context))
  const ids = agents.map(({ id }) => id)
  const serve = readServe(report, context, ids, places.serve)
  const clients = readClients(
    report,
    context,
    { agents: built, clients: serve.clients.map(({ name }) => name) },
    places.clients
  )
  checkPersons(report, clients, built)
  const fleet = readFleet(report, context, places.fleet)
  const errors = report.errors()
  return errors.length > 0
    ? Result.fail({ issues: errors, warnings: report.warnings() })
    : Result.succeed({
        file: context.file,
        agents: built,
        secrets,
        audit,
        acp,
        serve,
        clients,
        order,
        reload,
        logs,
        telemetry,
        ui,
        ...(fleet !== undefined && { fleet }),
        gateways: readGateways(value, context.env),
        defaultAgent: (agents.find((agent) => agent.isDefault) ?? agents[0]!).id,
        faults: report.faults(),
        warnings: report.warnings()
      })
}
