/** Reads the stored logins of HTTP servers: whether there is one, and until when. No token leaves this file. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import type { LoginFacts } from "../../../../schemas/doctor/Facts.ts"
import { identityOf } from "../../../../schemas/login/Credentials.ts"
import { TokenStore } from "../../../../services/login/TokenStore.ts"
import { redactorLayer } from "../../masking.ts"
import { addressOf } from "./addresses.ts"

const hasOwnHeader = ({ launch }: ServerConfig): boolean =>
  launch.kind !== "stdio" && Object.keys(launch.headers).some((name) => name.toLowerCase() === "authorization")

const read = Effect.fnUntraced(function* (server: string, url: URL) {
  const store = yield* TokenStore
  return yield* store.read(identityOf(server, url)).pipe(
    Effect.map((credentials): LoginFacts => {
      const tokens = credentials?.authorization?.tokens
      return tokens === undefined
        ? { _tag: "None" }
        : { _tag: "Stored", expiresAt: tokens.expiresAt, renewable: tokens.refreshToken !== undefined }
    }),
    Effect.catch(({ detail }) => Effect.succeed<LoginFacts>({ _tag: "Unreadable", detail }))
  )
})

/** By the name of the server. */
export const loginFacts = Effect.fnUntraced(function* (servers: ReadonlyArray<ServerConfig>) {
  const remote = servers.flatMap((config) => {
    const url = addressOf(config)
    return url === undefined || hasOwnHeader(config) ? [] : [{ name: config.name, url }]
  })
  if (remote.length === 0) return new Map<string, LoginFacts>()
  const { layer } = yield* Effect.promise(() => import("../../../../layers/login/TokenStore.ts"))
  const found = yield* Effect.forEach(remote, ({ name, url }) =>
    Effect.map(read(name, url), (login) => [name, login] as const)
  ).pipe(Effect.provide(Layer.provide(layer(), redactorLayer)))
  return new Map<string, LoginFacts>(found)
})
