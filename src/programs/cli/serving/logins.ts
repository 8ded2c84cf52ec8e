/** Clients that log in at an authorization server: the gateway as a protected resource. The code for tokens is loaded only where there are issuers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { isLoopback } from "../../../schemas/listener/HttpAccess.ts"
import { ListenFailed } from "../../../schemas/listener/ListenerError.ts"
import { DEFAULT_CLIENTS } from "../../../schemas/login/ClientsConfig.ts"
import { TokenVerifier } from "../../../services/login/TokenVerifier.ts"
import { hostAt } from "../../../system/ownHosts.ts"
import { redactorLayer } from "../masking.ts"

/** Resolves the tokens of clients, before there is a runtime. */
export const secretsOf = ({ secrets }: GatewayConfig) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../layers/secret/SecretResolver.ts")),
      (resolver) => Layer.provide(resolver.layer({ config: secrets }), redactorLayer)
    )
  )

/** The verifier of tokens, and the address that clients know; fails where the address cannot be known. */
export const loginsOf = Effect.fnUntraced(function* (
  loaded: GatewayConfig,
  address: string,
  port: number,
  chosen?: string
) {
  const { resource: configured, ...clients } = loaded.clients ?? DEFAULT_CLIENTS
  const named = chosen ?? configured
  const needsName = clients.issuers.some(({ audience }) => audience === undefined)
  if (named === undefined && (port === 0 || (needsName && !isLoopback(address)))) {
    return yield* new ListenFailed({
      detail:
        'the address of this gateway is not known to clients in advance: name it as "clients.resource" in the configuration'
    })
  }
  const resource = named ?? `http://${hostAt(address)}:${port}/mcp`
  const [verifier, guard] = yield* Effect.promise(() =>
    Promise.all([
      import("../../../layers/login/TokenVerifier.ts"),
      import("../../../layers/connection/NetworkGuard.ts")
    ])
  )
  const built = yield* Layer.build(
    verifier.layer({ config: clients, resource }).pipe(Layer.provide([guard.layer(), secretsOf(loaded)]))
  )
  return { verifier: Context.get(built, TokenVerifier), resource }
})
