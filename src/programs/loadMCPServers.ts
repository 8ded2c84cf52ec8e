/**
 * The runtime for programs that do not speak Effect: one function, promises, and one list of tools that any agent loop
 * can take. Behind it is `McpLive`, whole.
 */
import { McpLive } from "../layers/McpLive.ts"
import { SEPARATORS, type NamingStyle, type Separator } from "../schemas/call/Names.ts"
import * as Options from "../system/optionChecks.ts"
import * as Config from "./loadMCPServers/config.ts"
import { hostOptions, toLogin, type HostCallbacks } from "./loadMCPServers/promiseHost.ts"
import { openProvider, type MCPToolProvider, type ProviderOptions } from "./loadMCPServers/provider.ts"
import type { ToolRegistry } from "./loadMCPServers/registry.ts"

/**
 * Which tools there are, as globs (`*`, `?`) without regard to case. It narrows what the configuration allows and
 * never widens it.
 */
export interface ToolAccess {
  /** Globs over tool names and `server/tool`; all tools when left out. On top of the rules of the configuration. */
  readonly allow?: ReadonlyArray<string>
  /** Globs of the same kind; a match here always wins. */
  readonly deny?: ReadonlyArray<string>
  /** Globs of the same kind: `onApproval` is asked before each call of these. */
  readonly ask?: ReadonlyArray<string>
  /**
   * Globs of the same kind: these tools say `ownerOnly: true`, for the agent loop to act on; and so does the tool by which
   * every other can be called.
   */
  readonly ownerOnly?: ReadonlyArray<string>
}

/**
 * The second argument of `loadMCPServers`: which tools there are and how they are named, what servers may ask, who is
 * told what. All of it may be left out.
 */
export interface LoadMCPServersOptions extends HostCallbacks, Omit<ProviderOptions, "ownerOnly"> {
  readonly policy?: ToolAccess | undefined
  /** How tools are named: `library` (`{server}__{tool}`) when left out. */
  readonly naming?: Exclude<NamingStyle, object> | undefined
  /**
   * What stands between the name of a server and that of its tool, instead of the `__` of `library`. Names with `:`, `/` or
   * `.` are refused by most model providers.
   */
  readonly separator?: Separator | undefined
  /**
   * Lists the runtime's own tools beside those of servers: `mcp_read_more`, for the rest of results that are too long, and
   * the tools by which a model reads resources. Off when left out; then nothing of a result is kept that is not in it.
   */
  readonly runtimeTools?: boolean | undefined
  /** The agent of the configuration whose servers and rules apply; its default one when left out. */
  readonly agent?: string | undefined
  /** For results that are too long for an agent, and the audit log; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly dataDirectory?: string | undefined
}

const POLICY: Readonly<Record<keyof ToolAccess, Options.Check>> = {
  allow: Options.texts,
  deny: Options.texts,
  ask: Options.texts,
  ownerOnly: Options.texts
}

const NAMINGS: ReadonlyArray<Exclude<NamingStyle, object>> = ["library", "gateway", "session"]

const OPTIONS: Readonly<Record<keyof LoadMCPServersOptions, Options.Check>> = {
  onToolsChanged: Options.callback,
  signal: Options.abortSignal,
  waitMs: Options.milliseconds,
  workspaceDir: Options.directory,
  onSamplingRequest: Options.callback,
  onElicitationRequest: Options.callback,
  onApproval: Options.callback,
  onLoginRequired: Options.callback,
  onLog: Options.callback,
  policy: Options.object,
  naming: Options.oneOf(NAMINGS),
  separator: Options.oneOf(SEPARATORS),
  runtimeTools: Options.flag,
  agent: Options.text,
  dataDirectory: Options.text
}

/** Slips of a program that no compiler has checked, before anything is started. */
const check = (registry: ToolRegistry | undefined, options: LoadMCPServersOptions): void => {
  if (registry !== undefined && registry !== null && typeof registry.register !== "function") {
    throw new TypeError("loadMCPServers: the second argument must have register(tool); options are the third")
  }
  Options.checkMembers("loadMCPServers", "options", options, OPTIONS)
  if (options.naming !== undefined && options.separator !== undefined) {
    throw new TypeError("loadMCPServers: options.naming and options.separator both say how tools are named: keep one")
  }
  if (options.policy !== undefined) Options.checkMembers("loadMCPServers", "options.policy", options.policy, POLICY)
}

/**
 * Starts the servers of a configuration, given as an object or as the path of a file, and gives their tools.
 *
 * Resolves when every server is connected or has failed (or after `waitMs`): one that failed is a state, not an error.
 * Rejects with a `ConfigError` that names every problem of the configuration, with an `UnknownAgent`, with the reason of
 * the `signal`, or with a `TypeError` that names the option that is none. Whoever gets a provider closes it; until then its servers keep the process alive.
 */
export const loadMCPServers = async (
  config: Config.MCPServersConfig | string,
  registry?: ToolRegistry,
  options: LoadMCPServersOptions = {}
): Promise<MCPToolProvider> => {
  check(registry, options)
  const { agent, dataDirectory, policy, runtimeTools = false, separator, waitMs } = options
  const naming = separator === undefined ? (options.naming ?? "library") : { separator }
  const source = Config.layer(config, { policy, sampling: options.onSamplingRequest !== undefined })
  const live = McpLive({
    agent,
    dataDirectory,
    naming,
    runtimeTools,
    firstWaitMs: waitMs,
    host: hostOptions(options),
    login: toLogin(options),
    approve: options.onApproval,
    replace: { config: source }
  })
  return openProvider(live, registry ?? undefined, { ...options, ownerOnly: policy?.ownerOnly ?? [] })
}
