/** The options of `McpLive`. Slips in them are found before anything is built: they throw a `TypeError` that names the option. */
import * as Layer from "effect/Layer"
import { SEPARATORS } from "../../schemas/call/Names.ts"
import { isObject } from "../../schemas/data/Json.ts"
import * as Options from "../../system/optionChecks.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { NamingStyle } from "../../schemas/call/Names.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { Approvals, Approve } from "../../services/call/Approvals.ts"
import type { AuditLog } from "../../services/call/AuditLog.ts"
import type { Authorizer, LoginOptions } from "../../services/login/Authorizer.ts"
import type { CallLimiter } from "../../services/call/CallLimiter.ts"
import type { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import type { DefinitionLedger } from "../../services/call/DefinitionLedger.ts"
import type { HostFeatures } from "../../services/content/HostFeatures.ts"
import type { ModelSource } from "../../services/agent/ModelSource.ts"
import type { NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import type { PromptBridge } from "../../services/content/PromptBridge.ts"
import type { Redactor } from "../../services/content/Redactor.ts"
import type { ResourceBridge } from "../../services/content/ResourceBridge.ts"
import type { ResultStore } from "../../services/call/ResultStore.ts"
import type { SecretResolver } from "../../services/secret/SecretResolver.ts"
import type { ServerConnector } from "../../services/connection/ServerConnector.ts"
import type { TokenStore } from "../../services/login/TokenStore.ts"
import type { ToolBridge } from "../../services/call/ToolBridge.ts"
import type { ToolPolicy } from "../../services/call/ToolPolicy.ts"
import type * as HostFeaturesLayer from "../content/HostFeatures.ts"

/** Every implementation that can be exchanged for one of your own; what is left out is ours. */
export interface Replacements {
  readonly config: Layer.Layer<ConfigSource>
  readonly redactor: Layer.Layer<Redactor>
  readonly secrets: Layer.Layer<SecretResolver, never, Redactor>
  readonly sanitizer: Layer.Layer<ContentSanitizer, never, Redactor>
  readonly models: Layer.Layer<ModelSource, never, SecretResolver | Redactor | ContentSanitizer>
  readonly host: Layer.Layer<HostFeatures, never, ContentSanitizer | AuditLog>
  readonly network: Layer.Layer<NetworkGuard>
  readonly connector: Layer.Layer<
    ServerConnector,
    never,
    SecretResolver | ContentSanitizer | HostFeatures | NetworkGuard | Authorizer
  >
  readonly tokens: Layer.Layer<TokenStore, never, Redactor>
  readonly authorizer: Layer.Layer<
    Authorizer,
    never,
    TokenStore | SecretResolver | Redactor | ContentSanitizer | NetworkGuard
  >
  readonly policy: Layer.Layer<ToolPolicy>
  readonly ledger: Layer.Layer<DefinitionLedger, never, Redactor | ContentSanitizer | AuditLog>
  readonly approvals: Layer.Layer<Approvals, never, Redactor | ContentSanitizer | AuditLog>
  readonly limiter: Layer.Layer<CallLimiter>
  readonly store: Layer.Layer<ResultStore, never, Redactor>
  readonly bridge: Layer.Layer<ToolBridge, never, ContentSanitizer | ResultStore>
  readonly resources: Layer.Layer<ResourceBridge, never, ContentSanitizer>
  readonly prompts: Layer.Layer<PromptBridge, never, ContentSanitizer>
  readonly audit: Layer.Layer<AuditLog, never, ContentSanitizer>
}

/**
 * What `McpLive` is built with. All of it may be left out: then the first configuration of the usual places is read
 * (`MCP_LIVE_CONFIG`, `~/.mcp-live`, `~/.openclaw`), and what servers ask of the host is refused.
 */
export interface McpLiveOptions {
  /** Path of the configuration; without one the usual places are searched. */
  readonly config?: string | undefined
  /** The agent whose runtime is `McpRuntime`; the configuration's default when left out. */
  readonly agent?: string | undefined
  /** Whose calls they are that name nobody themselves: of the person for whom the program runs. Nobody in particular when left out. */
  readonly caller?: Caller | undefined
  /** How tools are named: `gateway` (`mcp_{server}_{tool}`) when left out. */
  readonly naming?: NamingStyle | undefined
  /**
   * What servers may ask for. Without roots and `elicit` such requests are refused; completions come from the agent's own
   * model, for servers that have `sampling: "allow"`.
   */
  readonly host?: HostFeaturesLayer.Options | undefined
  /** The tools of a runtime stay what they are at its first listing. Off when left out. */
  readonly freezeTools?: boolean | undefined
  /** Whether `mcp_read_more` and tools for resources are listed beside those of servers; they are when left out. */
  readonly runtimeTools?: boolean | undefined
  /** Milliseconds for which the first listing waits for servers on their way; two seconds when left out, and at most. */
  readonly firstWaitMs?: number | undefined
  /** For results that are too long for an agent, and the audit log; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly dataDirectory?: string | undefined
  /**
   * Shows a person the page for a login, as soon as a server wants one. Without it servers say that they need a login, and
   * `mcp-live login NAME` is how to give them one.
   */
  readonly login?: LoginOptions["show"] | undefined
  /**
   * Asks a person whether a tool may be called that an `ask` rule is about. It must show the arguments. Without it such
   * calls are denied, but for those that were approved for good.
   */
  readonly approve?: Approve | undefined
  /** Servers that are not started for agents: each client has one of its own (`AgentRuntimes.forClient`). */
  readonly apart?: ((server: ServerConfig) => boolean) | undefined
  /** What of the configuration counts. */
  readonly narrow?: ((config: GatewayConfig) => GatewayConfig) | undefined
  /**
   * Exports spans and metrics as the configuration's `telemetry` and the variables of OpenTelemetry (`OTEL_…`) say. Left out, your program
   * decides: spans go to the `Tracer` that this layer is built with, metrics to Effect's registry; without such a tracer there are none.
   */
  readonly telemetry?: boolean | undefined
  /** Whether this process becomes a node of the fleet that the configuration names, if it names one. It does not when left out. */
  readonly fleet?: boolean | undefined
  readonly replace?: Partial<Replacements> | undefined
}

const STYLES = ["gateway", "session", "library"]

const naming: Options.Check = {
  ...Options.oneOf(STYLES),
  holds: (value) =>
    STYLES.some((style) => style === value) ||
    (isObject(value) && SEPARATORS.some((separator) => separator === value["separator"]))
}

const layer: Options.Check = { holds: Layer.isLayer, must: "a Layer" }

const OPTIONS: Readonly<Record<keyof McpLiveOptions, Options.Check>> = {
  config: Options.text,
  agent: Options.text,
  caller: Options.object,
  naming,
  host: Options.object,
  freezeTools: Options.flag,
  runtimeTools: Options.flag,
  firstWaitMs: Options.milliseconds,
  dataDirectory: Options.text,
  login: Options.callback,
  approve: Options.callback,
  apart: Options.callback,
  narrow: Options.callback,
  telemetry: Options.flag,
  fleet: Options.flag,
  replace: Options.object
}

const REPLACEMENTS: Readonly<Record<keyof Replacements, Options.Check>> = {
  config: layer,
  redactor: layer,
  secrets: layer,
  sanitizer: layer,
  models: layer,
  host: layer,
  network: layer,
  connector: layer,
  tokens: layer,
  authorizer: layer,
  policy: layer,
  ledger: layer,
  approvals: layer,
  limiter: layer,
  store: layer,
  bridge: layer,
  resources: layer,
  prompts: layer,
  audit: layer
}

export const checkOptions = (options: McpLiveOptions): void => {
  Options.checkMembers("McpLive", "options", options, OPTIONS)
  if (options.replace !== undefined) Options.checkMembers("McpLive", "options.replace", options.replace, REPLACEMENTS)
}
