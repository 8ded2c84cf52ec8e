/** The whole configuration after decoding: one entry per agent, each with its merged servers. */
import type { AcpConfig } from "./AcpConfig.ts"
import type { AuditConfig } from "./AuditConfig.ts"
import type { TelemetryConfig } from "../telemetry/TelemetryConfig.ts"
import type { ClientsConfig } from "../login/ClientsConfig.ts"
import type { ConfigIssue } from "./ConfigIssue.ts"
import type { FleetConfig } from "../fleet/FleetConfig.ts"
import type { ConfiguredGateways } from "../agent/GatewayAddress.ts"
import type { OrderConfig } from "../agent/OrderConfig.ts"
import type { LogsConfig } from "./LogsConfig.ts"
import type { ReloadConfig } from "./ReloadConfig.ts"
import type { SecretsConfig } from "../secret/SecretsConfig.ts"
import type { ServeConfig } from "../listener/ServeConfig.ts"
import type { ServerConfig } from "../connection/ServerConfig.ts"
import type { UiConfig } from "./UiConfig.ts"

/** Which tools pass. `deny` wins over `allow`. */
export interface ToolRules {
  /** Globs over exposed names and `server/tool`. `undefined` allows all, an empty list allows none. */
  readonly allow: ReadonlyArray<string> | undefined
  /** Globs of the same kind; a match here always wins. */
  readonly deny: ReadonlyArray<string>
  /** Globs of the same kind: each call of a matching tool needs approval, unless the tool is denied. */
  readonly ask?: ReadonlyArray<string> | undefined
  /** Who approves what `ask` names, in place of the person whose call it is. Never empty. */
  readonly approvers?: ReadonlyArray<string> | undefined
}

/** The model of an agent. Without one, the agent only understands direct commands (`/call …`). */
export interface ModelConfig {
  /** `anthropic/claude-…`, `openai/gpt-…`, `ollama/llama3`, or any name for an OpenAI-compatible `baseUrl`. */
  readonly id: string
  readonly baseUrl: string | undefined
  /** May contain `secret://` references. Without it, the provider's usual environment variable is used. */
  readonly apiKey: string | undefined
  /** Why it cannot be used: something that it refers to is missing. */
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
  /** With more tools than this, the agent gets a search instead of all schemas; 0 means never. */
  readonly toolIndexThreshold: number
}

/** A whole configuration after decoding, with defaults filled in. */
export interface GatewayConfig {
  readonly file: string
  /** The other files that were read for it, such as an `envFile`. */
  readonly readFiles?: ReadonlyArray<string> | undefined
  /** The file does not exist and need not: it is where one would be read. */
  readonly absent?: true | undefined
  /** Never empty; contains `defaultAgent`. */
  readonly agents: ReadonlyArray<AgentConfig>
  readonly defaultAgent: string
  /** The settings of secret providers. Default: `DEFAULT_SECRETS`. */
  readonly secrets?: SecretsConfig | undefined
  /** Whether and how the audit log is written to files. Default: `DEFAULT_AUDIT`. */
  readonly audit?: AuditConfig | undefined
  /** What an ACP client may bring. Default: `DEFAULT_ACP`. */
  readonly acp?: AcpConfig | undefined
  /** What MCP clients get, and who they are. Default: `DEFAULT_SERVE`. */
  readonly serve?: ServeConfig | undefined
  /** The authorization servers at which MCP clients may log in. Default: `DEFAULT_CLIENTS`. */
  readonly clients?: ClientsConfig | undefined
  /** Limits for agent requests of MCP clients. Default: `DEFAULT_ORDER`. */
  readonly order?: OrderConfig | undefined
  /** Whether changes of the file take effect while a gateway runs. Default: `DEFAULT_RELOAD`. */
  readonly reload?: ReloadConfig | undefined
  /** Whether the log about servers is kept in files. Default: `DEFAULT_LOGS`. */
  readonly logs?: LogsConfig | undefined
  /** Where spans and metrics go. Default: `DEFAULT_TELEMETRY`. */
  readonly telemetry?: TelemetryConfig | undefined
  /** The page on which a person sees and steers the gateway. Default: `DEFAULT_UI`. */
  readonly ui?: UiConfig | undefined
  /** How this gateway is a node of a fleet; without it, it is one process. */
  readonly fleet?: FleetConfig | undefined
  /** The OpenClaw gateways, as far as the file describes them. */
  readonly gateways?: ConfiguredGateways | undefined
  /** Why servers, models, secret providers or clients cannot be used; each also has its own fault. */
  readonly faults?: ReadonlyArray<ConfigIssue> | undefined
  readonly warnings: ReadonlyArray<ConfigIssue>
}
