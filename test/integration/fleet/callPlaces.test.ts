import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as CallLimiterLayer from "../../../src/layers/call/CallLimiter.ts"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import { CallLimiter, type LimitedCaller } from "../../../src/services/call/CallLimiter.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { quiet, storesOf, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const BY: LimitedCaller = {
  agent: "main",
  server: "tickets",
  process: "tickets at somewhere",
  limits: { ...DEFAULT_CALL_LIMITS, perMinute: 0, inFlight: 12 }
}

const nodeAt = (url: string, node: string) =>
  Effect.map(
    Layer.build(CallLimiterLayer.layerStored().pipe(Layer.provideMerge(storesOf(url, node, 3)), Layer.provide(quiet))),
    (context) => ({ limiter: Context.get(context, CallLimiter), database: Context.get(context, Database) })
  )

type Node = Effect.Success<ReturnType<typeof nodeAt>>

const nodesAt = (url: string) => Effect.forEach(["one", "other", "third"], (name) => nodeAt(url, name))

/** Calls that end with the latch; how many are under way once all others were refused. */
const begin = (nodes: ReadonlyArray<Node>, count: number, latch: Latch.Latch) =>
  Effect.gen(function* () {
    let [underWay, refused] = [0, 0]
    const call = Effect.suspend(() => {
      underWay++
      return latch.await
    })
    const fibers = yield* Effect.forEach(Array.from({ length: count }), (_, i) =>
      nodes[i % nodes.length]!.limiter.admit(BY, call).pipe(
        Effect.tapError(() => Effect.sync(() => refused++)),
        Effect.result,
        Effect.forkScoped
      )
    )
    yield* until(Effect.sync(() => underWay + refused === count))
    return { underWay, fibers }
  })

const isAdmitted = (node: Node) => Effect.map(Effect.result(node.limiter.admit(BY, Effect.void)), Result.isSuccess)

describePostgres("the calls in flight to a server in a fleet", () => {
  it.live("are limited for all nodes together, and one that ends makes room for any node", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const nodes = yield* nodesAt(url)
      const latch = yield* Latch.make()
      const { fibers, underWay } = yield* begin(nodes, 60, latch)
      assert.strictEqual(underWay, 12)
      assert.isFalse(yield* isAdmitted(nodes[0]!))
      yield* latch.open
      const results = yield* Effect.forEach(fibers, Fiber.join)
      const refused = results.find(Result.isFailure)!.failure
      assert.deepInclude(refused, { _tag: "Overloaded", server: "tickets", limit: 12 })
      for (const node of nodes) yield* until(isAdmitted(node))
    })
  )

  it.live("of one node may be all of them, and are free for others when it is gone", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const scope = yield* Scope.make()
      const dead = yield* Scope.provide(nodeAt(url, "dead"), scope)
      const other = yield* nodeAt(url, "other")
      const latch = yield* Latch.make()
      assert.strictEqual((yield* begin([dead], 20, latch)).underWay, 12)
      assert.isFalse(yield* isAdmitted(other))
      yield* Scope.close(scope, Exit.void)
      // What a dead node had is free as soon as nobody renews it.
      yield* query("update mcp_live.call_places set until = clock_timestamp()")
      yield* until(isAdmitted(other))
      yield* latch.open
    })
  )

  it.live("are limited by the share of each node while the database is away", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const nodes = yield* nodesAt(url)
      yield* server.tell("stop")
      yield* Effect.forEach(nodes, ({ database }) => Effect.ignore(database.run("x", (sql) => sql`select 1`)))
      const latch = yield* Latch.make()
      assert.strictEqual((yield* begin(nodes, 60, latch)).underWay, 12)
      yield* server.tell("start")
      yield* until(Effect.sync(() => nodes.every(({ database }) => !database.isAway())))
      assert.deepEqual(yield* Effect.forEach(nodes, isAdmitted), [false, false, false])
      yield* latch.open
      for (const node of nodes) yield* until(isAdmitted(node))
    })
  )
})
