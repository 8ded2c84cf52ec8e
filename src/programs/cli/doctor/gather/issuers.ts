/** Reads the metadata and the keys of the issuers at which clients log in, or asks them about a token that nobody has. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { GatewayConfig } from "../../../../schemas/config/GatewayConfig.ts"
import { DEFAULT_CLIENTS } from "../../../../schemas/login/ClientsConfig.ts"
import { TokenVerifier } from "../../../../services/login/TokenVerifier.ts"
import { layerFor } from "../../setup/trySecrets.ts"

/** No token is checked, so this gateway needs no address. */
const NO_ADDRESS = "http://127.0.0.1/mcp"

export const issuerFacts = Effect.fnUntraced(function* (config: GatewayConfig) {
  const clients = config.clients ?? DEFAULT_CLIENTS
  if (clients.issuers.length === 0) return []
  const [verifier, guard] = yield* Effect.promise(() =>
    Promise.all([
      import("../../../../layers/login/TokenVerifier.ts"),
      import("../../../../layers/connection/NetworkGuard.ts")
    ])
  )
  return yield* TokenVerifier.use(({ problems }) => problems).pipe(
    Effect.provide(
      verifier.layer({ config: clients, resource: NO_ADDRESS }).pipe(Layer.provide([guard.layer(), layerFor(config)]))
    )
  )
})
