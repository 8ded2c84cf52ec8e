/**
 * The tools of one agent as names and routes: computed from what its servers last offered, anew only when that changed.
 */
import type { ToolDefinition } from "../../schemas/Catalogue.ts"
import type { AgentConfig, ToolRules } from "../../schemas/GatewayConfig.ts"
import { matchesGlob } from "../../schemas/Glob.ts"
import type { NamingStyle } from "../../schemas/Names.ts"
import type { Standing } from "../../schemas/Pins.ts"
import type { Budget, ServerConfig } from "../../schemas/ServerConfig.ts"
import type { AgentTool } from "../../schemas/Tool.ts"
import type { Caller } from "../../services/CallLimiter.ts"
import type { ContentSanitizer } from "../../services/ContentSanitizer.ts"
import type { DefinitionLedger, Review } from "../../services/DefinitionLedger.ts"
import type { RequestOptions } from "../../services/ServerConnector.ts"
import type { SupervisedServer } from "../../services/ServerPool.ts"
import type { ResultOrigin, ToolBridge } from "../../services/ToolBridge.ts"
import type { Decision, ToolPolicy, ToolSubject } from "../../services/ToolPolicy.ts"
import type { Builtin } from "./Builtin.ts"
import { exposeCleanNames, withholding, type Report } from "./definitions.ts"

/** A server as this agent uses it: the configuration is the agent's own, the supervised server may be shared. */
export interface AgentServer {
  readonly config: ServerConfig
  readonly supervised: SupervisedServer
  /** The agent's rules, and the server's own `tools` filter. */
  readonly rules: ReadonlyArray<ToolRules>
  /** Of a call for which the caller says nothing else. */
  readonly requestOptions: RequestOptions
  /** As whom its limits know this agent. */
  readonly caller: Caller
}

/** Where a name leads. */
export interface Route {
  readonly exposed: string
  readonly server: AgentServer
  /** The server's own name of the tool, raw: what goes over the wire, and what rules are asked about. */
  readonly tool: string
  readonly agentTool: AgentTool
  /** What rules are asked about. */
  readonly subject: ToolSubject
  /** Where its results come from, in clean words. */
  readonly origin: ResultOrigin
  readonly budget: Budget
  readonly requestOptions: RequestOptions
  /** Why it is neither listed nor called, whatever the rules say: of what its server says of it. */
  readonly withheld: Decision | undefined
  /** Whether its definition is the approved one. */
  readonly standing: Standing
}

export interface View {
  /** What the agent is given, in the order of the servers' names and their own lists, then the runtime's own tools. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Every tool that it may call: the same, but for an agent that searches. */
  readonly all: ReadonlyArray<AgentTool>
  /** What a search is over: all but the runtime's own. */
  readonly searched: ReadonlyArray<AgentTool>
  /** Every known tool of a server, allowed or not: a call is told why it is refused. */
  readonly routes: ReadonlyMap<string, Route>
  readonly builtins: ReadonlyMap<string, Builtin>
}

export interface ViewOptions {
  readonly agent: AgentConfig
  readonly naming: NamingStyle
  readonly servers: ReadonlyArray<AgentServer>
  readonly policy: ToolPolicy["Service"]
  readonly ledger: DefinitionLedger["Service"]
  readonly bridge: ToolBridge["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly report: Report
  /** Of the secrets that definitions were cleaned for. */
  readonly secrets: () => number
  readonly decideBuiltin: (builtin: Builtin) => Decision
  /** Tools that stand for what servers offer besides tools, as they offer it now. */
  readonly ofServers: () => ReadonlyArray<Builtin>
  /** Tools that come with the others, whatever there is. */
  readonly companions: ReadonlyArray<Builtin>
  /** Tools that stand for all others when there are too many of them. */
  readonly index: ReadonlyArray<Builtin>
}

/** `include`, `exclude` and `ask` are rules as any other, over this server's tools. */
export const filterRules = ({
  name,
  tools: { ask = [], exclude, include }
}: ServerConfig): ReadonlyArray<ToolRules> => {
  const all = include.includes("*")
  if (all && exclude.length === 0 && ask.length === 0) return []
  const own = (globs: ReadonlyArray<string>) => globs.map((glob) => `${name}/${glob}`)
  return [{ allow: all ? undefined : own(include), deny: own(exclude), ask: own(ask) }]
}

const budgetOf = ({ budget, toolBudgets }: ServerConfig, tool: string): Budget =>
  toolBudgets.find(({ tools }) => matchesGlob(tools.toLowerCase(), tool.toLowerCase()))?.budget ?? budget

export const decide = (policy: ToolPolicy["Service"], { server, subject, withheld }: Route): Decision =>
  withheld ?? policy.decide(server.rules, subject)

const withoutAllow = (rules: ReadonlyArray<ToolRules>) =>
  rules.map((rule): ToolRules => ({ ...rule, allow: undefined }))

/**
 * Tools of the runtime as a whole give no right that their parts do not have, so only a `deny` takes one away. Those of a
 * server go by the agent's rules; of the server's own filter, which chooses among its tools, by what it excludes. An `ask`
 * holds for all of them.
 */
export const makeDecideBuiltin = (
  policy: ToolPolicy["Service"],
  { rules }: AgentConfig,
  servers: ReadonlyArray<AgentServer>
) => {
  const ofRuntime = withoutAllow(rules)
  const ofServer = new Map(
    servers.map(({ config }) => [config.name, [...rules, ...withoutAllow(filterRules(config))]] as const)
  )
  return (builtin: Builtin) => {
    const { name, server, tool } = builtin.agentTool
    const given = builtin.ofRuntime === true ? ofRuntime : (ofServer.get(server) ?? rules)
    return policy.decide(given, { exposed: name, server, tool })
  }
}

interface Converted {
  readonly version: number
  readonly agentTool: AgentTool
  readonly withheld: Decision | undefined
}

/** Gives the present view; the same one until a server's offer changes. */
export const makeView = (options: ViewOptions): (() => View) => {
  const { agent, bridge, decideBuiltin, ledger, naming, policy, report, sanitizer, secrets, servers } = options
  // Definitions are kept by identity: a refresh that changes one server converts only that server's tools again.
  const converted = new WeakMap<ToolDefinition, Converted>()
  let basis: ReadonlyArray<unknown> = []
  let version = -1
  let cleanedFor = -1
  let view: View = { tools: [], all: [], searched: [], routes: new Map(), builtins: new Map() }

  const convert = (exposed: string, server: AgentServer, definition: ToolDefinition): Converted => {
    const known = converted.get(definition)
    if (known?.agentTool.name === exposed && known.version === secrets()) return known
    const { content, name } = server.config
    const { agentTool, findings } = bridge.toAgentTool(exposed, name, definition)
    // Once, also where it gets another name because of others, or is cleaned again.
    if (known === undefined) report(name, `tool ${agentTool.tool}`, findings)
    const fresh = { agentTool, withheld: withholding(content, findings), version: secrets() }
    converted.set(definition, fresh)
    return fresh
  }

  const toRoute = (exposed: string, server: AgentServer, definition: ToolDefinition, review: Review): Route => {
    const { agentTool, withheld } = convert(exposed, server, definition)
    const { annotations } = agentTool
    const { content, name } = server.config
    return {
      exposed: agentTool.name,
      server,
      tool: definition.name,
      agentTool,
      subject: { exposed: agentTool.name, server: name, tool: definition.name },
      origin: {
        server: agentTool.server,
        tool: agentTool.tool,
        content,
        ...(annotations === undefined ? {} : { annotations }),
        ...(definition.outputSchema === undefined ? {} : { outputSchema: definition.outputSchema })
      },
      budget: budgetOf(server.config, definition.name),
      requestOptions:
        definition.taskSupport === "required" ? { ...server.requestOptions, asTask: true } : server.requestOptions,
      withheld,
      standing: review(server.config, definition)
    }
  }

  const routesOf = (): ReadonlyArray<Route> => {
    const offered = servers.flatMap((server) =>
      (server.supervised.snapshot().catalogue?.tools ?? []).map((definition) => ({ server, definition }))
    )
    const names = exposeCleanNames(
      naming,
      offered.map(({ definition, server }) => ({
        server: server.config.name,
        prefix: server.config.toolPrefix,
        tool: definition.name
      })),
      servers.map(({ config }) => config.toolPrefix),
      sanitizer
    )
    const review = ledger.review(
      servers.map(({ config, supervised }) => ({ config, catalogue: supervised.snapshot().catalogue }))
    )
    return offered.map(({ definition, server }, i) => toRoute(names[i]!, server, definition, review))
  }

  const visible = (route: Route) =>
    // A server that was given up keeps its routes, for a clear answer, but offers nothing.
    route.server.supervised.snapshot().state._tag !== "Failed" &&
    !route.standing.withheld &&
    decide(policy, route).allowed

  const compute = (): View => {
    const routes = routesOf()
    const taken = new Set(routes.map(({ exposed }) => exposed.toLowerCase()))
    // A server's own tool keeps its name.
    const usable = (builtin: Builtin) =>
      !taken.has(builtin.agentTool.name.toLowerCase()) && decideBuiltin(builtin).allowed
    const ofServers = options.ofServers().filter(usable)
    const listed = [
      ...routes.filter(visible).map(({ agentTool }) => agentTool),
      ...ofServers.map(({ agentTool }) => agentTool)
    ]
    const searched = agent.toolIndexThreshold > 0 && listed.length > agent.toolIndexThreshold
    const index = options.index.filter(usable)
    const companions = servers.some(({ config }) => config.enabled) ? options.companions.filter(usable) : []
    const own = [...(searched ? index : []), ...companions].map(({ agentTool }) => agentTool)
    return {
      tools: searched ? own : [...listed, ...own],
      all: [...listed, ...own],
      searched: listed,
      routes: new Map(routes.map((route) => [route.exposed, route])),
      // The index can be called also where it is not listed: a model that was given it may still hold on to it.
      builtins: new Map([...ofServers, ...index, ...companions].map((builtin) => [builtin.agentTool.name, builtin]))
    }
  }

  /** What the present view was computed from, per server: its catalogue, or that it was given up. */
  const basisOf = ({ supervised }: AgentServer): unknown => {
    const { catalogue, state } = supervised.snapshot()
    return state._tag === "Failed" ? state._tag : catalogue
  }

  // Runs for each call: it compares, and allocates only when something has changed.
  return () => {
    if (
      version !== ledger.version() ||
      cleanedFor !== secrets() ||
      servers.some((server, i) => basisOf(server) !== basis[i])
    ) {
      basis = servers.map(basisOf)
      // Before the review: what is decided meanwhile is seen the next time.
      version = ledger.version()
      cleanedFor = secrets()
      view = compute()
    }
    return view
  }
}
