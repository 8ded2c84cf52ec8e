import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as CallLimiterLayer from "../../../src/layers/call/CallLimiter.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../../src/schemas/call/CallLimits.ts"
import { CallLimiter, type LimitedCaller } from "../../../src/services/call/CallLimiter.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { quiet, storesOf, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const NODES = 3

const caller = (limits: Partial<CallLimits>, agent = "main"): LimitedCaller => ({
  agent,
  server: "tickets",
  process: "tickets at somewhere",
  limits: { ...DEFAULT_CALL_LIMITS, inFlight: 10_000, ...limits }
})

const nodeAt = (url: string, node: string) =>
  Effect.map(
    Layer.build(
      CallLimiterLayer.layerStored().pipe(Layer.provideMerge(storesOf(url, node, NODES)), Layer.provide(quiet))
    ),
    (context) => ({ limiter: Context.get(context, CallLimiter), database: Context.get(context, Database) })
  )

type Node = Effect.Success<ReturnType<typeof nodeAt>>

const nodesAt = (url: string) =>
  Effect.forEach(
    Array.from({ length: NODES }, (_, i) => `node-${i}`),
    (name) => nodeAt(url, name)
  )

const attempt = ({ limiter }: Node, by: LimitedCaller) => Effect.result(limiter.admit(by, Effect.void))

/** Calls without end until the time is over; how many were allowed. */
const load = (node: Node, by: LimitedCaller, ms: number) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + ms
    let allowed = 0
    while ((yield* Clock.currentTimeMillis) < end) {
      const results = yield* Effect.forEach(Array.from({ length: 20 }), () => attempt(node, by), {
        concurrency: "unbounded"
      })
      allowed += results.filter(Result.isSuccess).length
      yield* Effect.sleep(1)
    }
    return allowed
  })

const sum = (counts: ReadonlyArray<number>) => counts.reduce((all, each) => all + each, 0)

/** What one limiter would have allowed. */
const allowedIn = ({ burst, perMinute }: CallLimits, ms: number) => burst + (perMinute / 60_000) * ms

describePostgres("the rate of calls in a fleet", () => {
  it.live(
    "is one limit for all nodes, at most 5 % over under load, and costs less than a statement for each call",
    () =>
      Effect.gen(function* () {
        const { query, url } = yield* newDatabase()
        const scope = yield* Scope.make()
        const nodes = yield* Scope.provide(nodesAt(url), scope)
        const by = caller({ perMinute: 30_000, burst: 1_000 })
        const begun = yield* Clock.currentTimeMillis
        const counts = yield* Effect.forEach(nodes, (node) => load(node, by, 3_000), { concurrency: "unbounded" })
        const ms = (yield* Clock.currentTimeMillis) - begun
        const [total, limit] = [sum(counts), allowedIn(by.limits, ms)]
        yield* Scope.close(scope, Exit.void)
        // A connection that has ended has told its statements.
        const others = query(
          "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
        )
        yield* until(Effect.map(others, (rows) => rows.length === 0))
        const [row] = yield* query(
          "select xact_commit::float8 as statements from pg_stat_database where datname = current_database()"
        )
        yield* Effect.logInfo(
          `${total} calls (${counts.join(", ")}) of ${Math.round(limit)} in ${ms} ms, ${row?.["statements"]} statements`
        )
        assert.isAtMost(total, limit * 1.05)
        assert.isAtLeast(total, by.limits.burst)
        assert.isBelow(Number(row?.["statements"]), total / 2)
      })
  )

  it.live(
    "is not multiplied by nodes for a few calls, each agent has its own, and a refused call is told when to come back",
    () =>
      Effect.gen(function* () {
        const { url } = yield* newDatabase()
        const nodes = yield* nodesAt(url)
        const by = caller({ perMinute: 1, burst: 10 })
        const results = yield* Effect.forEach(Array.from({ length: 30 }), (_, i) => attempt(nodes[i % NODES]!, by), {
          concurrency: "unbounded"
        })
        assert.lengthOf(results.filter(Result.isSuccess), 10)
        const refused = results.find(Result.isFailure)!.failure
        assert.strictEqual(refused._tag, "RateLimited")
        assert.isAbove("retryInMs" in refused ? refused.retryInMs : 0, 30_000)
        assert.isTrue(Result.isSuccess(yield* attempt(nodes[0]!, caller(by.limits, "another"))))
      })
  )

  it.live("gives what one node took ahead and did not use to others", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const by = caller({ perMinute: 1, burst: 100 })
      const results = yield* Effect.forEach(Array.from({ length: 20 }), () => attempt(one, by))
      let allowed = results.filter(Result.isSuccess).length
      // All that is left, in time.
      yield* until(
        Effect.map(attempt(other, by), (result) => {
          if (Result.isSuccess(result)) allowed++
          return allowed === 100
        })
      )
      assert.isTrue(Result.isFailure(yield* attempt(other, by)))
    })
  )

  it.live("outlives all nodes", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const by = caller({ perMinute: 1, burst: 5 })
      const used = yield* Effect.scoped(
        Effect.flatMap(nodeAt(url, "one"), (node) => Effect.forEach([1, 2, 3], () => attempt(node, by)))
      )
      assert.lengthOf(used.filter(Result.isSuccess), 3)
      const again = yield* nodeAt(url, "one")
      const results = yield* Effect.forEach([1, 2, 3], () => attempt(again, by))
      assert.lengthOf(results.filter(Result.isSuccess), 2)
    })
  )

  it.live("is counted by each node with its share while the database is away, and as one afterwards", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query, url } = yield* newDatabase(server)
      const nodes = yield* nodesAt(url)
      const by = caller({ perMinute: 1, burst: 90 })
      yield* server.tell("stop")
      yield* Effect.forEach(nodes, ({ database }) => Effect.ignore(database.run("x", (sql) => sql`select 1`)))
      const away = yield* Effect.forEach(nodes, (node) =>
        Effect.forEach(Array.from({ length: 60 }), () => attempt(node, by))
      )
      assert.deepEqual(
        away.map((results) => results.filter(Result.isSuccess).length),
        [30, 30, 30]
      )
      yield* server.tell("start")
      yield* until(Effect.sync(() => nodes.every(({ database }) => !database.isAway())))
      const attempts = Effect.forEach(nodes, (node) => attempt(node, by))
      assert.isTrue((yield* attempts).every(Result.isFailure))
      yield* until(Effect.map(query("select tokens from mcp_live.call_tokens"), ([row]) => Number(row?.["tokens"]) < 1))
      assert.isTrue((yield* attempts).every(Result.isFailure))
    })
  )
})
