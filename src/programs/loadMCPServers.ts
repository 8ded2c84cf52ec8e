/**
 * The runtime for programs that do not use Effect: one function, promises, and one list of tools for any agent loop, over the
 * complete `McpLive`.
 */
import { McpLive } from "../layers/McpLive.ts"
import { isApprover } from "../schemas/config/Approvers.ts"
import { SEPARATORS, type NamingStyle, type Separator } from "../schemas/call/Names.ts"
import * as Options from "../system/optionChecks.ts"
import * as Config from "./loadMCPServers/config.ts"
import { hostOptions, toLogin, type HostCallbacks } from "./loadMCPServers/promiseHost.ts"
import { openProvider, type MCPToolProvider, type ProviderOptions } from "./loadMCPServers/provider.ts"
import type { ToolRegistry } from "./loadMCPServers/registry.ts"

/** Which tools exist, as globs (`*`, `?`); case is ignored. These rules can only narrow what the configuration allows. */
export interface ToolAccess {
  /** Globs over tool names and `server/tool`. Default: all tools. They apply in addition to the rules of the configuration. */
  readonly allow?: ReadonlyArray<string>
  /** Globs of the same kind. A match here always wins. */
  readonly deny?: ReadonlyArray<string>
  /** Globs of the same kind: `onApproval` is asked before each call of these tools. */
  readonly ask?: ReadonlyArray<string>
  /**
   * Who approves the calls that `ask` names: names of persons, `group:NAME`, `role:NAME` or `operator`. `onApproval` gets them in the
   * question, and has to ask one of them. Such an approval is never for good.
   */
  readonly approvers?: ReadonlyArray<string>
  /**
   * Globs of the same kind: these tools have `ownerOnly: true`, which the agent loop has to enforce. A tool that can call all
   * others then has it, too.
   */
  readonly ownerOnly?: ReadonlyArray<string>
}

/**
 * The second argument of `loadMCPServers`: which tools exist, how they are named, what servers may ask for, and listeners.
 * All are optional.
 */
export interface LoadMCPServersOptions extends HostCallbacks, Omit<ProviderOptions, "ownerOnly"> {
  readonly policy?: ToolAccess | undefined
  /** How tools are named. Default: `library` (`{server}__{tool}`). */
  readonly naming?: Exclude<NamingStyle, object> | undefined
  /**
   * The separator between server and tool in a name. Default: the `__` of `library`. Most model providers refuse names with
   * `:`, `/` or `.`.
   */
  readonly separator?: Separator | undefined
  /**
   * Adds the runtime's own tools: `mcp_read_more`, which reads the rest of long results, and tools that read resources.
   * Default: off; the rest of a long result is then not kept.
   */
  readonly runtimeTools?: boolean | undefined
  /** The agent of the configuration whose servers and rules apply. Default: its default agent. */
  readonly agent?: string | undefined
  /** Holds long results and the audit log. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly dataDirectory?: string | undefined
  /** Exports spans and metrics as `telemetry` of the configuration and the `OTEL_…` variables say. Default: off. */
  readonly telemetry?: boolean | undefined
}

const POLICY: Readonly<Record<keyof ToolAccess, Options.Check>> = {
  allow: Options.texts,
  deny: Options.texts,
  ask: Options.texts,
  approvers: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isApprover),
    must: "a list of names, group:NAME, role:NAME or operator, and not empty"
  },
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
  dataDirectory: Options.text,
  telemetry: Options.flag
}

/** Reports mistakes of an untyped program before anything is started. */
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
 * Starts the servers of a configuration, which is an object or the path of a file, and returns their tools.
 *
 * Resolves when every server is connected or has failed (or after `waitMs`): a failed server is a state, not an error.
 * Rejects with a `ConfigError` that names every problem of the configuration, with an `UnknownAgent`, with the reason of the
 * `signal`, or with a `TypeError` for an invalid option. Close the provider when you are done; until then its servers keep
 * the process alive.
 */
export const loadMCPServers = async (
  config: Config.MCPServersConfig | string,
  registry?: ToolRegistry,
  options: LoadMCPServersOptions = {}
): Promise<MCPToolProvider> => {
  check(registry, options)
  const { agent, dataDirectory, policy, runtimeTools = false, separator, telemetry, waitMs } = options
  const naming = separator === undefined ? (options.naming ?? "library") : { separator }
  const source = Config.layer(config, { policy, sampling: options.onSamplingRequest !== undefined })
  const live = McpLive({
    agent,
    dataDirectory,
    naming,
    runtimeTools,
    telemetry,
    firstWaitMs: waitMs,
    host: hostOptions(options),
    login: toLogin(options),
    approve: options.onApproval,
    replace: { config: source }
  })
  return openProvider(live, registry ?? undefined, { ...options, ownerOnly: policy?.ownerOnly ?? [] })
}
