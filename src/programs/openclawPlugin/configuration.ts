/** The configuration of the servers: a file, or a part of OpenClaw's own, adapted to OpenClaw. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import * as ConfigSourceLayer from "../../layers/config/ConfigSource.ts"
import { OPENCLAW_WRAP_CHARS } from "../../schemas/defaults/OpenClaw.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { openclawConfigFile } from "../../schemas/agent/openclaw/Places.ts"
import type { Environment } from "../../schemas/config/Interpolation.ts"
import { expandHome } from "../../schemas/config/Resolve.ts"
import type { Budget, ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { Settings } from "./settings.ts"

/** In these modes a text takes about twice the space. */
const WIDE = new Set(["datamark", "encode"])

/** OpenClaw cuts longer results. So the excess goes to the store, from which it can be read. */
const fitted = (server: ServerConfig, maxChars: number): ServerConfig => {
  const room = (maxChars - OPENCLAW_WRAP_CHARS) >> (WIDE.has(server.content.mode) ? 1 : 0)
  const within = (budget: Budget): Budget => ({ ...budget, bytes: Math.min(budget.bytes, room) })
  return {
    ...server,
    budget: within(server.budget),
    toolBudgets: server.toolBudgets.map(({ budget, tools }) => ({ tools, budget: within(budget) }))
  }
}

const adapted = (config: GatewayConfig, { file, maxResultChars }: Settings, openclawFile: string): GatewayConfig => ({
  ...config,
  // This file decides how servers are started: none of them may write to it.
  file: file === undefined ? openclawFile : config.file,
  agents: config.agents.map((agent) => ({
    ...agent,
    servers: agent.servers.map((server) => fitted(server, maxResultChars))
  }))
})

const NO_SERVERS = { mcp: {} }

export const configSource = (settings: Settings, env: Environment, home: string): Layer.Layer<ConfigSource> => {
  const { file, inline = NO_SERVERS } = settings
  const own = openclawConfigFile(env, home)
  const source =
    file === undefined
      ? ConfigSourceLayer.layerObject(inline, { env })
      : ConfigSourceLayer.layer({ path: resolve(expandHome(file, home)), env })
  return Layer.effect(
    ConfigSource,
    Effect.map(ConfigSource, ({ load }) =>
      ConfigSource.of({ load: Effect.map(load, (config) => adapted(config, settings, own)) })
    )
  ).pipe(Layer.provide(source))
}
