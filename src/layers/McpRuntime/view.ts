/**
 * The tools of one agent as names and routes: computed from what its servers last offered, anew only when that changed.
 */
import type { ToolDefinition } from "../../schemas/Catalogue.ts"
import type { ToolRules } from "../../schemas/GatewayConfig.ts"
import { exposeNames, type NamingStyle } from "../../schemas/Names.ts"
import type { ServerConfig } from "../../schemas/ServerConfig.ts"
import type { AgentTool } from "../../schemas/Tool.ts"
import type { RequestOptions } from "../../services/ServerConnector.ts"
import type { SupervisedServer } from "../../services/ServerPool.ts"
import type { ToolBridge } from "../../services/ToolBridge.ts"
import type { ToolPolicy, ToolSubject } from "../../services/ToolPolicy.ts"

/** A server as this agent uses it: the configuration is the agent's own, the supervised server may be shared. */
export interface AgentServer {
  readonly config: ServerConfig
  readonly supervised: SupervisedServer
  /** The agent's rules, and the server's own `tools` filter. */
  readonly rules: ReadonlyArray<ToolRules>
  /** Of a call for which the caller says nothing else. */
  readonly requestOptions: RequestOptions
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
  readonly origin: { readonly server: string; readonly tool: string }
}

export interface View {
  /** What the agent may see, in the order of the servers' names and their own lists. */
  readonly tools: ReadonlyArray<AgentTool>
  /** Every known tool, allowed or not: a call is told why it is refused. */
  readonly routes: ReadonlyMap<string, Route>
}

/** `include` and `exclude` are rules as any other, over this server's tools. */
export const filterRules = ({ name, tools }: ServerConfig): ReadonlyArray<ToolRules> => {
  const all = tools.include.includes("*")
  if (all && tools.exclude.length === 0) return []
  const own = (globs: ReadonlyArray<string>) => globs.map((glob) => `${name}/${glob}`)
  return [{ allow: all ? undefined : own(tools.include), deny: own(tools.exclude) }]
}

/** Gives the present view; the same one until a server's offer changes. */
export const makeView = (
  servers: ReadonlyArray<AgentServer>,
  naming: NamingStyle,
  policy: ToolPolicy["Service"],
  bridge: ToolBridge["Service"]
): (() => View) => {
  // Definitions are kept by identity: a refresh that changes one server converts only that server's tools again.
  const converted = new WeakMap<ToolDefinition, AgentTool>()
  let basis: ReadonlyArray<unknown> = []
  let view: View = { tools: [], routes: new Map() }

  const toAgentTool = (exposed: string, server: AgentServer, definition: ToolDefinition): AgentTool => {
    const known = converted.get(definition)
    if (known?.name === exposed) return known
    const fresh = bridge.toAgentTool(exposed, server.config.name, definition)
    converted.set(definition, fresh)
    return fresh
  }

  const compute = (): View => {
    const offered = servers.flatMap((server) =>
      (server.supervised.snapshot().catalogue?.tools ?? []).map((definition) => ({ server, definition }))
    )
    const names = exposeNames(
      naming,
      offered.map(({ definition, server }) => ({
        server: server.config.name,
        prefix: server.config.toolPrefix,
        tool: definition.name
      }))
    )
    const routes = offered.map(({ definition, server }, i): Route => {
      const agentTool = toAgentTool(names[i]!, server, definition)
      const origin = { server: agentTool.server, tool: agentTool.tool }
      const subject = { exposed: agentTool.name, server: server.config.name, tool: definition.name }
      return { exposed: agentTool.name, server, tool: definition.name, agentTool, subject, origin }
    })
    const visible = (route: Route) =>
      // A server that was given up keeps its routes, for a clear answer, but offers nothing.
      route.server.supervised.snapshot().state._tag !== "Failed" && allows(policy, route)
    return {
      tools: routes.filter(visible).map(({ agentTool }) => agentTool),
      routes: new Map(routes.map((route) => [route.exposed, route]))
    }
  }

  /** What the present view was computed from, per server: its catalogue, or that it was given up. */
  const basisOf = ({ supervised }: AgentServer): unknown => {
    const { catalogue, state } = supervised.snapshot()
    return state._tag === "Failed" ? state._tag : catalogue
  }

  // Runs for each call: it compares, and allocates only when something has changed.
  return () => {
    if (basis.length !== servers.length || servers.some((server, i) => basisOf(server) !== basis[i])) {
      basis = servers.map(basisOf)
      view = compute()
    }
    return view
  }
}

export const decide = (policy: ToolPolicy["Service"], { server, subject }: Route) =>
  policy.decide(server.rules, subject)

const allows = (policy: ToolPolicy["Service"], route: Route): boolean => decide(policy, route).allowed
