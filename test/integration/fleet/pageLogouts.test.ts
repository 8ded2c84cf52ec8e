/** Logouts from the page for people, at several nodes and at their database. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as PageLogoutsLayer from "../../../src/layers/fleet/PageLogouts.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { PageLogouts } from "../../../src/services/fleet/PageLogouts.ts"
import { databaseLayer } from "../../support/fleetDatabase.ts"
import { quiet, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const nodeAt = (url: string, node: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      PageLogoutsLayer.layer.pipe(
        Layer.provideMerge(databaseLayer(url, { node })),
        Layer.orDie,
        Layer.provide(quiet),
        Layer.fresh
      )
    )
    return { ...Context.get(context, PageLogouts), ...Context.get(context, Database) }
  })

type Node = Effect.Success<ReturnType<typeof nodeAt>>

/** From now on nothing is missed there. */
const listening = ({ heard }: Node) => heard("page logouts").pipe(Stream.take(1), Stream.runDrain)

const inAnHour = () => Date.now() + 3_600_000

const knows = ({ hasEnded }: Node, session: string) => until(Effect.orElseSucceed(hasEnded(session), () => false))

describePostgres("a logout from the page, in a fleet", () => {
  it.live("is known at all nodes, also where the session was good before, and at those that come later", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      yield* listening(other)
      const told = yield* Stream.toQueue(other.ended, { capacity: 16 })
      assert.isFalse(yield* other.hasEnded("a"))
      assert.isFalse(yield* other.hasEnded("b"))
      yield* one.end("a", inAnHour())
      assert.strictEqual(yield* Queue.take(told), "a")
      assert.isTrue(yield* other.hasEnded("a"))
      assert.isFalse(yield* other.hasEnded("b"))
      const later = yield* nodeAt(url, "later")
      assert.isTrue(yield* later.hasEnded("a"))
    }).pipe(Effect.scoped)
  )

  it.live("is forgotten when its session would have ended", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      yield* one.end("a", inAnHour())
      yield* one.end("b", Date.now() - 3_600_000)
      yield* one.end("c", inAnHour())
      assert.deepStrictEqual(yield* query("select session from mcp_live.page_logouts order by 1"), [
        { session: "a" },
        { session: "c" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("counts at its node while the database is away, and at the others when it is back", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      yield* server.tell("stop")
      yield* one.end("a", inAnHour())
      assert.isTrue(yield* one.hasEnded("a"))
      // Nobody knows whether it has: it is not taken for good.
      assert.strictEqual((yield* Effect.flip(other.hasEnded("a")))._tag, "DatabaseAway")
      yield* server.tell("start")
      yield* knows(other, "a")
    }).pipe(Effect.scoped)
  )
})
