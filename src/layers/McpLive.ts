/**
 * The one place that composes the layers: a gateway provides `McpLive(options)` at boot and has its runtimes. Building it
 * starts the servers of one agent in the background and waits for none of them; closing it stops everything.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../schemas/ConfigError.ts"
import { formatIssue } from "../schemas/GatewayConfig.ts"
import type { NamingStyle } from "../schemas/Names.ts"
import type { UnknownAgent } from "../schemas/UnknownAgent.ts"
import { AgentRuntimes } from "../services/AgentRuntimes.ts"
import type { AuditLog } from "../services/AuditLog.ts"
import type { CallLimiter } from "../services/CallLimiter.ts"
import { ConfigSource } from "../services/ConfigSource.ts"
import type { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { McpRuntime } from "../services/McpRuntime.ts"
import type { Redactor } from "../services/Redactor.ts"
import type { SecretResolver } from "../services/SecretResolver.ts"
import type { ServerConnector } from "../services/ServerConnector.ts"
import type { ToolBridge } from "../services/ToolBridge.ts"
import type { ToolPolicy } from "../services/ToolPolicy.ts"
import * as AgentRuntimesLayer from "./AgentRuntimes.ts"
import * as AuditLogLayer from "./AuditLog.ts"
import * as CallLimiterLayer from "./CallLimiter.ts"
import * as ConfigSourceLayer from "./ConfigSource.ts"
import * as ContentSanitizerLayer from "./ContentSanitizer.ts"
import * as McpRuntimeLayer from "./McpRuntime.ts"
import * as RedactorLayer from "./Redactor.ts"
import * as SecretResolverLayer from "./SecretResolver.ts"
import * as ServerConnectorLayer from "./ServerConnector.ts"
import * as ServerPoolLayer from "./ServerPool.ts"
import * as ToolBridgeLayer from "./ToolBridge.ts"
import * as ToolPolicyLayer from "./ToolPolicy.ts"

/** Every implementation that can be exchanged for one of your own; what is left out is ours. */
export interface Replacements {
  readonly config: Layer.Layer<ConfigSource>
  readonly redactor: Layer.Layer<Redactor>
  readonly secrets: Layer.Layer<SecretResolver, never, Redactor>
  readonly sanitizer: Layer.Layer<ContentSanitizer, never, Redactor>
  readonly connector: Layer.Layer<ServerConnector, never, SecretResolver | ContentSanitizer>
  readonly policy: Layer.Layer<ToolPolicy>
  readonly limiter: Layer.Layer<CallLimiter>
  readonly bridge: Layer.Layer<ToolBridge, never, ContentSanitizer>
  readonly audit: Layer.Layer<AuditLog>
}

export interface McpLiveOptions {
  /** Path of the configuration; without one the usual places are searched. */
  readonly config?: string | undefined
  /** The agent whose runtime is `McpRuntime`; the configuration's default when left out. */
  readonly agent?: string | undefined
  /** How tools are named: `gateway` (`mcp_{server}_{tool}`) when left out. */
  readonly naming?: NamingStyle | undefined
  readonly replace?: Partial<Replacements> | undefined
}

/** What a gateway gets. */
export type McpServices = McpRuntime | AgentRuntimes | ConfigSource | SecretResolver | Redactor | ContentSanitizer

export const McpLive = (options: McpLiveOptions = {}): Layer.Layer<McpServices, ConfigError | UnknownAgent> => {
  const { naming = "gateway", replace = {} } = options
  const config = replace.config ?? ConfigSourceLayer.layer(options.config === undefined ? {} : { path: options.config })

  /** What guards the border: every text and every secret passes here. */
  const border = Layer.mergeAll(
    replace.secrets ?? SecretResolverLayer.layer(),
    replace.sanitizer ?? ContentSanitizerLayer.layer
  ).pipe(Layer.provideMerge(replace.redactor ?? RedactorLayer.layer))

  const servers = ServerPoolLayer.layer.pipe(Layer.provide(replace.connector ?? ServerConnectorLayer.layer))

  const calls = Layer.mergeAll(
    replace.policy ?? ToolPolicyLayer.layer,
    replace.limiter ?? CallLimiterLayer.layer(),
    replace.bridge ?? ToolBridgeLayer.layer,
    replace.audit ?? AuditLogLayer.layer
  )

  const agents = Layer.unwrap(
    Effect.gen(function* () {
      const loaded = yield* (yield* ConfigSource).load
      yield* Effect.logInfo(`configuration: ${loaded.file}`)
      for (const warning of loaded.warnings) yield* Effect.logWarning(formatIssue(warning))
      return AgentRuntimesLayer.layer({
        config: loaded,
        runtime: (agent) => McpRuntimeLayer.layer({ agent, naming })
      })
    })
  )

  const mainRuntime = Layer.effect(
    McpRuntime,
    Effect.gen(function* () {
      const runtimes = yield* AgentRuntimes
      return yield* runtimes.get(options.agent ?? runtimes.defaultAgent)
    })
  )

  return mainRuntime.pipe(
    Layer.provideMerge(agents),
    Layer.provide([servers, calls]),
    Layer.provideMerge(Layer.mergeAll(border, config))
  )
}
