/** What the agent gets, with the reasons: the same routes and decisions as for its list and its calls. */
import * as Effect from "effect/Effect"
import type { AgentConfig } from "../../../schemas/config/GatewayConfig.ts"
import { type Plan, type PlannedServer, type PlannedTool, tokensOf } from "../../../schemas/call/Plan.ts"
import type { Decision, ToolPolicy } from "../../../services/call/ToolPolicy.ts"
import { FOR_PERSONS_ONLY, NOBODY } from "../../../schemas/connection/PersonPlaceholder.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { AgentServer } from "./AgentServer.ts"
import type { Catalog, View } from "./catalog.ts"
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { mayUse, type Standing } from "../../../schemas/login/Standing.ts"
import { decide, type ServerRoute } from "./Route.ts"
import type { AgentServers } from "./servers.ts"
import type { Standings } from "./standing.ts"
import { waitsFor } from "./status.ts"

export interface PlanParts {
  readonly agent: string
  readonly catalog: Pick<Catalog, "view" | "viewFor" | "viewOf">
  readonly standings: Standings
  readonly servers: Pick<AgentServers, "all" | "present" | "preview">
  readonly policy: ToolPolicy["Service"]
  /** Definitions are cleaned with all known secrets. */
  readonly upToDate: Effect.Effect<void>
}

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all + one, 0)

const stateOf = (route: ServerRoute, allowed: boolean, isSearched: boolean): PlannedTool["state"] => {
  if (route.server.supervised.snapshot().state._tag === "Failed") return "unavailable"
  if (route.standing.withheld) return "withheld"
  if (route.withheld !== undefined) return "suspicious"
  return allowed ? (isSearched ? "searched" : "listed") : "denied"
}

/** Of a server that is started for each person: what it lists for one of them is known only once it runs for them. */
const ofPersons = (config: ServerConfig, caller: Caller | undefined, standing: Standing | undefined): string => {
  if (caller === undefined) return FOR_PERSONS_ONLY
  if (caller.person === undefined) return NOBODY
  const may = standing === undefined || mayUse(standing, config)
  return `one process for each person, whose tools are known when theirs runs; ${may ? "the rules of clients let them use it" : "no rule of clients lets them use it"}`
}

/** Why a server offers nothing, or nothing yet. */
const detailOf = (
  { config, supervised }: AgentServer,
  caller: Caller | undefined,
  standing: Standing | undefined
): string | null => {
  const { catalogue, lastError, state } = supervised.snapshot()
  if (state._tag === "Disabled")
    return config.enabled ? ofPersons(config, caller, standing) : "disabled in the configuration"
  if (state._tag === "Failed" || state._tag === "Backoff") return lastError ?? null
  if (catalogue !== undefined) return null
  return state._tag === "Idle" ? "not started yet: its tools are unknown" : "starting: its tools are unknown"
}

/** The server's own filter counts like rules; here it is called by its keys. */
const asFilter = (rule: string): string =>
  rule.startsWith("deny: ") ? rule.replace("deny: ", "tools.exclude: ") : rule.replace("allow: ", "tools.include: ")

const isSearching = ({ all, tools }: View) => all.length !== tools.length

export const makePlan = ({
  agent,
  catalog,
  policy,
  servers,
  standings,
  upToDate
}: PlanParts): McpRuntimeShape["plan"] => {
  const isFiltered = (route: ServerRoute, { allowed }: Decision): boolean =>
    !allowed && policy.decide(servers.present().agent.rules, route.subject).allowed && route.withheld === undefined

  const plannedTool = (route: ServerRoute, isSearched: boolean, standing: Standing | undefined): PlannedTool => {
    const decision = standings.decide(standing, route)
    return {
      name: route.exposed,
      tool: route.agentTool.tool,
      state: stateOf(route, decision.allowed, isSearched),
      rule: isFiltered(route, decide(policy, route)) ? asFilter(decision.rule) : decision.rule,
      asks: decision.ask === true,
      ...(decision.approvers === undefined ? {} : { approvers: decision.approvers }),
      pin: route.standing.pin,
      tokens: tokensOf(route.agentTool)
    }
  }

  /** What the rules of clients say of them, beside the tools. */
  const ofCaller = (caller: Caller, standing: Standing | undefined): NonNullable<Plan["client"]> => ({
    name: caller.person?.name ?? caller.identity?.client ?? "nobody",
    isLetIn: standing?.isLetIn ?? true,
    rules: (standing?.matched ?? []).map(({ failed, place }) =>
      failed === undefined ? place : `${place} (its condition failed: ${failed})`
    ),
    unreached: servers
      .all()
      .flatMap(({ config }) => (standings.refusedAt(caller, config.name) === undefined ? [] : [config.name]))
  })

  const planned = (view: View, caller: Caller | undefined): Plan => {
    const standing = standings.of(caller)
    const routes = [...view.routes.values()].filter((route) => route._tag === "ServerRoute")
    const isSearched = isSearching(view)
    const ofServers = servers.all().map((server): PlannedServer => {
      const tools = routes
        .filter((route) => route.server === server)
        .map((route) => plannedTool(route, isSearched, standing))
      const { config, supervised } = server
      const waits = waitsFor(config, supervised.snapshot().state)
      return {
        name: config.name,
        state: supervised.snapshot().state._tag,
        ...(waits === undefined ? {} : { waits }),
        detail: detailOf(server, caller, standing),
        tools,
        tokens: sum(tools.filter(({ state }) => state === "listed").map(({ tokens }) => tokens))
      }
    })
    const names = new Set(routes.map(({ exposed }) => exposed))
    return {
      agent,
      servers: ofServers,
      own: view.tools
        .filter(({ name }) => !names.has(name))
        .map((tool) => ({ name: tool.name, tokens: tokensOf(tool) })),
      tokens: sum(view.tools.map(tokensOf)),
      searchedTokens: isSearched ? sum(view.searched.map(tokensOf)) : 0,
      ...(caller === undefined ? {} : { client: ofCaller(caller, standing) })
    }
  }

  const differences = (view: View, next: AgentConfig): Plan["next"] => {
    const preview = servers.preview(next)
    const known = new Set(preview.servers.map(({ config }) => config.name))
    const unknown = new Set(
      next.servers.filter(({ enabled, name }) => enabled && !known.has(name)).map(({ name }) => name)
    )
    const [before, after] = [view, catalog.viewOf(preview)].map(({ searched }) => searched)
    const without = (some: ReadonlyArray<AgentTool>, others: ReadonlyArray<AgentTool>) => {
      const names = new Set(others.map(({ name }) => name))
      return some.filter(({ name, server }) => !names.has(name) && !unknown.has(server)).map(({ name }) => name)
    }
    return { appear: without(after!, before!), disappear: without(before!, after!) }
  }

  return (next, caller) =>
    Effect.map(upToDate, () => {
      const now = planned(catalog.viewFor(caller), caller)
      return { ...now, ...(next === undefined ? {} : { next: differences(catalog.view(), next)! }) }
    })
}
