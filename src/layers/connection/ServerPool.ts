/**
 * One supervised server for each launch fingerprint, shared by everyone who leases it. It is started with the first lease and
 * stopped with the last.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { ServerConnector } from "../../services/connection/ServerConnector.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { ServerPool, type Places } from "../../services/connection/ServerPool.ts"
import { makeListRooms } from "../../system/listRooms.ts"
import { makePrepare } from "./ServerPool/prepare.ts"
import { supervise } from "./ServerPool/supervise.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"

interface Wanted {
  readonly config: ServerConfig
  readonly places: Places | undefined
}

/** Takes a place before anything is started, and gives it back when everything of it is gone. */
const within = (connector: ServerConnector["Service"], places: Places | undefined): ServerConnector["Service"] =>
  places === undefined
    ? connector
    : {
        open: (config, room) => Effect.andThen(places.take(config), connector.open(config, room)),
        mended: (config, cause) => (cause._tag === "NoRoom" ? places.free : connector.mended?.(config, cause))
      }

const make = Effect.gen(function* () {
  const connector = yield* ServerConnector
  const prepare = yield* makePrepare
  const logs = Option.getOrUndefined(yield* Effect.serviceOption(ServerLogs))
  const listRoom = makeListRooms()
  const configs = new Map<string, Wanted>()
  /** One at a time per key: a server waits until all processes of the one before it are gone. */
  const { hold } = yield* makeKeyedMutex
  let unshared = 0

  const servers = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const { config, places } = configs.get(key)!
      configs.delete(key)
      // A key of its own has no predecessor to wait for, and leaves nothing behind.
      if (config.share) yield* hold(key)
      return yield* supervise(config, within(connector, places), prepare, yield* listRoom, logs)
    })
  })

  return ServerPool.of({
    lease: Effect.fnUntraced(function* (config: ServerConfig, places?: Places) {
      const key = poolKeyOf(config) + (config.share ? "" : `:${unshared++}`)
      configs.set(key, { config, places })
      return yield* RcMap.get(servers, key)
    })
  })
})

/** Starts a server with its first lease and stops it with the last one. */
export const layer: Layer.Layer<ServerPool, never, ServerConnector> = Layer.effect(ServerPool, make)
