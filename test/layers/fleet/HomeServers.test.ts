/** Server processes that live at a node which is frozen for a moment, or drains. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as HomeCallersLayer from "../../../src/layers/fleet/HomeCallers.ts"
import * as HomeServersLayer from "../../../src/layers/fleet/HomeServers.ts"
import { HAND_OVER_MS, PLACING_MS } from "../../../src/schemas/defaults/FleetNodes.ts"
import type { FleetNode } from "../../../src/schemas/fleet/Node.ts"
import type { Place } from "../../../src/schemas/fleet/ServerRpcs.ts"
import type { SupervisedServer } from "../../../src/services/connection/ServerPool.ts"
import { Fleet } from "../../../src/services/fleet/Fleet.ts"
import { HomeServers, NearPool } from "../../../src/services/fleet/HomeServers.ts"
import { Placements } from "../../../src/services/fleet/Placements.ts"
import { quiet } from "../../support/fleetStores.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const SELF = { name: "node-1", incarnation: "one" }
const PLACE: Place = { key: "counter", epoch: 1, node: SELF }
const CALL = { lease: "a lease", call: "a call", method: "tools/call", params: {}, options: { progress: false } }

const other = (state: FleetNode["state"]): FleetNode => ({
  name: "node-2",
  incarnation: "one",
  address: "10.0.0.2:7731",
  version: "0.0.0-test",
  state,
  startedAt: 0,
  seenAt: 0,
  load: { sessions: 0, servers: 0, callsInFlight: 0 }
})

/** A node that other nodes ask for a server, which answers with `answer`. */
const nodeWith = Effect.fnUntraced(function* (
  answer: Effect.Effect<unknown>,
  others: ReadonlyArray<FleetNode> = [],
  breaksOnce = false
) {
  const freed: Array<string> = []
  let [isCurrent, sent, underWay, self] = [true, 0, 0, SELF]
  const confirmed = yield* Deferred.make<void>()
  const connection = {
    info: { era: "legacy" },
    request: () =>
      Effect.andThen(
        Effect.sync(() => sent++),
        answer
      )
  }
  const server = {
    config: serverConfig("counter"),
    quiet: Effect.suspend(() => (underWay === 0 ? Effect.void : Effect.never)),
    use: (use: (given: typeof connection) => Effect.Effect<unknown>) =>
      Effect.suspend(() => {
        underWay++
        return Effect.ensuring(
          use(connection),
          Effect.sync(() => underWay--)
        )
      })
  } as unknown as SupervisedServer
  const around = Layer.mergeAll(
    HomeCallersLayer.layer,
    Layer.succeed(NearPool, { lease: () => Effect.succeed(server), leased: () => [] }),
    Layer.succeed(Placements, {
      placeOf: (key) => Effect.succeed({ ...PLACE, key }),
      forget: () => {},
      free: ({ key }) =>
        Effect.sync(() => {
          freed.push(key)
          if (freed.length === 1 && breaksOnce) throw new Error("a mistake")
        })
    }),
    Layer.succeed(Fleet, {
      get self() {
        return self
      },
      nodes: () => others,
      node: () => undefined,
      deaths: Stream.empty,
      changes: Stream.empty,
      isCurrent: () => isCurrent,
      confirmed: Deferred.await(confirmed),
      onReplaced: () => Effect.void,
      isDraining: () => false,
      draining: Effect.never,
      drain: () => Effect.succeed(false),
      reports: () => {}
    })
  )
  const context = yield* Layer.build(HomeServersLayer.layer.pipe(Layer.provide(around), Layer.provide(quiet)))
  const homes = Context.get(context, HomeServers)
  const first = yield* homes.near(PLACE, server.config)
  return {
    handOver: homes.handOver,
    first,
    freed,
    near: (place = PLACE) => homes.near(place, server.config),
    call: Effect.forkChild(Effect.result(homes.request(PLACE, CALL as never)), { startImmediately: true }),
    sent: () => sent,
    freeze: () => void (isCurrent = false),
    thaw: (incarnation = SELF.incarnation) =>
      Effect.suspend(() => {
        self = { ...SELF, incarnation }
        isCurrent = true
        return Deferred.succeed(confirmed, undefined)
      })
  }
})

describe("a node that was frozen", () => {
  it.effect("answers what was asked meanwhile as soon as its fleet confirms it", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.succeed("counted"))
      node.freeze()
      const calling = yield* node.call
      assert.deepStrictEqual([calling.pollUnsafe(), node.sent()], [undefined, 0])
      yield* node.thaw()
      assert.propertyVal(yield* Fiber.join(calling), "success", "counted")
    })
  )

  it.effect("gives the result of a call that was under way as soon as its fleet confirms it", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<string>()
      const node = yield* nodeWith(Deferred.await(answer))
      const calling = yield* node.call
      node.freeze()
      yield* Deferred.succeed(answer, "counted")
      yield* TestClock.adjust(0)
      assert.isUndefined(calling.pollUnsafe())
      yield* node.thaw()
      assert.propertyVal(yield* Fiber.join(calling), "success", "counted")
    })
  )

  it.effect("refuses what was asked meanwhile if others have taken its place, and nothing is executed", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.succeed("counted"))
      node.freeze()
      const calling = yield* node.call
      yield* node.thaw("two")
      assert.nestedPropertyVal(yield* Fiber.join(calling), "failure._tag", "NotHere")
      assert.strictEqual(node.sent(), 0)
    })
  )

  it.effect("keeps the result of a call that was under way if others have taken its place", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<string>()
      const node = yield* nodeWith(Deferred.await(answer))
      const calling = yield* node.call
      node.freeze()
      yield* Deferred.succeed(answer, "counted")
      yield* TestClock.adjust(0)
      yield* node.thaw("two")
      const called = yield* Fiber.join(calling)
      assert.nestedPropertyVal(called, "failure._tag", "ConnectionLost")
      assert.nestedPropertyVal(called, "failure.maybeExecuted", true)
    })
  )

  it.effect("refuses what was asked meanwhile if nobody confirms it in time", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.succeed("counted"))
      node.freeze()
      const calling = yield* node.call
      yield* TestClock.adjust(PLACING_MS)
      assert.nestedPropertyVal(yield* Fiber.join(calling), "failure._tag", "NotHere")
      assert.strictEqual(node.sent(), 0)
    })
  )
})

describe("a node that drains", () => {
  it.effect.each([{ others: [] }, { others: [other("draining")] }])(
    "keeps its servers when no other node is alive ($others.length others)",
    ({ others }) =>
      Effect.gen(function* () {
        const node = yield* nodeWith(Effect.succeed("counted"), others)
        yield* node.handOver
        assert.isFalse(node.first.isOver())
        yield* node.near()
        assert.propertyVal(yield* Fiber.join(yield* node.call), "success", "counted")
      })
  )

  it.effect("waits for the calls of others although no node takes its servers", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.never, [other("draining")])
      yield* node.call
      const leaving = yield* Effect.forkChild(node.handOver, { startImmediately: true })
      yield* TestClock.adjust(HAND_OVER_MS - 1)
      assert.isUndefined(leaving.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isDefined(leaving.pollUnsafe())
    })
  )

  it.effect("gives its servers to another node that is alive", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.succeed("counted"), [other("alive")])
      yield* node.handOver
      assert.isTrue(node.first.isOver())
      assert.propertyVal(yield* Effect.flip(node.near()), "_tag", "NotHere")
      assert.nestedPropertyVal(yield* Fiber.join(yield* node.call), "failure._tag", "NotHere")
    })
  )

  it.effect("gives the others away although one of them ends with a mistake", () =>
    Effect.gen(function* () {
      const node = yield* nodeWith(Effect.succeed("counted"), [other("alive")], true)
      const second = yield* node.near({ ...PLACE, key: "second" })
      yield* node.handOver
      assert.deepStrictEqual(node.freed, ["counter", "second"])
      assert.deepStrictEqual([node.first.isOver(), second.isOver()], [true, true])
      for (const { ended } of [node.first, second]) yield* ended
    }).pipe(Effect.provide(quiet))
  )
})
