/** The agents of the configuration, each with a runtime that is built on first use and then shared. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as Scope from "effect/Scope"
import type { AgentConfig } from "../../schemas/config/GatewayConfig.ts"
import { heldByAgent } from "../../schemas/connection/Isolation.ts"
import { ownerOf, type ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import { AgentRuntimes, type OwnServers, type SessionServers } from "../../services/call/AgentRuntimes.ts"
import { CallersRuntime, McpRuntime } from "../../services/call/McpRuntime.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { type FollowAgent, LiveConfig } from "../../services/config/LiveConfig.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { type Places, ServerPool } from "../../services/connection/ServerPool.ts"
import { frozen, limited } from "./AgentRuntimes/frozen.ts"
import { makeOwnServers } from "./AgentRuntimes/ownServers.ts"
import { makeFollowers } from "./AgentRuntimes/followers.ts"

/** The agents, and how to build the runtime of each. */
export interface Options<R> {
  /** Builds the runtime of one agent. */
  readonly runtime: (agent: AgentConfig, follow: FollowAgent, places?: Places) => Layer.Layer<CallersRuntime, never, R>
  /** Servers that every client gets separately: they start through `forClient` only. */
  readonly apart?: ((server: ServerConfig) => boolean) | undefined
  /** Builds the runtime for the servers of a session. */
  readonly session: (agent: AgentConfig, follow: FollowAgent) => Layer.Layer<McpRuntime, never, R>
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

const mapped = <A>(value: A | undefined, change: (value: A) => A): A | undefined =>
  value === undefined ? undefined : change(value)

const make = Effect.fnUntraced(function* <R>({ apart = () => false, runtime, session }: Options<R>) {
  const { current } = yield* LiveConfig
  const redactor = yield* Redactor
  const follow = yield* makeFollowers(apart)
  const ownServers = makeOwnServers()
  const find = (id: string) => current().agents.find((agent) => agent.id === id)
  const runtimes = yield* LayerMap.make((id: string) => {
    const alone = (agent: AgentConfig) => agentAlone(agent, apart)
    const following = follow(id, alone)
    return runtime(alone(find(id)!), following)
  })
  const context = yield* Effect.context<R>()
  const ids = () => current().agents.map(({ id }) => id)
  const known = (agent: string) =>
    Effect.suspend(() => {
      const found = find(agent)
      return found === undefined ? new UnknownAgent({ agent, known: [...ids()] }) : Effect.succeed(found)
    })
  return AgentRuntimes.of({
    get agents() {
      return ids()
    },
    defaultAgent: current().defaultAgent,
    get: Effect.fn("AgentRuntimes.get")(function* (agent: string) {
      yield* known(agent)
      return Context.get(yield* runtimes.contextEffect(agent), CallersRuntime)
    }),
    forSession: Effect.fn("AgentRuntimes.forSession")(function* (asked: SessionServers) {
      const ofSession = (config: AgentConfig) => agentOfSession(config, asked)
      const following = follow(asked.agent, ofSession)
      const agent = ofSession(yield* known(asked.agent))
      // The caller's Scope, not the one in `context`, which ends with the program.
      const scope = yield* Effect.scope
      // Runs last: until its servers have ended, they may still print the secrets that they got.
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => agent.servers.forEach((server) => redactor.release(ownerOf(server))))
      )
      const layer = Layer.fresh(session(agent, following))
      const built = yield* Layer.buildWithScope(layer, scope).pipe(Effect.provide(context))
      const runtime = Context.get(built, McpRuntime)
      yield* ownServers.add({ runtime, agent: () => mapped(find(asked.agent), ofSession) })
      return asked.dynamic === true ? limited(runtime, asked.maxTools) : frozen(runtime, asked.maxTools)
    }),
    forClient: Effect.fn("AgentRuntimes.forClient")(function* (own: OwnServers) {
      const ofClient = (agent: AgentConfig) => ({ ...agent, servers: agent.servers.map((server) => own.as(server)) })
      const following = follow(own.agent, ofClient)
      const agent = ofClient(yield* known(own.agent))
      const scope = yield* Effect.scope
      const layer = Layer.fresh(runtime(agent, following, own.places))
      const built = yield* Layer.buildWithScope(layer, scope).pipe(Effect.provide(context))
      const mine = Context.get(built, CallersRuntime)
      yield* ownServers.add({ runtime: mine, agent: () => mapped(find(own.agent), ofClient) })
      return mine
    }),
    own: ownServers.of
  })
})

/** A runtime for each agent of the configuration, built on first use and then shared. */
export const layer = <R>(
  options: Options<R>
): Layer.Layer<AgentRuntimes, never, R | Redactor | LiveConfig | ServerPool | SecretResolver> =>
  Layer.effect(AgentRuntimes, make(options))
