/** Nodes of two versions during an update, and those that are too far apart. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FLEET_CONTRACT } from "../../../src/schemas/defaults/Fleet.ts"
import { knows, type NodeProcess, spawnNode, startNode } from "../../support/fleetNodes.ts"
import { pauses } from "../../support/pause.ts"
import { describePostgres, newDatabase } from "../../support/postgres.ts"

/** What the next version may be: a contract of its own, a table more, a column more. It still speaks the one of this version. */
const NEXT = {
  version: "99.0.0",
  contract: { contract: FLEET_CONTRACT + 1, oldest: FLEET_CONTRACT },
  migration: {
    name: "of the next version",
    statements: [
      "alter table mcp_live.nodes add column zone text not null default 'here'",
      "alter table mcp_live.placements add column weight int not null default 1",
      "create table mcp_live.next (id int primary key)"
    ]
  }
}

/** Speaks only what no node of this version knows. */
const FAR = { version: "100.0.0", contract: { contract: FLEET_CONTRACT + 2, oldest: FLEET_CONTRACT + 1 } }

/** A call that was not sent, because its server moves, is made again. */
const pidAt = (node: NodeProcess): Effect.Effect<number, string> =>
  node.ask<{ readonly pid: number }>("call", JSON.stringify({ server: "counter", tool: "count", id: "1" })).pipe(
    Effect.map(({ pid }) => pid),
    Effect.retry({ while: (words) => words.startsWith("ServerUnavailable"), schedule: pauses })
  )

/** Until all nodes call the same process: on a machine that has much else to do, a node may be taken for dead meanwhile. */
const sharing = (nodes: ReadonlyArray<NodeProcess>): Effect.Effect<void, string> =>
  Effect.flatMap(Effect.forEach(nodes, pidAt), (pids) =>
    new Set(pids).size === 1 ? Effect.void : Effect.suspend(() => sharing(nodes))
  )

describePostgres("nodes of this version and of the next one", () => {
  it.live("are one fleet while one after the other is replaced, and back again", () =>
    Effect.gen(function* () {
      const { query, url: database } = yield* newDatabase()
      const names = ["one", "two", "three"]
      const nodes = new Map<string, NodeProcess>()
      for (const name of names) nodes.set(name, yield* startNode({ name, database }))
      const all = () => [...nodes.values()]
      let seen = 0
      const works = Effect.gen(function* () {
        yield* Effect.forEach(all(), (node) => knows(node, names))
        yield* sharing(all())
        seen++
      })
      yield* works
      for (const [version, other] of [
        ["99.0.0", NEXT],
        ["0.0.0-test", undefined]
      ] as const) {
        for (const name of names) {
          yield* nodes.get(name)!.end
          nodes.set(name, yield* startNode({ name, database, ...(other === undefined ? {} : { other }) }))
          yield* works
          const rows = yield* query("select version from mcp_live.nodes where name = $1 and state <> 'dead'", [name])
          assert.deepStrictEqual(rows, [{ version }])
        }
      }
      assert.strictEqual(seen, 7)
    })
  )

  it.live("say in one sentence that they are too far apart, and the fleet goes on without the one that came", () =>
    Effect.gen(function* () {
      const { query, url: database } = yield* newDatabase()
      const refused = (name: string, other?: typeof FAR) =>
        Effect.gen(function* () {
          const node = yield* spawnNode({ name, database, ...(other === undefined ? {} : { other }) })
          return (yield* node.event(({ event }) => event === "up" || event === "refused")).message
        })
      const old = yield* startNode({ name: "old", database })
      assert.strictEqual(
        yield* refused("new", FAR),
        "fleet: node 'old' runs mcp-live 0.0.0-test, which cannot work with this version, 100.0.0: bring all nodes to a version between them first"
      )
      assert.deepStrictEqual(yield* query("select name from mcp_live.nodes"), [{ name: "old" }])
      assert.isNumber(yield* pidAt(old))
      yield* old.end
      yield* startNode({ name: "new", database, other: FAR })
      assert.match(
        (yield* refused("late")) ?? "",
        /^fleet: node 'new' runs mcp-live 100\.0\.0, which cannot work with this/
      )
    })
  )
})
