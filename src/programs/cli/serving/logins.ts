/** Clients that log in at an authorization server: the gateway as a protected resource. The code for tokens is loaded only where there are issuers. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { isLoopback } from "../../../schemas/listener/HttpAccess.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { ListenFailed } from "../../../schemas/listener/ListenerError.ts"
import { passesCallers } from "../../../schemas/login/OAuthConfig.ts"
import { DEFAULT_CLIENTS } from "../../../schemas/login/ClientsConfig.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"
import { AccountLogins } from "../../../services/login/AccountLogins.ts"
import type { Authorizer } from "../../../services/login/Authorizer.ts"
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

/** Whether persons have accounts of their own at some server. */
const hasAccounts = ({ agents }: GatewayConfig): boolean =>
  agents.some(({ servers }) => servers.some(({ launch }) => launch.kind !== "stdio" && launch.auth?.per === "person"))

/** Whether some server gets a token in exchange for those of persons. */
export const wantsCallers = ({ agents }: GatewayConfig): boolean =>
  agents.some(({ servers }) =>
    servers.some(({ launch }) => launch.kind !== "stdio" && launch.auth !== undefined && passesCallers(launch.auth))
  )

/** The pages at which persons connect their accounts; `undefined` where nobody has any, or where no browser would find them. */
export const accountsOf = Effect.fnUntraced(function* (
  loaded: GatewayConfig,
  live: Context.Context<Authorizer | ContentSanitizer>,
  resource: string,
  verifier: TokenVerifier["Service"] | undefined,
  nameOf: ((random: string) => string) | undefined,
  connected: (server: ServerConfig) => Effect.Effect<void>
) {
  if (!hasAccounts(loaded)) return undefined
  const { layer } = yield* Effect.promise(() => import("../../../layers/login/AccountLogins.ts"))
  const built = yield* Layer.build(
    Layer.provide(layer({ resource, login: verifier?.login, nameOf, connected }), Layer.succeedContext(live))
  )
  return Context.get(built, AccountLogins)
})

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
