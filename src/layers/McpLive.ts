/**
 * The one place that composes the layers: a gateway provides `McpLive(options)` at boot and has its runtimes. Building it
 * starts the servers of one agent in the background and waits for none of them; closing it stops everything.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { DEFAULT_AUDIT } from "../schemas/config/AuditConfig.ts"
import type { ConfigError } from "../schemas/config/ConfigError.ts"
import { dataDirectory as ownDataDirectory } from "../schemas/config/DataDirectory.ts"
import { decisiveFiles } from "../schemas/config/ConfigPlaces.ts"
import { DEFAULT_TELEMETRY } from "../schemas/telemetry/TelemetryConfig.ts"
import type { UnknownAgent } from "../schemas/call/UnknownAgent.ts"
import { AgentRuntimes } from "../services/call/AgentRuntimes.ts"
import type { Approvals } from "../services/call/Approvals.ts"
import type { AuditLog } from "../services/call/AuditLog.ts"
import { AuditFeed } from "../services/call/AuditFeed.ts"
import type { Authorizer } from "../services/login/Authorizer.ts"
import type { CallerTokens } from "../services/login/CallerTokens.ts"
import { ConfigSource } from "../services/config/ConfigSource.ts"
import { LiveConfig } from "../services/config/LiveConfig.ts"
import type { ContentSanitizer } from "../services/content/ContentSanitizer.ts"
import type { DefinitionLedger } from "../services/call/DefinitionLedger.ts"
import type { HostFeatures } from "../services/content/HostFeatures.ts"
import { McpRuntime } from "../services/call/McpRuntime.ts"
import type { ModelSource } from "../services/agent/ModelSource.ts"
import type { Redactor } from "../services/content/Redactor.ts"
import type { ResultStore } from "../services/call/ResultStore.ts"
import { Sampler } from "../services/agent/Sampler.ts"
import type { SecretResolver } from "../services/secret/SecretResolver.ts"
import type { ServerConnector } from "../services/connection/ServerConnector.ts"
import type { TokenStore } from "../services/login/TokenStore.ts"
import * as AgentRuntimesLayer from "./call/AgentRuntimes.ts"
import * as ApprovalsLayer from "./call/Approvals.ts"
import * as AuditLogLayer from "./call/AuditLog.ts"
import * as CallerRulesLayer from "./call/CallerRules.ts"
import * as AuthorizerLayer from "./login/Authorizer.ts"
import * as CallerTokensLayer from "./login/CallerTokens.ts"
import * as ConfigSourceLayer from "./config/ConfigSource.ts"
import * as LiveConfigLayer from "./config/LiveConfig.ts"
import * as ContentSanitizerLayer from "./content/ContentSanitizer.ts"
import * as DefinitionLedgerLayer from "./call/DefinitionLedger.ts"
import * as HostFeaturesLayer from "./content/HostFeatures.ts"
import * as McpRuntimeLayer from "./call/McpRuntime.ts"
import { checkOptions, type McpLiveOptions, type Replacements } from "./McpLive/options.ts"
import * as FleetLayer from "./McpLive/fleet.ts"
import { sharedOr } from "./McpLive/fleet.ts"
import * as Shared from "./McpLive/shared.ts"
import * as TelemetryLayer from "./McpLive/telemetry.ts"
import * as Visitor from "./McpLive/visitor.ts"
import * as ModelSourceLayer from "./agent/ModelSource.ts"
import * as NetworkGuardLayer from "./connection/NetworkGuard.ts"
import * as PromptBridgeLayer from "./content/PromptBridge.ts"
import * as RedactorLayer from "./content/Redactor.ts"
import * as ResourceBridgeLayer from "./content/ResourceBridge.ts"
import * as ResultStoreLayer from "./call/ResultStore.ts"
import * as SamplerLayer from "./agent/Sampler.ts"
import * as SecretResolverLayer from "./secret/SecretResolver.ts"
import * as ServerConnectorLayer from "./connection/ServerConnector.ts"
import * as ServerPoolLayer from "./connection/ServerPool.ts"
import * as ToolBridgeLayer from "./call/ToolBridge.ts"
import * as ToolPolicyLayer from "./call/ToolPolicy.ts"

/** What a gateway gets. */
export type McpServices =
  | McpRuntime
  | AgentRuntimes
  | AuditLog
  | ConfigSource
  | SecretResolver
  | Redactor
  | ContentSanitizer
  | HostFeatures
  | ModelSource
  | ResultStore
  | Authorizer
  | CallerTokens

// What depends on the configuration is made anew for each: two that share a layer would share what one of them says.

const configOf = ({ config, replace = {} }: McpLiveOptions) =>
  replace.config ?? ConfigSourceLayer.layer({ path: config, foreignProviders: replace.secrets !== undefined })

/** Whether the file was named: by `config`, or the variable. */
const isNamed = ({ config, replace = {} }: McpLiveOptions) =>
  (config ?? process.env["MCP_LIVE_CONFIG"] ?? "") !== "" || replace.config !== undefined

/** The configuration that runs, also for whoever asks `ConfigSource`. */
const liveConfigOf = (options: McpLiveOptions, watch = false) =>
  Layer.effect(
    ConfigSource,
    Effect.map(LiveConfig, ({ current }) => ({ load: Effect.sync(current) }))
  ).pipe(
    Layer.provideMerge(LiveConfigLayer.layer({ narrow: options.narrow, watch, isNamed: isNamed(options) })),
    Layer.provide(configOf(options))
  )

/** A program without exports of its own decides by the tracer that it provides. */
const telemetryOf = ({ telemetry }: McpLiveOptions) =>
  TelemetryLayer.layer(
    Effect.map(LiveConfig, ({ current }) =>
      telemetry === true ? (current().telemetry ?? DEFAULT_TELEMETRY) : undefined
    )
  )

/** What guards the border: every text and every secret passes here. */
const borderOf = ({ replace = {} }: McpLiveOptions) =>
  Layer.mergeAll(
    replace.secrets ??
      Layer.unwrap(
        Effect.map(LiveConfig, ({ current }) => SecretResolverLayer.layer({ config: () => current().secrets }))
      ),
    replace.sanitizer ?? ContentSanitizerLayer.layer
  ).pipe(Layer.provideMerge(replace.redactor ?? RedactorLayer.layer))

/** In the database of a fleet, or with files in the data directory, unless the configuration says otherwise. */
const ownAudit = ({ dataDirectory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) => {
      const { enabled, maxBytes, maxFiles } = current().audit ?? DEFAULT_AUDIT
      return enabled
        ? FleetLayer.sharedOr(
            ({ auditLines }, node) => Layer.provide(AuditLogLayer.layerLines, auditLines(node, dataDirectory)),
            AuditLogLayer.layerFiles({ directory: dataDirectory, maxBytes, maxFiles })
          )
        : AuditLogLayer.layerUnwritten
    })
  )

/** Somebody else's audit log tells nobody here what it records. */
const unheard = (audit: Replacements["audit"]) =>
  Layer.merge(
    audit,
    Layer.succeed(AuditFeed, {
      onCall: () => Effect.void,
      onRecord: () => Effect.void,
      linesOf: () => [],
      lines: Stream.never
    })
  )

/** The way out to servers: which addresses may be reached, and with whose tokens. */
const outwards = <E, R>({ login, replace = {} }: McpLiveOptions, own: Layer.Layer<TokenStore, E, R>) => {
  const tokens: Layer.Layer<TokenStore, E, R | Redactor> = replace.tokens ?? own
  return (replace.authorizer ?? AuthorizerLayer.layer({ show: login })).pipe(
    Layer.provideMerge(CallerTokensLayer.layer),
    Layer.provide(tokens),
    Layer.provideMerge(replace.network ?? NetworkGuardLayer.layer())
  )
}

/** What a login needs: no server is started. */
export const LoginLive = (
  options: McpLiveOptions = {}
): Layer.Layer<Authorizer | ConfigSource | ContentSanitizer, ConfigError> =>
  outwards(options, Shared.tokensOfVisitor(options)).pipe(
    Layer.provideMerge(borderOf(options)),
    Layer.provideMerge(liveConfigOf(options))
  )

/** What looking after approvals needs: no server, and of the configuration only the fleet that it names. */
export const ApprovalsLive = ({ config, dataDirectory }: McpLiveOptions = {}): Layer.Layer<
  Approvals | ContentSanitizer,
  ConfigError
> =>
  Visitor.sharedOr(config, ApprovalsLayer.layerStored(), ApprovalsLayer.layer({ directory: dataDirectory })).pipe(
    Layer.provideMerge(ContentSanitizerLayer.layer),
    Layer.provide([RedactorLayer.layer, AuditLogLayer.layer])
  )

/** What looking at definitions, and judging them, needs: no server, and of the configuration only the fleet that it names. */
export const PinsLive = ({ config, dataDirectory }: McpLiveOptions = {}): Layer.Layer<DefinitionLedger, ConfigError> =>
  Visitor.sharedOr(
    config,
    DefinitionLedgerLayer.layerStored({ configuration: Shared.OF_THE_FLEET }),
    DefinitionLedgerLayer.layer({ directory: dataDirectory })
  ).pipe(
    Layer.provide(AuditLogLayer.layerFiles({ directory: dataDirectory })),
    Layer.provide(ContentSanitizerLayer.layer),
    Layer.provide(RedactorLayer.layer)
  )

/** What `McpLive` is made of, as far as a gateway shows and steers it. */
export const whole = <Noted = never>(
  options: McpLiveOptions,
  watch = false,
  /** Who else is told what servers write. */
  noted: Layer.Layer<Noted, never, LiveConfig> = Layer.empty as Layer.Layer<Noted>
): Layer.Layer<
  McpServices | Approvals | AuditFeed | DefinitionLedger | LiveConfig | Noted,
  ConfigError | UnknownAgent
> => {
  checkOptions(options)
  const {
    caller,
    dataDirectory,
    firstWaitMs,
    freezeTools,
    host,
    naming = "gateway",
    replace = {},
    runtimeTools
  } = options
  const audit = replace.audit === undefined ? ownAudit(options) : unheard(replace.audit)

  /** Completions come from the program, or else from the model of an agent. */
  const ownHost = Layer.unwrap(
    Effect.map(Sampler, ({ sample }) => HostFeaturesLayer.layer({ ...host, sample: host?.sample ?? sample }))
  ).pipe(Layer.provide(SamplerLayer.layer({ agent: options.agent })))

  const hostFeatures = (replace.host ?? ownHost).pipe(Layer.provide(audit))

  const ownConnector = Layer.unwrap(
    Effect.map(LiveConfig, ({ current }) => {
      const configFiles = decisiveFiles({ file: current().file, isNamed: isNamed(options), cwd: process.cwd() })
      return ServerConnectorLayer.layerGuarding({
        configFiles,
        directory: dataDirectory,
        memory: dataDirectory ?? ownDataDirectory()
      })
    })
  )

  const connector: Layer.Layer<ServerConnector, never, LiveConfig | Layer.Services<Replacements["connector"]>> =
    replace.connector ?? ownConnector

  const bridge = replace.bridge ?? ToolBridgeLayer.layer
  const ledger: Layer.Layer<DefinitionLedger, never, LiveConfig | Redactor | ContentSanitizer> = (
    replace.ledger ?? Shared.ledger(options)
  ).pipe(Layer.provide(audit))
  const resources = replace.resources ?? ResourceBridgeLayer.layer
  const prompts = replace.prompts ?? PromptBridgeLayer.layer
  const poolOver = <R>(opens: Layer.Layer<ServerConnector, never, R>) =>
    ServerPoolLayer.layer.pipe(Layer.provide([opens, bridge, resources, prompts, ledger]))
  const servers = sharedOr(
    (fleet) => fleet.servers(poolOver(Layer.provide(connector, fleet.host))),
    poolOver(connector)
  )

  const calls = Layer.mergeAll(
    replace.policy ?? ToolPolicyLayer.layer,
    ledger,
    (replace.approvals ?? Shared.approvals(options)).pipe(Layer.provide(audit)),
    replace.limiter ?? Shared.limiter(),
    bridge,
    resources,
    prompts,
    audit
  )

  const agents = AgentRuntimesLayer.layer({
    apart: options.apart,
    runtime: (agent, follow, places) =>
      McpRuntimeLayer.layer({ agent, caller, follow, naming, freezeTools, places, runtimeTools, firstWaitMs }),
    session: (agent, follow) =>
      McpRuntimeLayer.layer({ agent, caller, follow, naming: "session" }).pipe(
        Layer.provide(bridge),
        Layer.provide(ResultStoreLayer.layerPart)
      )
  })

  const mainRuntime = Layer.effect(
    McpRuntime,
    Effect.gen(function* () {
      const runtimes = yield* AgentRuntimes
      return yield* runtimes.get(options.agent ?? runtimes.defaultAgent)
    })
  )

  return Layer.merge(mainRuntime, TelemetryLayer.layerCalls).pipe(
    Layer.provideMerge(agents),
    Layer.provideMerge(Shared.quotas(options)),
    Layer.provide(servers),
    Layer.provideMerge(calls),
    Layer.provideMerge(outwards(options, Shared.tokens(options))),
    Layer.provideMerge(hostFeatures),
    Layer.provideMerge(replace.models ?? ModelSourceLayer.layer),
    Layer.provide(telemetryOf(options)),
    Layer.provideMerge(noted),
    Layer.provideMerge(replace.store ?? Shared.results(options)),
    Layer.provideMerge(FleetLayer.layer(options)),
    Layer.provideMerge(borderOf(options)),
    Layer.provideMerge(CallerRulesLayer.layer),
    Layer.provideMerge(liveConfigOf(options, watch))
  )
}

/** Throws a `TypeError` that names the option, where one is unknown or of the wrong kind. */
export const McpLive = (options: McpLiveOptions = {}): Layer.Layer<McpServices, ConfigError | UnknownAgent> =>
  whole(options)
