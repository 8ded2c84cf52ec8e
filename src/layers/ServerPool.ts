/**
 * One supervised server per launch fingerprint, shared by everyone who leases it, started with the first lease and
 * stopped with the last.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { fingerprint, type ServerConfig } from "../schemas/ServerConfig.ts"
import { ServerConnector } from "../services/ServerConnector.ts"
import { ServerPool } from "../services/ServerPool.ts"
import { supervise } from "./ServerPool/supervise.ts"

const make = Effect.gen(function* () {
  const connector = yield* ServerConnector
  const configs = new Map<string, ServerConfig>()
  let unshared = 0
  const servers = yield* RcMap.make({ lookup: (key: string) => supervise(configs.get(key)!, connector) })

  return ServerPool.of({
    lease: Effect.fnUntraced(function* (config: ServerConfig) {
      const key = fingerprint(config) + (config.enabled ? "" : ":disabled") + (config.share ? "" : `:${unshared++}`)
      configs.set(key, config)
      return yield* RcMap.get(servers, key)
    })
  })
})

export const layer: Layer.Layer<ServerPool, never, ServerConnector> = Layer.effect(ServerPool, make)
