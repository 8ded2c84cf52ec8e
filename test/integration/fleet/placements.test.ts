import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PlacementsLayer from "../../../src/layers/fleet/Placements.ts"
import { Placements } from "../../../src/services/fleet/Placements.ts"
import { databaseLayer } from "../../support/fleetDatabase.ts"
import { loneFleet } from "../../support/loneFleet.ts"
import { quiet } from "../../support/fleetStores.ts"
import { holding, untilTheyWait } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

const KEY = "a server"

/** The places as a node sees them that knows which nodes live, and has asked for nothing yet. */
const placementsAt = (url: string, name: string) =>
  Effect.map(
    Layer.build(
      PlacementsLayer.layer().pipe(
        Layer.provide(loneFleet(name)),
        Layer.provide(databaseLayer(url, { node: name })),
        Layer.orDie,
        Layer.provide(quiet),
        Layer.fresh
      )
    ),
    (context) => Context.get(context, Placements)
  )

describePostgres("the place of a server whose node has died", () => {
  it.live("is decided once, however many nodes ask in the same moment", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const nodes = yield* Effect.forEach(["two", "three", "four"], (name) => placementsAt(database.url, name))
      for (const [name, state] of [
        ["one", "dead"],
        ["two", "alive"],
        ["three", "alive"],
        ["four", "alive"]
      ]) {
        yield* database.query(
          "insert into mcp_live.nodes (incarnation, name, address, version, contract, state) values ($1, $1, '', '', 0, $2)",
          [name, state]
        )
      }
      yield* database.query(
        "insert into mcp_live.placements (key, node, incarnation, epoch) values ($1, 'one', 'one', 1)",
        [KEY]
      )
      const release = yield* holding(database, "select from mcp_live.placements for update")
      const asking = yield* Effect.forkChild(
        Effect.forEach(nodes, ({ placeOf }) => placeOf(KEY), { concurrency: "unbounded" })
      )
      yield* untilTheyWait(database, nodes.length)
      yield* release
      const [first, ...others] = yield* Fiber.join(asking)
      assert.strictEqual(first?.epoch, 2)
      for (const other of others) assert.deepStrictEqual(other, first)
    }).pipe(Effect.scoped)
  )
})
