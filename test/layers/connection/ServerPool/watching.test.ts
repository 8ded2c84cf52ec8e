import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { SupervisedServer } from "../../../../src/services/connection/ServerPool.ts"
import { TestServers } from "../../../../src/testing/TestServers.ts"
import { lease, one } from "../../../support/pool.ts"

const resources = ["a", "b", "c"].map((name) => ({ uri: `test://${name}`, name }))
const [A, B, C] = resources.map(({ uri }) => uri) as [string, string, string]
const watchable = () => one({ resources })

const connected = Effect.tap(lease(), (server) => server.settled)

/** The changes that are told from now on. */
const updatesOf = (server: SupervisedServer) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    yield* server.resourceUpdates.pipe(
      Stream.runForEach((uri) => Effect.sync(() => heard.push(uri))),
      Effect.forkScoped({ startImmediately: true })
    )
    yield* TestClock.adjust(0)
    return heard
  })

describe("ServerPool: resource updates", () => {
  it.effect("are subscribed to while a watcher has them", () =>
    Effect.gen(function* () {
      const { watched } = yield* TestServers
      const server = yield* connected
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      yield* Scope.provide(server.watchResources([A, B]), first)
      yield* Scope.provide(server.watchResources([B, C]), second)
      assert.deepStrictEqual(watched("fs"), [A, B, C])
      yield* Scope.close(first, Exit.void)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(watched("fs"), [B, C])
      yield* Scope.close(second, Exit.void)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(watched("fs"), [])
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("are emitted to all listeners for watched resources only", () =>
    Effect.gen(function* () {
      const { announceResource } = yield* TestServers
      const server = yield* connected
      const [one, two] = [yield* updatesOf(server), yield* updatesOf(server)]
      yield* server.watchResources([A])
      for (const uri of [A, B, A]) {
        yield* announceResource("fs", uri)
        yield* TestClock.adjust(0)
      }
      assert.deepStrictEqual(one, [A, A])
      assert.deepStrictEqual(two, [A, A])
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("are not emitted after the last watcher has ended", () =>
    Effect.gen(function* () {
      const { announceResource, watched } = yield* TestServers
      const server = yield* connected
      const heard = yield* updatesOf(server)
      const scope = yield* Scope.make()
      yield* Scope.provide(server.watchResources([A]), scope)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(watched("fs"), [A], "it has not been told yet")
      yield* announceResource("fs", A)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heard, [])
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("are coalesced", () =>
    Effect.gen(function* () {
      const { announceResource } = yield* TestServers
      const server = yield* connected
      const heard = yield* updatesOf(server)
      yield* server.watchResources([A, B])
      // In one step, as from one chunk of bytes.
      yield* Effect.forEach(Array.from({ length: 10_000 }), (_, i) => announceResource("fs", i % 2 === 0 ? A : B))
      yield* TestClock.adjust(0)
      assert.includeMembers(heard, [A, B])
      assert.isAtMost(heard.length, 1_000)
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("are subscribed to again after a restart, and watched resources count as updated", () =>
    Effect.gen(function* () {
      const { announceResource, kill, watched } = yield* TestServers
      const server = yield* connected
      const heard = yield* updatesOf(server)
      yield* server.watchResources([A, B])
      assert.deepStrictEqual(heard, [])
      yield* kill("fs")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(server.snapshot().restarts, 1)
      assert.deepStrictEqual(watched("fs"), [A, B])
      assert.deepStrictEqual(heard, [A, B])
      yield* announceResource("fs", B)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(heard, [A, B, B])
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("do not start a lazy server, and are subscribed to when it starts", () =>
    Effect.gen(function* () {
      const { announceResource, counts, watched } = yield* TestServers
      const server = yield* lease({ lazy: true })
      const heard = yield* updatesOf(server)
      yield* server.watchResources([A, B])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(counts("fs").attempts, 0)
      yield* server.wake
      yield* server.settled
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(watched("fs"), [A, B])
      yield* announceResource("fs", B)
      for (let i = 0; i < 10; i++) yield* TestClock.adjust(0)
      assert.deepStrictEqual(heard, [B], "nobody has read anything before")
    }).pipe(Effect.provide(watchable()))
  )

  it.effect("are not subscribed to when the server does not support it", () =>
    Effect.gen(function* () {
      const { watched } = yield* TestServers
      const server = yield* connected
      yield* server.watchResources([A])
      assert.deepStrictEqual(watched("fs"), [])
    }).pipe(Effect.provide(one({ resources, subscriptions: false })))
  )
})
