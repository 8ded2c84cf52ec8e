/**
 * The whole configuration after decoding: one entry per agent, each with its merged servers.
 */
import type { AcpConfig } from "./AcpConfig.ts"
import type { AuditConfig } from "./AuditConfig.ts"
import type { ConfigIssue } from "./ConfigIssue.ts"
import type { ConfiguredGateways } from "../agent/GatewayAddress.ts"
import type { OrderConfig } from "../agent/OrderConfig.ts"
import type { SecretsConfig } from "../secret/SecretsConfig.ts"
import type { ServeConfig } from "../listener/ServeConfig.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"

/** Which tools pass. `deny` wins over `allow`. */
export interface ToolRules {
  /** Globs over exposed names and `server/tool`. `undefined` allows all, an empty list allows none. */
  readonly allow: ReadonlyArray<string> | undefined
  /** Globs of the same kind; a match here always wins. */
  readonly deny: ReadonlyArray<string>
  /** Globs of the same kind: of what is not denied, a person is asked at each call. */
  readonly ask?: ReadonlyArray<string> | undefined
}

/** Which model an agent asks. Without one it understands direct commands alone (`/call …`). */
export interface ModelConfig {
  /** `anthropic/claude-…`, `openai/gpt-…`, `ollama/llama3`, or any name for an OpenAI-compatible `baseUrl`. */
  readonly id: string
  readonly baseUrl: string | undefined
  /** May hold `secret://` references. Without one, the provider's usual environment variable is used. */
  readonly apiKey: string | undefined
  /** Why it cannot be used: it refers to what cannot be had. */
  readonly fault?: ConfigIssue | undefined
}

/** One agent after merging: its model, its servers, and the rules for its tools. */
export interface AgentConfig {
  readonly id: string
  readonly model: ModelConfig | undefined
  /** Sorted by name. Disabled servers are kept, so that status can show them. */
  readonly servers: ReadonlyArray<ServerConfig>
  /** Agent rules and gateway rules; a tool must pass each of them. */
  readonly rules: ReadonlyArray<ToolRules>
  /** More tools than this, and the agent gets a search over them instead of all their schemas; 0 never. */
  readonly toolIndexThreshold: number
}

/** A whole configuration after decoding, defaults filled in. */
export interface GatewayConfig {
  readonly file: string
  /** There is no such file, and need not be: it is where one would be read. */
  readonly absent?: true | undefined
  /** Never empty; holds `defaultAgent`. */
  readonly agents: ReadonlyArray<AgentConfig>
  readonly defaultAgent: string
  /** How the providers of secrets are reached; `DEFAULT_SECRETS` when left out. */
  readonly secrets?: SecretsConfig | undefined
  /** Whether and how the audit log is written to files; `DEFAULT_AUDIT` when left out. */
  readonly audit?: AuditConfig | undefined
  /** What an ACP client may bring along; `DEFAULT_ACP` when left out. */
  readonly acp?: AcpConfig | undefined
  /** What MCP clients get, and who they are; `DEFAULT_SERVE` when left out. */
  readonly serve?: ServeConfig | undefined
  /** What MCP clients may order; `DEFAULT_ORDER` when left out. */
  readonly order?: OrderConfig | undefined
  /** Where OpenClaw's own gateway is, as far as the file says. */
  readonly gateways?: ConfiguredGateways | undefined
  /** For which servers, models, providers of secrets and clients cannot be used; each has its own. */
  readonly faults?: ReadonlyArray<ConfigIssue> | undefined
  readonly warnings: ReadonlyArray<ConfigIssue>
}
