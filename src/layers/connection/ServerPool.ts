/**
 * One supervised server for each launch fingerprint, shared by everyone who leases it. It is started with the first lease and
 * stopped with the last.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RcMap from "effect/RcMap"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { ServerConnector } from "../../services/connection/ServerConnector.ts"
import { ServerLives } from "../../services/connection/ServerLives.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { ServerPool, type LeaseOptions, type SupervisedServer } from "../../services/connection/ServerPool.ts"
import { Telemetry } from "../../services/telemetry/Telemetry.ts"
import { makeListRooms } from "../../system/listRooms.ts"
import { makePrepare } from "./ServerPool/prepare.ts"
import { supervise } from "./ServerPool/supervise.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"

interface Wanted extends LeaseOptions {
  readonly config: ServerConfig
}

/** Waits for the predecessor, and takes a place before anything is started, which it gives back when everything of it is gone. */
const within = (connector: ServerConnector["Service"], { after, places }: LeaseOptions): ServerConnector["Service"] => {
  const placed: ServerConnector["Service"] =
    places === undefined
      ? connector
      : {
          open: (config, room) => Effect.andThen(places.take(config), connector.open(config, room)),
          mended: (config, cause) => (cause._tag === "NoRoom" ? places.free : connector.mended?.(config, cause))
        }
  return after === undefined
    ? placed
    : { ...placed, open: (config, room) => Effect.andThen(after.gone, placed.open(config, room)) }
}

const make = Effect.gen(function* () {
  const connector = yield* ServerConnector
  const prepare = yield* makePrepare
  const tellers = {
    logs: Option.getOrUndefined(yield* Effect.serviceOption(ServerLogs)),
    lives: Option.getOrUndefined(yield* Effect.serviceOption(ServerLives)),
    telemetry: yield* Telemetry
  }
  const listRoom = makeListRooms()
  const configs = new Map<string, Wanted>()
  const leased = new Set<SupervisedServer>()
  /** One at a time per key: a server waits until all processes of the one before it are gone. */
  const { hold } = yield* makeKeyedMutex
  let unshared = 0

  const servers = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const { config, ...options } = configs.get(key)!
      configs.delete(key)
      const gone = yield* Deferred.make<void>()
      // First in, last out.
      yield* Effect.addFinalizer(() => Deferred.succeed(gone, undefined))
      // A key of its own has no predecessor to wait for, and leaves nothing behind.
      if (config.share) yield* hold(key)
      const room = yield* listRoom
      const known = options.after?.catalogue
      const supervised = yield* supervise(config, within(connector, options), prepare, room, { ...tellers, known })
      const server: SupervisedServer = { ...supervised, gone: Deferred.await(gone) }
      yield* Effect.acquireRelease(
        Effect.sync(() => leased.add(server)),
        () => Effect.sync(() => leased.delete(server))
      )
      return server
    })
  })

  return ServerPool.of({
    lease: Effect.fnUntraced(function* (config: ServerConfig, options: LeaseOptions = {}) {
      const key = poolKeyOf(config) + (config.share ? "" : `:${unshared++}`)
      configs.set(key, { config, ...options })
      return yield* RcMap.get(servers, key)
    }),
    leased: () => [...leased]
  })
})

/** Starts a server with its first lease and stops it with the last one. */
export const layer: Layer.Layer<ServerPool, never, ServerConnector> = Layer.effect(ServerPool, make)
