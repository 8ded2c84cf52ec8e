import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { placed, type Surroundings } from "../../../../src/layers/fleet/ServerPool/placed.ts"
import { PLACING_RETRY_MS } from "../../../../src/schemas/defaults/FleetNodes.ts"
import { LISTENER_CONFIRM_MS } from "../../../../src/schemas/defaults/Listener.ts"
import { NotHere, type Place } from "../../../../src/schemas/fleet/ServerRpcs.ts"
import type { Snapshot, SupervisedServer } from "../../../../src/services/connection/ServerPool.ts"
import { quiet } from "../../../support/fleetStores.ts"
import { serverConfig } from "../../../support/serverConfig.ts"

const SELF = { name: "node-1", incarnation: "one" }

const NEAR: Snapshot = {
  state: { _tag: "Idle" },
  catalogue: undefined,
  restarts: 0,
  lastError: undefined
}

/** Streams of streams take some. */
const turns = Effect.repeat(TestClock.adjust(0), { times: 20 })

it.effect("a server finds its place, and its changes are heard, after attempts that ended with a mistake", () =>
  Effect.gen(function* () {
    let [asked, heard] = [0, 0]
    const changes = yield* Queue.unbounded<string>()
    const near = { snapshot: () => NEAR, changes: Stream.never } as unknown as SupervisedServer
    const surroundings = {
      fleet: { self: SELF, isCurrent: () => true },
      homes: {
        near: () => Effect.succeed({ server: near, ended: Effect.never, isOver: () => false }),
        updates: () =>
          Stream.suspend(() => {
            if (++heard === 1) throw new Error("a mistake")
            return Stream.fromQueue(changes)
          })
      },
      placements: {
        placeOf: (key: string) =>
          Effect.suspend(() => {
            if (++asked === 1) throw new Error("a mistake")
            return Effect.succeed({ node: SELF, key, epoch: 1 })
          }),
        forget: () => {}
      }
    } as unknown as Surroundings
    const server = yield* placed("a key", serverConfig("files"), undefined, surroundings)
    yield* TestClock.adjust(0)
    const { lastError, state } = server.snapshot()
    assert.deepStrictEqual([state._tag, lastError?.includes("an unexpected failure")], ["Backoff", true])
    yield* TestClock.adjust(PLACING_RETRY_MS)
    assert.strictEqual(server.snapshot().node, SELF.name)

    yield* server.watchResources(["file:///one"])
    yield* turns
    assert.strictEqual(heard, 1)
    yield* TestClock.adjust(PLACING_RETRY_MS)
    yield* turns
    assert.strictEqual(heard, 2)
    const seen = yield* Effect.forkChild(Stream.runHead(server.resourceUpdates), { startImmediately: true })
    yield* turns
    yield* Queue.offer(changes, "file:///one")
    yield* turns
    assert.strictEqual(seen.pollUnsafe()?._tag, "Success")
  }).pipe(Effect.provide(quiet))
)

it.effect("a use at a node that its fleet does not confirm fails after a time, and nothing is executed", () =>
  Effect.gen(function* () {
    let used = 0
    const near = {
      snapshot: () => NEAR,
      changes: Stream.never,
      use: () => Effect.sync(() => used++)
    } as unknown as SupervisedServer
    const surroundings = {
      fleet: { self: SELF, isCurrent: () => false, confirmed: Effect.never },
      homes: { near: () => Effect.succeed({ server: near, ended: Effect.never, isOver: () => false }) },
      placements: { placeOf: (key: string) => Effect.succeed({ node: SELF, key, epoch: 1 }), forget: () => {} }
    } as unknown as Surroundings
    const server = yield* placed("a key", serverConfig("files"), undefined, surroundings)
    yield* TestClock.adjust(0)
    const using = yield* Effect.forkChild(Effect.flip(server.use(() => Effect.void)), { startImmediately: true })
    yield* TestClock.adjust(LISTENER_CONFIRM_MS - 1)
    assert.isUndefined(using.pollUnsafe())
    yield* TestClock.adjust(1)
    const refused = using.pollUnsafe()
    assert.nestedPropertyVal(refused, "value._tag", "ServerUnavailable")
    assert.strictEqual(used, 0)
  })
)

it.effect("watched resources count as changed where nobody heard of them for a while", () =>
  Effect.gen(function* () {
    const near = { snapshot: () => NEAR, changes: Stream.never } as unknown as SupervisedServer
    const [asked, told] = [[] as Array<unknown>, [] as Array<string>]
    const moves = yield* Queue.unbounded<void>()
    let [epoch, stalls] = [0, false]
    const surroundings = {
      fleet: { self: SELF, isCurrent: () => true },
      homes: {
        near: () => Effect.succeed({ server: near, ended: Queue.take(moves), isOver: () => false }),
        updates: (place: Place, uris: ReadonlyArray<string>, missed: ReadonlyArray<string>) =>
          Stream.suspend(() => {
            asked.push({ epoch: place.epoch, uris, missed })
            const news = Stream.concat(Stream.fromIterable(missed), Stream.never)
            return stalls ? Stream.fail(new NotHere({ detail: "it stalls" })) : news
          })
      },
      placements: {
        placeOf: (key: string) => Effect.sync(() => ({ node: SELF, key, epoch: ++epoch })),
        forget: () => {}
      }
    } as unknown as Surroundings
    const server = yield* placed("a key", serverConfig("files"), undefined, surroundings)
    yield* Effect.forkChild(Stream.runForEach(server.resourceUpdates, (uri) => Effect.sync(() => told.push(uri))))
    const since = Effect.map(turns, () => [asked.splice(0), told.splice(0)])

    yield* server.watchResources(["b"])
    assert.deepStrictEqual(yield* since, [[{ epoch: 1, uris: ["b"], missed: [] }], []])
    yield* server.watchResources(["b"])
    assert.deepStrictEqual(yield* since, [[], []])
    stalls = true
    yield* server.watchResources(["a"])
    assert.deepStrictEqual(yield* since, [[{ epoch: 1, uris: ["a", "b"], missed: ["b"] }], []])
    stalls = false
    yield* TestClock.adjust(PLACING_RETRY_MS)
    assert.deepStrictEqual(yield* since, [[{ epoch: 1, uris: ["a", "b"], missed: ["a", "b"] }], ["a", "b"]])
    yield* Queue.offer(moves, undefined)
    assert.deepStrictEqual(yield* since, [[{ epoch: 2, uris: ["a", "b"], missed: ["a", "b"] }], ["a", "b"]])
  }).pipe(Effect.provide(quiet))
)
