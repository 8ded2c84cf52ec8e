/**
 * The runtime for programs that do not speak Effect: one function, promises, and one list of tools that any agent loop
 * can take. Behind it is `McpLive`, whole.
 */
import { McpLive } from "../layers/McpLive.ts"
import type { NamingStyle } from "../schemas/Names.ts"
import * as Config from "./loadMCPServers/config.ts"
import { hostOptions, type HostCallbacks } from "./loadMCPServers/host.ts"
import { openProvider, type MCPToolProvider, type ProviderOptions } from "./loadMCPServers/provider.ts"
import type { ToolRegistry } from "./loadMCPServers/registry.ts"

export interface ToolAccess {
  /** Globs over tool names and `server/tool`; all tools when left out. On top of the rules of the configuration. */
  readonly allow?: ReadonlyArray<string>
  /** Globs of the same kind; a match here always wins. */
  readonly deny?: ReadonlyArray<string>
  /** Globs of the same kind: these tools say `ownerOnly: true`, for the agent loop to act on. */
  readonly ownerOnly?: ReadonlyArray<string>
}

export interface LoadMCPServersOptions extends HostCallbacks, Omit<ProviderOptions, "ownerOnly"> {
  readonly policy?: ToolAccess | undefined
  /** How tools are named: `library` (`{server}__{tool}`) when left out. */
  readonly naming?: NamingStyle | undefined
  /** The agent of the configuration whose servers and rules apply; its default one when left out. */
  readonly agent?: string | undefined
  /** For results that are too long for an agent; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly dataDirectory?: string | undefined
}

const isStrings = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string")

/** Slips of a program that no compiler has checked, before anything is started. */
const check = (registry: ToolRegistry | undefined, { policy }: LoadMCPServersOptions): void => {
  if (registry !== undefined && registry !== null && typeof registry.register !== "function") {
    throw new TypeError("loadMCPServers: the second argument must have register(tool); options are the third")
  }
  for (const list of ["allow", "deny", "ownerOnly"] as const) {
    if (policy?.[list] !== undefined && !isStrings(policy[list])) {
      throw new TypeError(`loadMCPServers: options.policy.${list} must be a list of strings`)
    }
  }
}

/**
 * Starts the servers of a configuration, given as an object or as the path of a file, and gives their tools.
 *
 * Resolves when every server is connected or has failed (or after `waitMs`): one that failed is a state, not an error.
 * Rejects with a `ConfigError` that names every problem of the configuration, with an `UnknownAgent`, or with the reason
 * of the `signal`. Whoever gets a provider closes it; until then its servers keep the process alive.
 */
export const loadMCPServers = async (
  config: Config.MCPServersConfig | string,
  registry?: ToolRegistry,
  options: LoadMCPServersOptions = {}
): Promise<MCPToolProvider> => {
  check(registry, options)
  const { agent, dataDirectory, naming = "library", policy } = options
  const source = Config.layer(config, { policy, sampling: options.onSamplingRequest !== undefined })
  const live = McpLive({ agent, dataDirectory, naming, host: hostOptions(options), replace: { config: source } })
  return openProvider(live, registry ?? undefined, { ...options, ownerOnly: policy?.ownerOnly ?? [] })
}
