/**
 * The servers of a node of a fleet: near ones, from the pool of this process, and far ones, whose process lives at another node. Who uses a
 * server does not notice which it is.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { type LeaseOptions, ServerPool, type SupervisedServer } from "../../services/connection/ServerPool.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import { HomeServers, NearPool } from "../../services/fleet/HomeServers.ts"
import { Peers } from "../../services/fleet/Peers.ts"
import { Placements } from "../../services/fleet/Placements.ts"
import { placed } from "./ServerPool/placed.ts"

/**
 * A process that sessions share lives at one node. What one session has alone lives where the session is, and so does a connection over HTTP:
 * its state, if it has any, belongs to the session that uses it.
 */
const isPlaced = (config: ServerConfig, { places }: LeaseOptions): boolean =>
  config.launch.kind === "stdio" &&
  config.enabled &&
  config.fault === undefined &&
  config.share &&
  config.session === undefined &&
  places === undefined

const make = Effect.gen(function* () {
  const near = yield* NearPool
  const surroundings = {
    fleet: yield* Fleet,
    homes: yield* HomeServers,
    peers: yield* Peers,
    placements: yield* Placements,
    host: yield* HostFeatures
  }
  const wanted = new Map<string, { readonly config: ServerConfig; readonly options: LeaseOptions }>()
  const servers = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const { config, options } = wanted.get(key)!
      const gone = yield* Deferred.make<void>()
      yield* Effect.addFinalizer(() => Deferred.succeed(gone, undefined))
      const server = yield* placed(key, config, options.after, surroundings)
      return { ...server, gone: Deferred.await(gone) } satisfies SupervisedServer
    })
  })
  return ServerPool.of({
    lease: (config, options = {}) => {
      if (!isPlaced(config, options)) return near.lease(config, options)
      const key = poolKeyOf(config)
      return Effect.suspend(() => {
        wanted.set(key, { config, options })
        return RcMap.get(servers, key)
      })
    },
    // Each node looks after the processes that live at it.
    leased: near.leased
  })
})

export const layer: Layer.Layer<ServerPool, never, NearPool | Fleet | HomeServers | Peers | Placements | HostFeatures> =
  Layer.effect(ServerPool, make)
