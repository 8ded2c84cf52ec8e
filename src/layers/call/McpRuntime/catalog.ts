/**
 * The tools of one agent, and where each name leads: computed from what its servers last offered, anew only when that
 * changed. It also waits for servers that are on their way. It knows nothing of calls.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ToolDefinition } from "../../../schemas/connection/Catalogue.ts"
import type { AgentConfig, ToolRules } from "../../../schemas/config/GatewayConfig.ts"
import { matchesGlob } from "../../../schemas/data/Glob.ts"
import { type CallError, ToolNotFound } from "../../../schemas/call/CallError.ts"
import { namePrefix, nearest, type NamingStyle } from "../../../schemas/call/Names.ts"
import type { Budget, ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { inLine } from "../../../schemas/content/ServerText.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import type { DefinitionLedger, Review } from "../../../services/call/DefinitionLedger.ts"
import type { ToolBridge } from "../../../services/call/ToolBridge.ts"
import type { Decision, ToolPolicy } from "../../../services/call/ToolPolicy.ts"
import { filterRules, type AgentServer } from "./AgentServer.ts"
import { exposeCleanNames, withholding, type Report } from "./definitions.ts"
import { bringUp } from "./late.ts"
import { isUnseen, makeOnTheirWay } from "./onTheirWay.ts"
import type { OwnTool } from "./OwnTool.ts"
import { decide, type OwnRoute, type Route, type ServerRoute } from "./Route.ts"

export interface View {
  /** What the agent is given, in the order of the servers' names and their own lists, then the runtime's own tools. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Every tool that it may call: the same, but for an agent that searches. */
  readonly all: ReadonlyArray<AgentTool>
  /** What a search is over: all but the runtime's own. */
  readonly searched: ReadonlyArray<AgentTool>
  /** Every known tool of a server, allowed or not, since a call is told why it is refused; and the runtime's own. */
  readonly routes: ReadonlyMap<string, Route>
}

export interface Catalog {
  readonly view: () => View
  readonly find: (name: string) => Route | undefined
  /** Of a name that `find` does not know: its server may be one that nobody has seen the tools of, which is woken, or waited for. */
  readonly resolve: (name: string) => Effect.Effect<Route, CallError>
  /** Waits for servers on their way, the first time alone and not for long. */
  readonly firstListing: Effect.Effect<void>
  /** Returns when no server is on its way any more. */
  readonly ready: Effect.Effect<void>
  /** A name from a model, for words: it may be anything, and may be what a server told the model to say. */
  readonly shown: (name: unknown) => string
}

export interface CatalogOptions {
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
  /** Tools that stand for what servers offer besides tools, as they offer it now. */
  readonly ofServers: () => ReadonlyArray<OwnTool>
  /** Tools that come with the others, whatever there is. */
  readonly companions: ReadonlyArray<OwnTool>
  /** Tools that stand for all others when there are too many of them. */
  readonly index: ReadonlyArray<OwnTool>
  /** Milliseconds for which the first listing waits, at most. */
  readonly firstWaitMs: number
}

/** Of a name that is written down: short enough for a log. */
const NAME_CHARS = 128

const budgetOf = ({ budget, toolBudgets }: ServerConfig, tool: string): Budget =>
  toolBudgets.find(({ tools }) => matchesGlob(tools.toLowerCase(), tool.toLowerCase()))?.budget ?? budget

// ---- tools of the runtime ------------------------------------------------------------------------------------------

const withoutAllow = (rules: ReadonlyArray<ToolRules>) =>
  rules.map((rule): ToolRules => ({ ...rule, allow: undefined }))

/**
 * Tools of the runtime as a whole give no right that their parts do not have, so only a `deny` takes one away. Those of a
 * server go by the agent's rules; of the server's own filter, which chooses among its tools, by what it excludes. An `ask`
 * holds for all of them.
 */
const makeToOwnRoute = ({ rules }: AgentConfig, servers: ReadonlyArray<AgentServer>) => {
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

interface Converted {
  readonly version: number
  readonly agentTool: AgentTool
  readonly withheld: Decision | undefined
}

const makeServerRoutes = (options: CatalogOptions): (() => ReadonlyArray<ServerRoute>) => {
  const { bridge, ledger, naming, report, sanitizer, secrets, servers } = options
  // Definitions are kept by identity: a refresh that changes one server converts only that server's tools again.
  const converted = new WeakMap<ToolDefinition, Converted>()

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

  const toRoute = (exposed: string, server: AgentServer, definition: ToolDefinition, review: Review): ServerRoute => {
    const { agentTool, withheld } = convert(exposed, server, definition)
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

  return () => {
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
}

// ---- all of them ---------------------------------------------------------------------------------------------------

/** Gives the present view; the same one until a server's offer changes. */
const makeView = (options: CatalogOptions): (() => View) => {
  const { agent, ledger, policy, secrets, servers } = options
  const serverRoutes = makeServerRoutes(options)
  const toOwnRoute = makeToOwnRoute(agent, servers)
  let basis: ReadonlyArray<unknown> = []
  let version = -1
  let cleanedFor = -1
  let view: View = { tools: [], all: [], searched: [], routes: new Map() }

  const visible = (route: ServerRoute) =>
    // A server that was given up keeps its routes, for a clear answer, but offers nothing.
    route.server.supervised.snapshot().state._tag !== "Failed" &&
    !route.standing.withheld &&
    decide(policy, route).allowed

  const compute = (): View => {
    const routes = serverRoutes()
    const taken = new Set(routes.map(({ exposed }) => exposed.toLowerCase()))
    // A server's own tool keeps its name.
    const usable = (tools: ReadonlyArray<OwnTool>) =>
      tools.map(toOwnRoute).filter((route) => !taken.has(route.exposed.toLowerCase()) && decide(policy, route).allowed)
    const ofServers = usable(options.ofServers())
    const listed = [...routes.filter(visible), ...ofServers].map(({ agentTool }) => agentTool)
    const searched = agent.toolIndexThreshold > 0 && listed.length > agent.toolIndexThreshold
    const index = usable(options.index)
    const companions = servers.some(({ config }) => config.enabled) ? usable(options.companions) : []
    const own = [...(searched ? index : []), ...companions].map(({ agentTool }) => agentTool)
    return {
      tools: searched ? own : [...listed, ...own],
      all: [...listed, ...own],
      searched: listed,
      // The index can be called also where it is not listed: a model that was given it may still hold on to it.
      routes: new Map([...ofServers, ...index, ...companions, ...routes].map((route) => [route.exposed, route]))
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

export const makeCatalog = Effect.fnUntraced(function* (
  options: CatalogOptions
): Effect.fn.Return<Catalog, never, Scope.Scope> {
  const { naming, sanitizer, servers } = options
  const view = makeView(options)
  const find = (name: string) => view().routes.get(name)

  const shown = (name: unknown): string =>
    typeof name === "string" ? inLine(name, sanitizer.label, NAME_CHARS) : `(${typeof name})`

  const { firstListing, ready } = yield* makeOnTheirWay(servers, options.firstWaitMs)

  const resolve = Effect.fnUntraced(function* (name: string) {
    const owners = servers.filter(
      (server) => isUnseen(server) && shown(name).startsWith(namePrefix(naming, server.config.toolPrefix))
    )
    const failure = yield* bringUp(owners)
    const found = find(name)
    if (found !== undefined) return found
    if (failure !== undefined) return yield* failure
    // One that is switched off says so itself.
    for (const { config, supervised } of owners) if (!config.enabled) yield* supervised.use(() => Effect.void)
    return yield* new ToolNotFound({
      tool: shown(name),
      suggestion: nearest(
        shown(name),
        view().all.map((tool) => tool.name)
      )
    })
  })

  return { view, find, resolve, firstListing, ready, shown }
})
