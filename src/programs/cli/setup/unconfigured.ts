/** The configuration of a user who has none: one agent without servers, and the defaults. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ConfigError } from "../../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"

export const unconfigured: Effect.Effect<GatewayConfig, ConfigError> = Effect.flatMap(
  Effect.promise(() => import("../../../layers/config/ConfigSource.ts")),
  ({ layerObject }) =>
    ConfigSource.use(({ load }) => load).pipe(
      // Not having a server is expected here.
      Effect.map((config) => ({ ...config, warnings: [] })),
      Effect.provide(layerObject({ mcp: {} }))
    )
)

export const layerUnconfigured: Layer.Layer<ConfigSource> = Layer.succeed(ConfigSource, { load: unconfigured })
