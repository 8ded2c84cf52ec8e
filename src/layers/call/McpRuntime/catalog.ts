/**
 * The tools of one agent and the route of each name. Computed from what its servers last offered, and again only when that
 * changes. Also waits for servers that are starting. It knows nothing of calls.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ToolDefinition } from "../../../schemas/connection/Catalogue.ts"
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { Standing } from "../../../schemas/login/Standing.ts"
import type { ToolRules } from "../../../schemas/config/GatewayConfig.ts"
import { matchesGlob } from "../../../schemas/data/Glob.ts"
import { type CallError, PolicyDenied, ToolNotFound } from "../../../schemas/call/CallError.ts"
import { namePrefix, nearestInTurns } from "../../../schemas/call/Names.ts"
import type { Budget, ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { DefinitionLedger, Review } from "../../../services/call/DefinitionLedger.ts"
import type { ToolBridge } from "../../../services/call/ToolBridge.ts"
import type { ToolPolicy } from "../../../services/call/ToolPolicy.ts"
import { filterRules, type AgentServer } from "./AgentServer.ts"
import type { AgentServers, Present } from "./servers.ts"
import { convertOnce, exposeCleanNames, type ConvertOptions, type NameOptions } from "./definitions.ts"
import { inTurns } from "../../../system/inTurns.ts"
import { bringUp } from "./late.ts"
import { isUnseen, makeOnTheirWay, type Wanted } from "./onTheirWay.ts"
import type { OwnTool } from "./OwnTool.ts"
import { decide, type OwnRoute, type Route, type ServerRoute } from "./Route.ts"
import type { Standings } from "./standing.ts"

export interface View {
  /** The list for the agent: sorted by server name, in the servers' own order, then the runtime's own tools. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Every tool that it may call: the same, unless the agent has a tool search. */
  readonly all: ReadonlyArray<AgentTool>
  /** The tools that can be searched: all except the runtime's own. */
  readonly searched: ReadonlyArray<AgentTool>
  /** Every known tool of a server, allowed or not, so that a refused call gets a reason; and the runtime's own. */
  readonly routes: ReadonlyMap<string, Route>
  readonly parts: ViewParts
}

/** What lists are put together from. */
interface ViewParts {
  /** Of servers. */
  readonly listed: ReadonlyArray<Route>
  readonly index: ReadonlyArray<Route>
  readonly companions: ReadonlyArray<Route>
  /** With more tools of servers than this, a search replaces them; 0: never. */
  readonly threshold: number
}

export interface Catalog {
  readonly view: () => View
  /** The view without what the rules of clients keep from this caller. All routes are in it, so that a refused call gets a reason. */
  readonly viewFor: (caller: Caller | undefined) => View
  /** The view if these were the agent and its servers. */
  readonly viewOf: (present: Present) => View
  /** Whether the configuration still has this server, with the same entry and rules. */
  readonly isPresent: (server: AgentServer) => boolean
  readonly find: (name: string) => Route | undefined
  /** Resolves a name that `find` does not know: starts servers whose tools are still unknown, or waits for them. */
  readonly resolve: (name: string, caller?: Caller) => Effect.Effect<Route, CallError>
  /** Waits for servers that are starting, only the first time and not for long. */
  readonly firstListing: (wanted: Wanted) => Effect.Effect<void>
  /** Returns when no server is starting any more. */
  readonly ready: Effect.Effect<void>
  /** A name from a model, for messages. It may be anything, including what a server told the model to say. */
  readonly shown: (name: unknown) => string
}

export interface CatalogOptions extends ConvertOptions, Omit<NameOptions, "servers"> {
  readonly servers: Pick<AgentServers, "present" | "all" | "isPresent">
  readonly policy: ToolPolicy["Service"]
  readonly standings: Standings
  readonly ledger: DefinitionLedger["Service"]
  readonly bridge: ToolBridge["Service"]
  /** Tools for what servers offer besides tools, as of now. */
  readonly ofServers: () => ReadonlyArray<OwnTool>
  /** Tools that are always listed with the others. */
  readonly companions: ReadonlyArray<OwnTool>
  /** The search tools that replace all others when there are too many. */
  readonly index: ReadonlyArray<OwnTool>
  /** The most milliseconds that the first list waits. */
  readonly firstWaitMs: number
}

/** The length of a name in the log. */
const NAME_CHARS = 128

const budgetOf = ({ budget, toolBudgets }: ServerConfig, tool: string): Budget =>
  toolBudgets.find(({ tools }) => matchesGlob(tools.toLowerCase(), tool.toLowerCase()))?.budget ?? budget

// ---- tools of the runtime ------------------------------------------------------------------------------------------

const withoutAllow = (rules: ReadonlyArray<ToolRules>) =>
  rules.map((rule): ToolRules => ({ ...rule, allow: undefined }))

/**
 * Tools of the whole runtime give no access that their parts do not have, so only a `deny` removes one. Those of a server
 * follow the agent's rules, and of the server's own filter, which selects among its tools, only `exclude`. An `ask` applies
 * to all of them.
 */
const makeToOwnRoute = ({ agent: { rules }, servers }: Present) => {
  const ofRuntime = withoutAllow(rules)
  const ofServer = new Map(
    servers.map((server) => [
      server.config.name,
      { server, rules: [...rules, ...withoutAllow(filterRules(server.config))] }
    ])
  )
  return (own: OwnTool): OwnRoute => {
    const { agentTool } = own
    const { name: exposed, server, tool } = agentTool
    const owner = own.ofRuntime === true ? { server: undefined, rules: ofRuntime } : ofServer.get(server)
    const subject = { exposed, server, tool }
    return { _tag: "OwnRoute", exposed, agentTool, subject, own, server: owner?.server, rules: owner?.rules ?? rules }
  }
}

// ---- tools of servers ----------------------------------------------------------------------------------------------

const makeServerRoutes = (options: CatalogOptions): ((present: Present) => ReadonlyArray<ServerRoute>) => {
  const { bridge, ledger } = options
  const convert = convertOnce(options, (server, definition: ToolDefinition, exposed) => {
    const { agentTool, findings } = bridge.toAgentTool(exposed, server, definition)
    return [`tool ${agentTool.tool}`, agentTool, findings]
  })

  const toRoute = (exposed: string, server: AgentServer, definition: ToolDefinition, review: Review): ServerRoute => {
    const { shown: agentTool, withheld } = convert(server, definition, exposed)
    const { annotations } = agentTool
    const { content, name } = server.config
    return {
      _tag: "ServerRoute",
      exposed: agentTool.name,
      server,
      tool: definition.name,
      agentTool,
      subject: { exposed: agentTool.name, server: name, tool: definition.name },
      rules: server.rules,
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

  return ({ servers }) => {
    const offered = servers.flatMap((server) =>
      (server.supervised.snapshot().catalogue?.tools ?? []).map((definition) => ({ server, definition }))
    )
    const names = exposeCleanNames({ ...options, servers: () => servers }, offered)
    const review = ledger.review(
      servers.map(({ config, supervised }) => ({ config, catalogue: supervised.snapshot().catalogue }))
    )
    return offered.map(({ definition, server }, i) => toRoute(names[i]!, server, definition, review))
  }
}

// ---- all of them ---------------------------------------------------------------------------------------------------

const viewIn = (parts: ViewParts, routes: View["routes"], allows: (route: Route) => boolean): View => {
  const of = (all: ReadonlyArray<Route>) => all.filter(allows).map(({ agentTool }) => agentTool)
  const listed = of(parts.listed)
  const searched = parts.threshold > 0 && listed.length > parts.threshold
  const own = [...(searched ? of(parts.index) : []), ...of(parts.companions)]
  return { tools: searched ? own : [...listed, ...own], all: [...listed, ...own], searched: listed, routes, parts }
}

const EVERYTHING = () => true

const makeViewOf = (options: CatalogOptions): ((present: Present) => View) => {
  const { policy } = options
  const serverRoutes = makeServerRoutes(options)

  const visible = (route: ServerRoute) =>
    // A failed server keeps its routes, so that calls get a clear answer, but offers nothing.
    route.server.supervised.snapshot().state._tag !== "Failed" &&
    !route.standing.withheld &&
    decide(policy, route).allowed

  return (present) => {
    const { agent, servers } = present
    const toOwnRoute = makeToOwnRoute(present)
    const routes = serverRoutes(present)
    const taken = new Set(routes.map(({ exposed }) => exposed.toLowerCase()))
    // A server's own tool keeps its name.
    const usable = (tools: ReadonlyArray<OwnTool>) =>
      tools.map(toOwnRoute).filter((route) => !taken.has(route.exposed.toLowerCase()) && decide(policy, route).allowed)
    const ofServers = usable(options.ofServers())
    const listed = [...routes.filter(visible), ...ofServers]
    const index = usable(options.index)
    const companions = servers.some(({ config }) => config.enabled) ? usable(options.companions) : []
    const parts = { listed, index, companions, threshold: agent.toolIndexThreshold }
    // The search tools can be called even if they are not listed: a model may still know them from before.
    const known = new Map([...ofServers, ...index, ...companions, ...routes].map((route) => [route.exposed, route]))
    return viewIn(parts, known, EVERYTHING)
  }
}

/** Returns the current view; the same object until the offer of a server, or the configuration, changes. */
const makeView = ({ ledger, secrets, servers }: CatalogOptions, viewOf: (present: Present) => View): (() => View) => {
  let basis: ReadonlyArray<unknown> = []
  let of: Present | undefined
  let version = -1
  let cleanedFor = -1
  let view = viewIn({ listed: [], index: [], companions: [], threshold: 0 }, new Map(), EVERYTHING)

  /** What the current view was computed from, per server: its catalog, or that it failed. */
  const basisOf = ({ supervised }: AgentServer): unknown => {
    const { catalogue, state } = supervised.snapshot()
    return state._tag === "Failed" ? state._tag : catalogue
  }

  // Runs for each call, so it only compares, and allocates only when something has changed.
  return () => {
    const present = servers.present()
    if (
      present !== of ||
      version !== ledger.version() ||
      cleanedFor !== secrets() ||
      present.servers.some((server, i) => basisOf(server) !== basis[i])
    ) {
      of = present
      basis = present.servers.map(basisOf)
      // Read before the review: decisions during it are noticed the next time.
      version = ledger.version()
      cleanedFor = secrets()
      view = viewOf(present)
    }
    return view
  }
}

/** The same object for callers with the same standing, until the view changes. */
const makeViewFor = ({ standings }: CatalogOptions, view: () => View): Catalog["viewFor"] => {
  const known = new WeakMap<Standing, { readonly of: View; readonly seen: View }>()
  return (caller) => {
    const whole = view()
    const standing = standings.of(caller)
    if (standing === undefined) return whole
    const before = known.get(standing)
    if (before?.of === whole) return before.seen
    const seen = viewIn(whole.parts, whole.routes, (route) => standings.decide(standing, route).allowed)
    known.set(standing, { of: whole, seen })
    return seen
  }
}

export const makeCatalog = Effect.fnUntraced(function* (
  options: CatalogOptions
): Effect.fn.Return<Catalog, never, Scope.Scope> {
  const { naming, sanitizer, servers, standings } = options
  const viewOf = makeViewOf(options)
  const view = makeView(options, viewOf)
  const viewFor = makeViewFor(options, view)
  const find = (name: string) => view().routes.get(name)

  const shown = (name: unknown): string =>
    typeof name === "string" ? inLine(name, sanitizer.label, NAME_CHARS) : `(${typeof name})`

  const { firstListing, ready } = yield* makeOnTheirWay(servers.all, options.firstWaitMs)

  const resolve = Effect.fnUntraced(function* (name: string, caller?: Caller) {
    const owners = servers
      .all()
      .filter((server) => isUnseen(server) && shown(name).startsWith(namePrefix(naming, server.config.toolPrefix)))
    const refused = owners.map((server) => standings.unstarted(caller, server))
    const failure = yield* bringUp(owners.filter((_, i) => refused[i] === undefined))
    const found = find(name)
    if (found !== undefined) return found
    if (failure !== undefined) return yield* failure
    // A disabled server gives its own error.
    for (const { config, supervised } of owners) if (!config.enabled) yield* supervised.use(() => Effect.void)
    const denied = refused.find((each) => each !== undefined)
    // Whether it has this tool, only its start would tell.
    if (denied !== undefined) return yield* new PolicyDenied({ tool: shown(name), rule: denied.rule })
    const names = viewFor(caller).all.map((tool) => tool.name)
    return yield* new ToolNotFound({
      tool: shown(name),
      suggestion: yield* inTurns(nearestInTurns(shown(name), names))
    })
  })

  return { view, viewFor, viewOf, find, isPresent: servers.isPresent, resolve, firstListing, ready, shown }
})
