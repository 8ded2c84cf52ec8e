/**
 * One supervised server for each launch fingerprint, shared by everyone who leases it. It is started with the first lease and
 * stopped with the last.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { ServerConnector } from "../../services/connection/ServerConnector.ts"
import { ServerPool, type Places } from "../../services/connection/ServerPool.ts"
import { makeListRooms } from "../../system/listRooms.ts"
import { makePrepare } from "./ServerPool/prepare.ts"
import { supervise } from "./ServerPool/supervise.ts"

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
  const listRoom = makeListRooms()
  const configs = new Map<string, Wanted>()
  const running = new Map<string, Semaphore.Semaphore>()
  let unshared = 0

  /** One server at a time per key: a new one waits until everything of the last one is gone. */
  const alone = (key: string) => {
    const turn = running.get(key) ?? Semaphore.makeUnsafe(1)
    running.set(key, turn)
    return Effect.acquireRelease(turn.take(1), () => turn.release(1))
  }

  const servers = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const { config, places } = configs.get(key)!
      configs.delete(key)
      // A server that is not shared has a key of its own, and so no predecessor to wait for.
      if (config.share) yield* alone(key)
      return yield* supervise(config, within(connector, places), prepare, yield* listRoom)
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
