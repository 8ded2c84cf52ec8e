/** A server as one agent uses it: the configuration belongs to the agent, the supervised server may be shared. */
import { CALL_MAX_MS } from "../../../schemas/defaults/Connections.ts"
import type { AgentConfig, ToolRules } from "../../../schemas/config/GatewayConfig.ts"
import { processOf } from "../../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { LimitedCaller } from "../../../services/call/CallLimiter.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { SupervisedServer } from "../../../services/connection/ServerPool.ts"

export interface AgentServer {
  readonly config: ServerConfig
  readonly supervised: SupervisedServer
  /** The agent's rules and the server's own `tools` filter. */
  readonly rules: ReadonlyArray<ToolRules>
  /** The defaults of a call. */
  readonly requestOptions: RequestOptions
  /** Identifies this agent to the limits of the server. */
  readonly caller: LimitedCaller
}

/** `include`, `exclude` and `ask` become ordinary rules for this server's tools. */
export const filterRules = ({
  name,
  tools: { approvers, ask = [], exclude, include }
}: ServerConfig): ReadonlyArray<ToolRules> => {
  const all = include.includes("*")
  if (all && exclude.length === 0 && ask.length === 0) return []
  const own = (globs: ReadonlyArray<string>) => globs.map((glob) => `${name}/${glob}`)
  return [
    {
      allow: all ? undefined : own(include),
      deny: own(exclude),
      ask: own(ask),
      ...(approvers !== undefined && { approvers })
    }
  ]
}

/** Progress is requested even without a listener, because it shows that a long call is alive. */
const ignoreProgress = () => {}

export const toAgentServer = (
  { id, rules }: AgentConfig,
  config: ServerConfig,
  supervised: SupervisedServer
): AgentServer => ({
  config,
  supervised,
  rules: [...rules, ...filterRules(config)],
  requestOptions: {
    idleMs: config.toolTimeout,
    totalMs: Math.max(CALL_MAX_MS, config.toolTimeout),
    onProgress: ignoreProgress
  },
  caller: { agent: id, server: config.name, process: processOf(config), limits: config.limits }
})
