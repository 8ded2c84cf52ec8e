/**
 * The one place that composes the layers: a gateway provides `McpLive(options)` at boot and has its runtimes. Building it
 * starts the servers of one agent in the background and waits for none of them; closing it stops everything.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { resolve } from "node:path"
import { DEFAULT_AUDIT } from "../schemas/config/AuditConfig.ts"
import type { ConfigError } from "../schemas/config/ConfigError.ts"
import { configurationIdentity } from "../schemas/call/DefinitionHash.ts"
import { dataDirectory as ownDataDirectory } from "../schemas/config/DataDirectory.ts"
import { decisiveFiles } from "../schemas/config/ConfigPlaces.ts"
import type { GatewayConfig } from "../schemas/config/GatewayConfig.ts"
import { formatIssue } from "../schemas/config/ConfigIssue.ts"
import type { UnknownAgent } from "../schemas/call/UnknownAgent.ts"
import { AgentRuntimes } from "../services/call/AgentRuntimes.ts"
import type { Approvals } from "../services/call/Approvals.ts"
import { AuditFeed } from "../services/call/AuditFeed.ts"
import type { Authorizer } from "../services/login/Authorizer.ts"
import { ConfigSource } from "../services/config/ConfigSource.ts"
import type { ContentSanitizer } from "../services/content/ContentSanitizer.ts"
import type { DefinitionLedger } from "../services/call/DefinitionLedger.ts"
import type { HostFeatures } from "../services/content/HostFeatures.ts"
import { McpRuntime } from "../services/call/McpRuntime.ts"
import type { NativeResults } from "../services/agent/NativeResults.ts"
import type { ModelSource } from "../services/agent/ModelSource.ts"
import type { Redactor } from "../services/content/Redactor.ts"
import type { ResultStore } from "../services/call/ResultStore.ts"
import { Sampler } from "../services/agent/Sampler.ts"
import type { SecretResolver } from "../services/secret/SecretResolver.ts"
import type { ServerConnector } from "../services/connection/ServerConnector.ts"
import * as AgentRuntimesLayer from "./call/AgentRuntimes.ts"
import * as ApprovalsLayer from "./call/Approvals.ts"
import * as AuditLogLayer from "./call/AuditLog.ts"
import * as AuthorizerLayer from "./login/Authorizer.ts"
import * as CallLimiterLayer from "./call/CallLimiter.ts"
import * as ConfigSourceLayer from "./config/ConfigSource.ts"
import * as ContentSanitizerLayer from "./content/ContentSanitizer.ts"
import * as DefinitionLedgerLayer from "./call/DefinitionLedger.ts"
import * as HostFeaturesLayer from "./content/HostFeatures.ts"
import * as McpRuntimeLayer from "./call/McpRuntime.ts"
import { checkOptions, type McpLiveOptions, type Replacements } from "./McpLive/options.ts"
import * as ModelSourceLayer from "./agent/ModelSource.ts"
import * as NativeResultsLayer from "./agent/NativeResults.ts"
import * as NetworkGuardLayer from "./connection/NetworkGuard.ts"
import * as PromptBridgeLayer from "./content/PromptBridge.ts"
import * as RedactorLayer from "./content/Redactor.ts"
import * as ResourceBridgeLayer from "./content/ResourceBridge.ts"
import * as ResultStoreLayer from "./call/ResultStore.ts"
import * as SamplerLayer from "./agent/Sampler.ts"
import * as SecretResolverLayer from "./secret/SecretResolver.ts"
import * as ServerConnectorLayer from "./connection/ServerConnector.ts"
import * as ServerPoolLayer from "./connection/ServerPool.ts"
import * as TokenStoreLayer from "./login/TokenStore.ts"
import * as ToolBridgeLayer from "./call/ToolBridge.ts"
import * as ToolPolicyLayer from "./call/ToolPolicy.ts"

/** What a gateway gets. */
export type McpServices =
  | McpRuntime
  | AgentRuntimes
  | ConfigSource
  | SecretResolver
  | Redactor
  | ContentSanitizer
  | HostFeatures
  | ModelSource
  | ResultStore
  | Authorizer

/** What the configuration says, read once for everything that is built by it. */
class Loaded extends Context.Service<Loaded, GatewayConfig>()("mcp-live/layers/McpLive/Loaded") {}

const load = Effect.fnUntraced(function* ({ narrow = (config) => config }: McpLiveOptions) {
  const config = narrow(yield* (yield* ConfigSource).load)
  yield* Effect.logInfo(config.absent === true ? "no configuration" : `configuration: ${config.file}`)
  // That of a server is told by its status.
  const servers = config.agents.flatMap((agent) => agent.servers)
  const ofServers = new Set(servers.flatMap(({ fault }) => (fault === undefined ? [] : formatIssue(fault))))
  const others = (config.faults ?? []).filter((fault) => !ofServers.has(formatIssue(fault)))
  for (const issue of [...config.warnings, ...others]) yield* Effect.logWarning(formatIssue(issue))
  return config
})

// What depends on the configuration is made anew for each: two that share a layer would share what one of them says.

const configOf = ({ config, replace = {} }: McpLiveOptions) =>
  replace.config ?? ConfigSourceLayer.layer({ path: config, foreignProviders: replace.secrets !== undefined })

/** What guards the border: every text and every secret passes here. */
const borderOf = ({ dataDirectory, replace = {}, runtimeTools = true }: McpLiveOptions) =>
  Layer.mergeAll(
    replace.secrets ??
      Layer.unwrap(Effect.map(Loaded, ({ secrets }) => SecretResolverLayer.layer({ config: secrets }))),
    replace.sanitizer ?? ContentSanitizerLayer.layer,
    // What no tool reads is not kept, and no result says that it can be read on.
    replace.store ?? (runtimeTools ? ResultStoreLayer.layer({ directory: dataDirectory }) : ResultStoreLayer.layerNone)
  ).pipe(Layer.provideMerge(replace.redactor ?? RedactorLayer.layer))

/** With files in the data directory, unless the configuration says otherwise. */
const ownAudit = ({ dataDirectory }: McpLiveOptions) =>
  Layer.unwrap(
    Effect.map(Loaded, ({ audit: { enabled, maxBytes, maxFiles } = DEFAULT_AUDIT }) =>
      enabled
        ? AuditLogLayer.layerFiles({ directory: dataDirectory, maxBytes, maxFiles })
        : AuditLogLayer.layerUnwritten
    )
  )

/** Somebody else's audit log tells nobody here what it records. */
const unheard = (audit: Replacements["audit"]) =>
  Layer.merge(audit, Layer.succeed(AuditFeed, { onCall: () => Effect.void, lines: Stream.never }))

/** The way out to servers: which addresses may be reached, and with whose tokens. */
const outwards = ({ dataDirectory, login, replace = {} }: McpLiveOptions) =>
  (replace.authorizer ?? AuthorizerLayer.layer({ show: login })).pipe(
    Layer.provide(replace.tokens ?? TokenStoreLayer.layer({ directory: dataDirectory })),
    Layer.provideMerge(replace.network ?? NetworkGuardLayer.layer())
  )

/** What a login needs: no server is started. */
export const LoginLive = (
  options: McpLiveOptions = {}
): Layer.Layer<Authorizer | ConfigSource | ContentSanitizer, ConfigError> =>
  outwards(options).pipe(
    Layer.provideMerge(borderOf(options)),
    Layer.provide(Layer.effect(Loaded, load(options))),
    Layer.provideMerge(configOf(options))
  )

/** What looking after approvals needs: no configuration, and no server. */
export const ApprovalsLive = ({ dataDirectory }: McpLiveOptions = {}): Layer.Layer<Approvals | ContentSanitizer> =>
  ApprovalsLayer.layer({ directory: dataDirectory }).pipe(
    Layer.provideMerge(ContentSanitizerLayer.layer),
    Layer.provide([RedactorLayer.layer, AuditLogLayer.layer])
  )

/** What looking at definitions, and judging them, needs: no configuration, and no server. */
export const PinsLive = ({ dataDirectory }: McpLiveOptions = {}): Layer.Layer<DefinitionLedger> =>
  DefinitionLedgerLayer.layer({ directory: dataDirectory }).pipe(
    Layer.provide(AuditLogLayer.layerFiles({ directory: dataDirectory })),
    Layer.provide(ContentSanitizerLayer.layer),
    Layer.provide(RedactorLayer.layer)
  )

export interface NativeOptions extends NativeResultsLayer.Options {
  /** For the audit log; `$MCP_LIVE_HOME`, else `~/.mcp-live`, when left out. */
  readonly dataDirectory?: string | undefined
}

/** What the results of servers that somebody else runs need: no configuration, and no server. */
export const NativeLive = ({ dataDirectory, maxChars }: NativeOptions = {}): Layer.Layer<NativeResults | Redactor> =>
  NativeResultsLayer.layer({ maxChars }).pipe(
    Layer.provide([
      Layer.provide(ToolBridgeLayer.layer, ResultStoreLayer.layerNone),
      AuditLogLayer.layerFiles({ directory: dataDirectory })
    ]),
    Layer.provide(ContentSanitizerLayer.layer),
    Layer.provideMerge(RedactorLayer.layer)
  )

/** What `McpLive` is made of, as far as a gateway shows and steers it. */
export const whole = (
  options: McpLiveOptions
): Layer.Layer<McpServices | Approvals | AuditFeed | DefinitionLedger, ConfigError | UnknownAgent> => {
  checkOptions(options)
  const {
    approve,
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
    Effect.map(Loaded, ({ file }) => {
      const isNamed = (options.config ?? process.env["MCP_LIVE_CONFIG"] ?? "") !== "" || replace.config !== undefined
      const configFiles = decisiveFiles({ file, isNamed, cwd: process.cwd() })
      return ServerConnectorLayer.layerGuarding({
        configFiles,
        directory: dataDirectory,
        memory: dataDirectory ?? ownDataDirectory()
      })
    })
  )

  const connector: Layer.Layer<ServerConnector, never, Loaded | Layer.Services<Replacements["connector"]>> =
    replace.connector ?? ownConnector

  const bridge = replace.bridge ?? ToolBridgeLayer.layer
  const ownLedger = Layer.unwrap(
    Effect.map(Loaded, ({ file }) =>
      DefinitionLedgerLayer.layer({ directory: dataDirectory, configuration: configurationIdentity(resolve(file)) })
    )
  )
  const ledger: Layer.Layer<DefinitionLedger, never, Loaded | Redactor | ContentSanitizer> = (
    replace.ledger ?? ownLedger
  ).pipe(Layer.provide(audit))
  const resources = replace.resources ?? ResourceBridgeLayer.layer
  const prompts = replace.prompts ?? PromptBridgeLayer.layer
  const servers = ServerPoolLayer.layer.pipe(Layer.provide([connector, bridge, resources, prompts, ledger]))

  const calls = Layer.mergeAll(
    replace.policy ?? ToolPolicyLayer.layer,
    ledger,
    (replace.approvals ?? ApprovalsLayer.layer({ approve, directory: dataDirectory })).pipe(Layer.provide(audit)),
    replace.limiter ?? CallLimiterLayer.layer(),
    bridge,
    resources,
    prompts,
    audit
  )

  const agents = Layer.unwrap(
    Effect.map(Loaded, (all) =>
      AgentRuntimesLayer.layer({
        config: all,
        apart: options.apart,
        runtime: (agent, places) =>
          McpRuntimeLayer.layer({ agent, naming, freezeTools, places, runtimeTools, firstWaitMs }),
        session: (agent) =>
          McpRuntimeLayer.layer({ agent, naming: "session" }).pipe(
            Layer.provide(bridge),
            Layer.provide(ResultStoreLayer.layerPart)
          )
      })
    )
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
    Layer.provide(servers),
    Layer.provideMerge(calls),
    Layer.provideMerge(outwards(options)),
    Layer.provideMerge(hostFeatures),
    Layer.provideMerge(replace.models ?? ModelSourceLayer.layer),
    Layer.provideMerge(borderOf(options)),
    Layer.provide(Layer.effect(Loaded, load(options))),
    Layer.provideMerge(configOf(options))
  )
}

/** Throws a `TypeError` that names the option, where one is unknown or of the wrong kind. */
export const McpLive = (options: McpLiveOptions = {}): Layer.Layer<McpServices, ConfigError | UnknownAgent> =>
  whole(options)
