/** Starts one server of a configuration once, as a gateway would, and stops it again. Its tools are pinned on the way. */
import * as Effect from "effect/Effect"
import { FIRST_START_MS } from "../../../schemas/defaults/Bundles.ts"
import { mayFetch } from "../../../schemas/connection/FetchedPackage.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { ServerStatus } from "../../../schemas/connection/ServerState.ts"
import { McpRuntime } from "../../../services/call/McpRuntime.ts"
import { withLogLevel } from "../command.ts"
import { redactorLayer } from "../masking.ts"
import { serverSoon } from "../servers/arrival.ts"
import { withOnly } from "../servers/givenServer.ts"

export interface Started {
  readonly isReady: boolean
  readonly status: ServerStatus
  readonly servers: Readonly<Record<string, ServerStatus>>
  /** Those of this server that the agent gets, without runtime tools. */
  readonly tools: ReadonlyArray<AgentTool>
}

/** The first start may have to download a package. Nobody waits as long for a command that only does not answer. */
export const patient = (config: GatewayConfig, name: string): GatewayConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({
    ...agent,
    servers: agent.servers.map((server) => {
      const { launch } = server
      const mayTakeLong = server.name === name && launch.kind === "stdio" && mayFetch(launch.command, launch.args)
      return mayTakeLong ? { ...server, timeout: Math.max(server.timeout, FIRST_START_MS) } : server
    })
  }))
})

export const startOnce = Effect.fnUntraced(function* (config: GatewayConfig, agent: string | undefined, name: string) {
  const [{ McpLive }, { layerFrom }] = yield* Effect.promise(() =>
    Promise.all([import("../../../layers/McpLive.ts"), import("../../../layers/config/ConfigSource.ts")])
  )
  const live = McpLive({
    agent,
    replace: { config: layerFrom(patient(withOnly(config, name), name)), redactor: redactorLayer }
  })
  return yield* McpRuntime.use(
    Effect.fnUntraced(function* (runtime) {
      yield* serverSoon(runtime, name)
      const [servers, all, { own }] = yield* Effect.all([runtime.status, runtime.allTools, runtime.plan()])
      const status = servers[name]!
      const ofRuntime = new Set(own.map((tool) => tool.name))
      const tools = all.filter((tool) => tool.server === name && !ofRuntime.has(tool.name))
      return { isReady: status.state === "Ready", status, servers: { [name]: status }, tools } satisfies Started
    })
  ).pipe(Effect.provide(live), withLogLevel("Error"))
})
