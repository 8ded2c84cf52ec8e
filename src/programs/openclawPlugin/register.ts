/**
 * Registers the plugin with OpenClaw: the guard over results of its own MCP servers, the tools and resources of its agents'
 * servers, connections with secrets, and the shutdown. Heavy code is loaded by the first call that needs it.
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

/** OpenClaw lets a plugin add to prompts if the operator has allowed both of these, and warns about a plugin that tries without. */
const mayAddContext = (config: unknown): boolean =>
  at(config, [...HOOKS, "allowConversationAccess"]) === true && at(config, [...HOOKS, "allowPromptInjection"]) !== false

/** `declared` are the tool names in the manifest, in addition to the single tool. */
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
    // Depends on the configuration at registration: while OpenClaw applies a change, the old one is still in use.
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

  // OpenClaw also registers plugins only to list what they offer: start nothing then.
  if (api.registrationMode !== "full") return
  let owner: symbol | undefined
  api.registerService({
    id: PLUGIN_ID,
    start: () => {
      owner = Shared.begin()
    },
    stop: () => Shared.end(owner)
  })
  // OpenClaw asks for the tools of a turn without waiting, so servers start when the gateway is up. Nobody waits for them.
  api.on("gateway_start", () => {
    if (!hasServers(settings)) return
    running().then(
      ({ warm }) => warm(named.size > 0),
      (error: unknown) => logger.error(`mcp-live: ${reasonOf(error)}`)
    )
  })
  api.on("gateway_stop", () => Shared.end())
}
