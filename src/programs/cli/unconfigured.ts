/** What there is where nothing is configured: one agent without servers, and the defaults. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../../schemas/ConfigError.ts"
import type { GatewayConfig } from "../../schemas/GatewayConfig.ts"
import { ConfigSource } from "../../services/ConfigSource.ts"

export const unconfigured: Effect.Effect<GatewayConfig, ConfigError> = Effect.flatMap(
  Effect.promise(() => import("../../layers/ConfigSource.ts")),
  ({ layerObject }) =>
    ConfigSource.use(({ load }) => load).pipe(
      // That there is no server is no surprise.
      Effect.map((config) => ({ ...config, warnings: [] })),
      Effect.provide(layerObject({ mcp: {} }))
    )
)

export const layerUnconfigured: Layer.Layer<ConfigSource> = Layer.succeed(ConfigSource, { load: unconfigured })
