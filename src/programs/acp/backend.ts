/** Chooses the agent behind the sessions, by the command line and the configuration. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { DEFAULT_ACP } from "../../schemas/config/AcpConfig.ts"
import { readGateways } from "../../schemas/config/GatewayEntry.ts"
import { chooseBackend, type Said } from "../../schemas/agent/GatewayChoice.ts"
import { placeOf, readGatewayUrl } from "../../schemas/agent/GatewayAddress.ts"
import { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { AgentGateway } from "../../services/agent/AgentGateway.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { Joined } from "../../services/fleet/Joined.ts"
import type { McpRuntime } from "../../services/call/McpRuntime.ts"
import type { ModelSource } from "../../services/agent/ModelSource.ts"
import type { Redactor } from "../../services/content/Redactor.ts"
import type { SecretResolver } from "../../services/secret/SecretResolver.ts"
import type { SessionTools } from "../../services/agent/SessionTools.ts"

type Needs = ConfigSource | ContentSanitizer | McpRuntime | ModelSource | Redactor | SecretResolver | SessionTools

type Backend = Layer.Layer<AgentGateway, ConfigError | GatewayError, Needs>

const load = Effect.gen(function* () {
  const { acp = DEFAULT_ACP, agents, gateways = readGateways({}, process.env) } = yield* (yield* ConfigSource).load
  return { acp, agents, gateways }
})

/**
 * The agent whose rules and servers apply here. An OpenClaw gateway has its own agents: a name that only it knows is not one
 * of this configuration. If the choice fails, `layerBackend` reports it.
 */
export const localAgent = Effect.fnUntraced(function* (said: Said, agent: string | undefined) {
  if (agent === undefined) return undefined
  const { acp, agents, gateways } = yield* load
  const choice = chooseBackend(said, { backend: acp.backend, gateways })
  const isOurs = Result.isSuccess(choice) && choice.success.backend === "embedded"
  return isOurs || agents.some(({ id }) => id === agent) ? agent : undefined
})

/** The port of the gateway that answers, if it runs on this machine. */
export const localPort = Effect.fnUntraced(function* (said: Said) {
  const { acp, gateways } = yield* load
  const choice = chooseBackend(said, { backend: acp.backend, gateways })
  if (Result.isFailure(choice) || choice.success.backend === "embedded") return undefined
  const read = readGatewayUrl(choice.success.address)
  if (Result.isFailure(read) || !read.success.local) return undefined
  const { port, protocol } = read.success.url
  return port === "" ? (protocol === "wss:" ? 443 : 80) : Number(port)
})

/**
 * Loads the code for an OpenClaw gateway only when there is one. With a directory, conversations are kept there, separate
 * from others.
 */
export const layerBackend = (said: Said, agent: string | undefined, directory?: string): Backend =>
  Layer.unwrap(
    Effect.gen(function* (): Effect.fn.Return<Backend, ConfigError | GatewayError, ConfigSource> {
      const { acp, gateways } = yield* load
      const choice = chooseBackend(said, { backend: acp.backend, gateways })
      if (Result.isFailure(choice)) return yield* new GatewayError({ detail: choice.failure })
      const gateway = yield* Effect.promise(() => import("../../layers/agent/AgentGateway.ts"))
      if (choice.success.backend === "embedded") {
        const node = yield* Joined
        return node === undefined
          ? gateway.layerEmbeddedKept({ directory })
          : Layer.provide(gateway.layerEmbeddedStored, Layer.succeedContext(node.services))
      }
      const { address, ownServers } = choice.success
      const [link, injector, listener, network] = yield* Effect.promise(() =>
        Promise.all([
          import("../../layers/agent/GatewayLink.ts"),
          import("../../layers/agent/SessionToolInjector.ts"),
          import("../../layers/listener/McpListener.ts"),
          import("../../layers/connection/NetworkGuard.ts")
        ])
      )
      return gateway
        .layerOpenClaw({ agent, ownServers, directory, place: placeOf(address) })
        .pipe(
          Layer.provide(injector.layer),
          Layer.provide(listener.layer),
          Layer.provide(link.layer(address)),
          Layer.provide(network.layer())
        )
    })
  )
