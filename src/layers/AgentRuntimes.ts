/** The agents of the configuration, each with a runtime that is built when it is first asked for and shared from then on. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import type { AgentConfig, GatewayConfig } from "../schemas/GatewayConfig.ts"
import { UnknownAgent } from "../schemas/UnknownAgent.ts"
import { AgentRuntimes } from "../services/AgentRuntimes.ts"
import { McpRuntime } from "../services/McpRuntime.ts"

export interface Options<R> {
  readonly config: GatewayConfig
  /** How the runtime of one agent is built. */
  readonly runtime: (agent: AgentConfig) => Layer.Layer<McpRuntime, never, R>
}

const make = Effect.fnUntraced(function* <R>({ config, runtime }: Options<R>) {
  const byId = new Map(config.agents.map((agent) => [agent.id, agent]))
  const runtimes = yield* LayerMap.make((id: string) => runtime(byId.get(id)!))
  return AgentRuntimes.of({
    agents: [...byId.keys()],
    defaultAgent: config.defaultAgent,
    get: Effect.fn("AgentRuntimes.get")(function* (agent: string) {
      if (!byId.has(agent)) return yield* new UnknownAgent({ agent, known: [...byId.keys()] })
      return Context.get(yield* runtimes.contextEffect(agent), McpRuntime)
    })
  })
})

export const layer = <R>(options: Options<R>): Layer.Layer<AgentRuntimes, never, R> =>
  Layer.effect(AgentRuntimes, make(options))
