/** Finds, decodes and merges configuration. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"

/**
 * Finds, decodes and merges the configuration. To take it from elsewhere, provide your own; `ConfigSourceLayer.layerObject`
 * takes a value.
 */
export class ConfigSource extends Context.Service<
  ConfigSource,
  {
    /**
     * Reads the sources again at each use. Fails with all problems at once. The one that `McpLive` provides gives the configuration that
     * runs instead.
     */
    readonly load: Effect.Effect<GatewayConfig, ConfigError>
  }
>()("mcp-live/services/ConfigSource") {}
