/** The agents of the configuration, each with a runtime that is built when it is first asked for and shared from then on. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as Scope from "effect/Scope"
import type { AgentConfig, GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { heldByAgent } from "../../schemas/connection/Isolation.ts"
import { ownerOf, type ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import { AgentRuntimes, type OwnServers, type SessionServers } from "../../services/call/AgentRuntimes.ts"
import { McpRuntime } from "../../services/call/McpRuntime.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import type { Places } from "../../services/connection/ServerPool.ts"
import { frozen, limited } from "./AgentRuntimes/frozen.ts"

/** The agents, and how the runtime of each is built. */
export interface Options<R> {
  readonly config: GatewayConfig
  /** How the runtime of one agent is built. */
  readonly runtime: (agent: AgentConfig, places?: Places) => Layer.Layer<McpRuntime, never, R>
  /** Servers that nobody but clients has, each its own: with `forClient`, and not before. */
  readonly apart?: ((server: ServerConfig) => boolean) | undefined
  /** The same for the servers of a session. */
  readonly session: (agent: AgentConfig) => Layer.Layer<McpRuntime, never, R>
}

/** The agent's rules over servers that are nobody else's. Without an index: what is frozen is listed. */
const agentOfSession = (agent: AgentConfig, { servers, session }: SessionServers): AgentConfig => ({
  ...agent,
  servers: servers.map((server) => ({ ...server, share: false, session })),
  toolIndexThreshold: 0
})

/** Which of its servers are its alone; and those that are to wait for clients wait. */
const agentAlone = (agent: AgentConfig, apart: (server: ServerConfig) => boolean): AgentConfig => ({
  ...agent,
  servers: agent.servers.map((server) => ({
    ...heldByAgent(agent.id, server),
    ...(apart(server) ? { lazy: true } : {})
  }))
})

const make = Effect.fnUntraced(function* <R>({ apart = () => false, config, runtime, session }: Options<R>) {
  const byId = new Map(config.agents.map((agent) => [agent.id, agent]))
  const runtimes = yield* LayerMap.make((id: string) => runtime(agentAlone(byId.get(id)!, apart)))
  const context = yield* Effect.context<R>()
  const redactor = yield* Redactor
  const known = (agent: string) =>
    byId.has(agent) ? Effect.succeed(byId.get(agent)!) : new UnknownAgent({ agent, known: [...byId.keys()] })
  return AgentRuntimes.of({
    agents: [...byId.keys()],
    defaultAgent: config.defaultAgent,
    get: Effect.fn("AgentRuntimes.get")(function* (agent: string) {
      yield* known(agent)
      return Context.get(yield* runtimes.contextEffect(agent), McpRuntime)
    }),
    forSession: Effect.fn("AgentRuntimes.forSession")(function* (asked: SessionServers) {
      const agent = agentOfSession(yield* known(asked.agent), asked)
      // In the caller's Scope: the one among what is provided is our own, and ends with the program.
      const scope = yield* Effect.scope
      // Last of all: until its servers are gone they may still say what they were given.
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => agent.servers.forEach((server) => redactor.release(ownerOf(server))))
      )
      const built = yield* Layer.buildWithScope(Layer.fresh(session(agent)), scope).pipe(Effect.provide(context))
      const runtime = Context.get(built, McpRuntime)
      return asked.dynamic === true ? limited(runtime, asked.maxTools) : frozen(runtime, asked.maxTools)
    }),
    forClient: Effect.fn("AgentRuntimes.forClient")(function* (own: OwnServers) {
      const agent = yield* known(own.agent)
      const servers = agent.servers.map((server) => own.as(server))
      const scope = yield* Effect.scope
      const layer = Layer.fresh(runtime({ ...agent, servers }, own.places))
      const built = yield* Layer.buildWithScope(layer, scope).pipe(Effect.provide(context))
      return Context.get(built, McpRuntime)
    })
  })
})

/** A runtime for each agent of `config`, built when it is first asked for and shared from then on. */
export const layer = <R>(options: Options<R>): Layer.Layer<AgentRuntimes, never, R | Redactor> =>
  Layer.effect(AgentRuntimes, make(options))
