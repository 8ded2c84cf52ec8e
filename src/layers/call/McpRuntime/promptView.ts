/** The prompts of one agent and their names, computed from what its servers offer. */
import type { PromptDefinition } from "../../../schemas/connection/Catalogue.ts"
import { beginsLikeOneOf, type NamingStyle } from "../../../schemas/call/Names.ts"
import type { AgentPrompt } from "../../../schemas/content/Prompt.ts"
import type { PromptBridge } from "../../../services/content/PromptBridge.ts"
import type { Decision } from "../../../services/call/ToolPolicy.ts"
import type { AgentServer } from "./AgentServer.ts"
import { convertOnce, exposeCleanNames, type ConvertOptions, type NameOptions, type Offered } from "./definitions.ts"
import { ofSameParts } from "./sameParts.ts"

export interface PromptViewOptions extends ConvertOptions, NameOptions {
  readonly bridge: PromptBridge["Service"]
}

export interface Route extends Offered<PromptDefinition> {
  readonly prompt: AgentPrompt
  /** Why it is neither listed nor available: because of findings in its definition. */
  readonly withheld: Decision | undefined
}

export interface View {
  readonly routes: ReadonlyArray<Route>
  /** By exposed name and by `server/prompt`, both as the server wrote it and as it is shown. */
  readonly byName: ReadonlyMap<string, Route>
  /** By the server's own name, which several prompts may share. */
  readonly byOwnName: ReadonlyMap<string, ReadonlyArray<Route>>
}

/** A prompt whose own name looks like an exposed one must not be taken for that prompt, even while the other server is down. */
const namedLike = (naming: NamingStyle, servers: ReadonlyArray<AgentServer>) => {
  const names = new Set(servers.map(({ config }) => config.name))
  const beginsLikeExposed = beginsLikeOneOf(
    naming,
    servers.map(({ config }) => config.toolPrefix)
  )
  return (own: string): boolean => {
    for (let end = own.indexOf("/"); end !== -1; end = own.indexOf("/", end + 1)) {
      if (names.has(own.slice(0, end))) return true
    }
    return beginsLikeExposed(own)
  }
}

const viewOf = (routes: ReadonlyArray<Route>, isOfServer: (own: string) => boolean): View => {
  const byOwnName = new Map<string, Array<Route>>()
  for (const route of routes) {
    for (const own of new Set([route.definition.name, route.prompt.prompt])) {
      if (isOfServer(own)) continue
      const same = byOwnName.get(own)
      if (same === undefined) byOwnName.set(own, [route])
      else same.push(route)
    }
  }
  // Later entries win: exposed names are unique, while servers' own names may imitate others.
  const byName = new Map([
    ...routes.map((route) => [`${route.server.config.name}/${route.prompt.prompt}`, route] as const),
    ...routes.map((route) => [`${route.server.config.name}/${route.definition.name}`, route] as const),
    ...routes.map((route) => [route.prompt.name, route] as const)
  ])
  return { routes, byName, byOwnName }
}

/** Returns the current view; computed again only when the offer of a server changes. */
export const makePromptView = (options: PromptViewOptions): (() => View) => {
  const { bridge, naming, secrets, servers } = options
  const convert = convertOnce(options, (server, definition: PromptDefinition, name) => {
    const { agentPrompt, findings } = bridge.toAgentPrompt(name, server, definition)
    return [`prompt ${agentPrompt.prompt}`, agentPrompt, findings]
  })

  const present = ofSameParts(() => {
    const isOfServer = namedLike(naming, servers())
    const offered = servers().flatMap((server) =>
      (server.supervised.snapshot().catalogue?.prompts ?? []).map((definition) => ({ server, definition }))
    )
    const names = exposeCleanNames(options, offered)
    const routes = offered.map(({ definition, server }, i): Route => {
      const { shown: prompt, withheld } = convert(server, definition, names[i]!)
      return { server, definition, prompt, withheld }
    })
    return viewOf(routes, isOfServer)
  })
  return () => present([secrets(), ...servers().flatMap((server) => [server, server.supervised.snapshot().catalogue])])
}
