/** Whose calls a node knows of at the servers that live there. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as HomeCallersLayer from "../../../src/layers/fleet/HomeCallers.ts"
import * as HomeServersLayer from "../../../src/layers/fleet/HomeServers.ts"
import { poolKeyOf } from "../../../src/schemas/connection/Isolation.ts"
import type { ServerConnection } from "../../../src/services/connection/ServerConnector.ts"
import type { SupervisedServer } from "../../../src/services/connection/ServerPool.ts"
import { Fleet } from "../../../src/services/fleet/Fleet.ts"
import { HomeCallers, HomeServers, NearPool, OwnCaller } from "../../../src/services/fleet/HomeServers.ts"
import { Placements } from "../../../src/services/fleet/Placements.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const CONFIG = serverConfig("files")
const SELF = { name: "one", incarnation: "1" }
const PLACE = { key: poolKeyOf(CONFIG), epoch: 1, node: SELF }

/** A server that says whom it would ask, during a call and in its answer. */
const layerOf = (era: "legacy" | "modern", watched?: Pick<SupervisedServer, "resourceUpdates" | "watchResources">) => {
  const request = () =>
    Effect.gen(function* () {
      const whom = yield* (yield* HomeCallers).whom(PLACE.key)
      return { whom: typeof whom === "object" ? whom.node : whom, own: (yield* OwnCaller)?.node }
    })
  const connection = { info: { era }, request } as unknown as ServerConnection
  const use: SupervisedServer["use"] = (used) => used(connection)
  const server = { use, config: CONFIG, changes: Stream.never, ...watched } as unknown as SupervisedServer
  const fleet = Layer.mock(Fleet)({
    self: SELF,
    nodes: () => [],
    node: () => undefined,
    isCurrent: () => true,
    isDraining: () => false,
    onReplaced: () => Effect.void,
    draining: Effect.never,
    reports: () => {}
  })
  return HomeServersLayer.layer.pipe(
    Layer.provide([
      fleet,
      Layer.mock(NearPool)({ lease: () => Effect.succeed(server), leased: () => [] }),
      Layer.mock(Placements)({ placeOf: () => Effect.succeed(PLACE), forget: () => {} })
    ]),
    Layer.provideMerge(HomeCallersLayer.layer)
  )
}

const OPTIONS = { idleMs: 1, totalMs: 1 }
const FAR = {
  lease: "a lease",
  call: "a call",
  method: "tools/call",
  params: {},
  options: { ...OPTIONS, progress: false }
}

/** What the server says in a call of this node, and in one of another. */
const bothSaid = Effect.gen(function* () {
  const homes = yield* HomeServers
  const near = yield* homes.near(PLACE, CONFIG)
  const nearSaid = yield* near.server.use((connection) => connection.request("tools/call", {}, OPTIONS))
  yield* TestClock.adjust(60_000)
  yield* Effect.forkChild(Stream.runDrain(homes.far(PLACE, "a lease", CONFIG)), { startImmediately: true })
  return [nearSaid, yield* homes.request(PLACE, FAR)]
})

describe("a node knows whose call is under way at a server that lives there", () => {
  it.effect("its own and those of other nodes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* bothSaid, [
        { whom: "one", own: undefined },
        { whom: "a lease", own: undefined }
      ])
    }).pipe(Effect.provide(layerOf("legacy")))
  )

  it.effect("and which call it is, of a server that asks in its answers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* bothSaid, [
        { whom: "one", own: "one" },
        { whom: "a lease", own: "a lease" }
      ])
    }).pipe(Effect.provide(layerOf("modern")))
  )
})

it.effect("a node tells what was missed, and changes of resources that come while the server is asked for them", () =>
  Effect.gen(function* () {
    const changes = yield* PubSub.unbounded<string>()
    const layer = layerOf("legacy", {
      resourceUpdates: Stream.fromPubSub(changes),
      // The answer of the server takes a turn.
      watchResources: ([uri]) => Effect.andThen(Effect.yieldNow, PubSub.publish(changes, `${uri} meanwhile`))
    })
    const told = yield* Effect.gen(function* () {
      const homes = yield* HomeServers
      yield* homes.near(PLACE, CONFIG)
      return yield* Stream.runCollect(Stream.take(homes.updates(PLACE, ["one"], ["missed"]), 2))
    }).pipe(Effect.provide(layer))
    assert.deepStrictEqual(told.toSorted(), ["missed", "one meanwhile"])
  })
)
