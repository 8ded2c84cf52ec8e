/** What an ACP client (an editor) may bring along for a session. */
import { ACP_MAX_SERVERS, ACP_MAX_TOOLS, ACP_TOOL_TIMEOUT_MS } from "../defaults/Acp.ts"
import { CALLS_PER_MINUTE } from "../defaults/CallLimits.ts"
import type { HostRules } from "../connection/ClientHosts.ts"
import type { Backend } from "../agent/GatewayChoice.ts"

/** What an editor may bring along for a session (the section `acp` of a configuration). */
export interface AcpConfig extends HostRules {
  /** MCP servers of one session. */
  readonly maxServers: number
  /** Tools of all of them; what is over is left out. */
  readonly maxTools: number
  /** Calls a minute of each of them, in the long run; 0 for no such limit. */
  readonly callsPerMinute: number
  /** How many of them may come at once after a pause; as many as a minute may have when left out. */
  readonly burst?: number | undefined
  /** Milliseconds for which a call of them may be silent. */
  readonly toolTimeout: number
  /** Whether a client may have programs started here. */
  readonly stdio: boolean
  /** Whether a client's urls may lead to addresses that are not public; those of this machine always may. */
  readonly allowPrivate: boolean
  /** Names of variables that a client may set although they can make a program run other code. */
  readonly allowEnv: ReadonlyArray<string>
  /** Which agent answers, unless the command line says; what is configured decides when left out. */
  readonly backend?: Backend | undefined
  /** Tokens that the model can read, for clients that show how full it is; 0 when nobody has said. */
  readonly contextWindow: number
  /** Whether tools that a session's servers add later are added to it, also where the client does not ask for that. */
  readonly dynamicTools: boolean
  /** Whether the resources of a session's servers go into the agent's context. */
  readonly resourceContext: boolean
  /** Whether a session's servers are told its directory when they ask where to work. */
  readonly roots: boolean
}

export const DEFAULT_ACP: AcpConfig = {
  maxServers: ACP_MAX_SERVERS,
  maxTools: ACP_MAX_TOOLS,
  callsPerMinute: CALLS_PER_MINUTE,
  toolTimeout: ACP_TOOL_TIMEOUT_MS,
  stdio: true,
  allowPrivate: false,
  denyHosts: [],
  allowEnv: [],
  contextWindow: 0,
  dynamicTools: false,
  resourceContext: true,
  roots: true
}
