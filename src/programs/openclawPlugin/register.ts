/**
 * Hangs the plugin into OpenClaw: a guard over the results of its own MCP servers, the tools and the resources of its agents'
 * servers, connections with secrets, and the end of it all. Light: whatever is heavy is loaded by the first call that needs it.
 */
import { at } from "../../schemas/agent/openclaw/doctor/read.ts"
import { registerAgentTools } from "./agentTools.ts"
import { canDeclare, declaredTools } from "./declared.ts"
import type { HostApi } from "./openclawApi.ts"
import { TOOL } from "./metaTool.ts"
import { PLUGIN_ID } from "./plugin.ts"
import { registerResults } from "./guardedResults.ts"
import type { Running } from "./running.ts"
import { hasServers, readSettings } from "./settings.ts"
import * as Shared from "./processState.ts"
import { reasonOf, STOPPING, WITHHELD } from "./replacementText.ts"

const HOOKS = ["plugins", "entries", PLUGIN_ID, "hooks"]

/** OpenClaw lets a plugin add to prompts where the operator has allowed both; it warns about one that tries without. */
const mayAddContext = (config: unknown): boolean =>
  at(config, [...HOOKS, "allowConversationAccess"]) === true && at(config, [...HOOKS, "allowPromptInjection"]) !== false

/** `declared` are the names of tools, beside that of the single one, that the manifest declares. */
export const register = (api: HostApi, declared: ReadonlyArray<string> = declaredTools()): void => {
  const { logger } = api
  const settings = readSettings(api.pluginConfig)
  const named = new Set(declared.filter(canDeclare))
  const running = () =>
    Shared.acquire(settings, async (): Promise<Running> => (await import("./running.ts")).open(settings, logger))
  const config = () => api.runtime?.config?.current?.() ?? api.config

  if (settings.frame) {
    registerResults({ api, running, config, isOurs: (name) => name === TOOL || named.has(name) })
  }

  for (const serverName of Object.keys(settings.connections)) {
    api.registerMcpServerConnectionResolver({
      serverName,
      resolve: async () => (await running()).connection(serverName)
    })
  }

  if (hasServers(settings)) {
    const broken = (error: unknown) => {
      if (error instanceof Shared.Stopping) return STOPPING
      logger.error(`mcp-live: ${reasonOf(error)}`)
      return WITHHELD
    }
    registerAgentTools({ api, settings, named, running, broken, config })
    // By what the plugin is registered with: while OpenClaw takes a change up, it still runs with the configuration before.
    if (mayAddContext(api.config)) {
      api.on("before_prompt_build", async (_event, { agentId }) => {
        try {
          const text = agentId === undefined ? "" : await (await running()).context(agentId)
          return text === "" ? undefined : { prependContext: text }
        } catch (error) {
          if (!(error instanceof Shared.Stopping)) logger.error(`mcp-live: ${reasonOf(error)}`)
          return undefined
        }
      })
    }
  }

  // Nothing begins while OpenClaw only looks at what there is.
  if (api.registrationMode !== "full") return
  let owner: symbol | undefined
  api.registerService({
    id: PLUGIN_ID,
    start: () => {
      owner = Shared.begin()
    },
    stop: () => Shared.end(owner)
  })
  // Once the gateway is up, and without anybody waiting for it.
  api.on("gateway_start", () => {
    if (!hasServers(settings)) return
    running().then(
      ({ warm }) => warm(named.size > 0),
      (error: unknown) => logger.error(`mcp-live: ${reasonOf(error)}`)
    )
  })
  api.on("gateway_stop", () => Shared.end())
}
