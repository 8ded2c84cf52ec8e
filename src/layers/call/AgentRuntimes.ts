/** The agents of the configuration, each with a runtime that is built on first use and then shared. */
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

/** The agents, and how to build the runtime of each. */
export interface Options<R> {
  readonly config: GatewayConfig
  /** Builds the runtime of one agent. */
  readonly runtime: (agent: AgentConfig, places?: Places) => Layer.Layer<McpRuntime, never, R>
  /** Servers that every client gets separately: they start through `forClient` only. */
  readonly apart?: ((server: ServerConfig) => boolean) | undefined
  /** Builds the runtime for the servers of a session. */
  readonly session: (agent: AgentConfig) => Layer.Layer<McpRuntime, never, R>
}

/** The agent's rules for servers of a session. Without tool search, because a fixed list is always listed in full. */
const agentOfSession = (agent: AgentConfig, { servers, session }: SessionServers): AgentConfig => ({
  ...agent,
  servers: servers.map((server) => ({ ...server, share: false, session })),
  toolIndexThreshold: 0
})

/** Marks the servers that belong to this agent alone, and makes those lazy that each client gets separately. */
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
      // The caller's Scope, not the one in `context`, which ends with the program.
      const scope = yield* Effect.scope
      // Runs last: until its servers have ended, they may still print the secrets that they got.
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

/** A runtime for each agent of `config`, built on first use and then shared. */
export const layer = <R>(options: Options<R>): Layer.Layer<AgentRuntimes, never, R | Redactor> =>
  Layer.effect(AgentRuntimes, make(options))
