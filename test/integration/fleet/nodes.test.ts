import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { VERSION } from "../../../src/schemas/data/Version.ts"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type { FleetNode, NodeId } from "../../../src/schemas/fleet/Node.ts"
import { knows, spawnNode, startNode, until, type NodeProcess } from "../../support/fleetNodes.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const NAMES = ["one", "two", "three"] as const

/** Three nodes that know each other. */
const three = (database: string) =>
  Effect.gen(function* () {
    const nodes = yield* Effect.forEach(NAMES, (name) => startNode({ name, database }), { concurrency: "unbounded" })
    yield* Effect.forEach(nodes, (node) => knows(node, NAMES))
    return nodes as [NodeProcess, NodeProcess, NodeProcess]
  })

const dies = (node: NodeProcess, name: string) =>
  node.event(({ event, node: dead }) => event === "death" && dead?.name === name)

const isCurrent = (node: NodeProcess) => until<boolean>(node, "isCurrent", (current) => current)

describePostgres("the nodes of a fleet", () => {
  it.live("know each other, with their addresses and what they report, and talk", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, two] = yield* three(url)
      const seen = yield* until<ReadonlyArray<FleetNode>>(one, "nodes", (nodes) =>
        nodes.every(({ load }) => load.sessions === 7)
      )
      assert.isTrue(seen.every(({ address, state }) => /^127\.0\.0\.1:\d+$/.test(address) && state === "alive"))
      const self = yield* two.ask<NodeId>("self")
      assert.deepInclude(yield* one.ask<object>("hello", "two"), { node: self })
    }).pipe(Effect.scoped)
  )

  it.live("know that one was killed, each of them, and pass nothing on to it", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [one, two, last] = yield* three(url)
      yield* last.signal("SIGKILL")
      yield* Effect.all([dies(one, "three"), dies(two, "three")], { concurrency: "unbounded" })
      assert.match(yield* Effect.flip(one.ask("hello", "three")), /node 'three' of the fleet cannot be reached/)
      yield* knows(one, ["one", "two"])
      // Nodes learn of a death also before it is written.
      yield* query("select state from mcp_live.nodes where name = 'three'").pipe(
        Effect.repeat({ until: ([row]) => row?.["state"] === "dead", schedule: Schedule.spaced(50) })
      )
    }).pipe(Effect.scoped)
  )

  it.live("go on after heartbeats that failed in a way that nobody expected", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      yield* startNode({ name: "one", database: url })
      const becomes = (statement: string) =>
        query(statement).pipe(
          Effect.repeat({ until: ([row]) => row?.["is_so"] === true, schedule: Schedule.spaced(50) })
        )
      const [before] = yield* query(
        "select xact_rollback as n from pg_stat_database where datname = current_database()"
      )
      yield* query("alter table mcp_live.nodes rename to elsewhere")
      yield* becomes(
        `select xact_rollback > ${String(before!["n"])} as is_so from pg_stat_database where datname = current_database()`
      )
      yield* query("alter table mcp_live.elsewhere rename to nodes")
      const [since] = yield* query("select clock_timestamp()::text as at")
      yield* becomes(`select seen_at > '${String(since!["at"])}' as is_so from mcp_live.nodes`)
    }).pipe(Effect.scoped)
  )

  it.live("take one for dead that froze; when it thaws it gives up what it had before it is current again", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, two, last] = yield* three(url)
      const before = yield* last.ask<NodeId>("self")
      yield* last.signal("SIGSTOP")
      yield* Effect.all([dies(one, "three"), dies(two, "three")], { concurrency: "unbounded" })
      // Asked while it is frozen, answered when it thaws: by then its time is over.
      const asked = yield* Effect.forkChild(last.ask<boolean>("isCurrent"), { startImmediately: true })
      yield* last.signal("SIGCONT")
      assert.isFalse(yield* Fiber.join(asked))
      const after = yield* last.ask<NodeId>("confirmed")
      assert.notStrictEqual(after.incarnation, before.incarnation)
      assert.deepInclude(yield* last.event(({ event }) => event === "replaced"), { isCurrent: false })
      const own = yield* dies(last, "three")
      assert.deepStrictEqual(own.node, before)
      yield* knows(one, NAMES)
      assert.deepInclude(yield* one.ask<object>("hello", "three"), { node: after })
    }).pipe(Effect.scoped)
  )

  it.live("go on while the database is away, and learn of a death without it", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query, url } = yield* newDatabase(server)
      const [one, two, last] = yield* three(url)
      yield* server.tell("stop")
      // Longer than a node may serve without being confirmed.
      yield* Effect.sleep("6 seconds")
      for (const node of [one, two, last]) assert.isTrue(yield* node.ask<boolean>("isCurrent"), node.name)
      yield* last.signal("SIGKILL")
      yield* Effect.all([dies(one, "three"), dies(two, "three")], { concurrency: "unbounded" })
      yield* server.tell("start")
      yield* until<ReadonlyArray<FleetNode>>(one, "nodes", (nodes) =>
        nodes.some(({ name, state }) => name === "three" && state === "dead")
      )
      const written = query("select state from mcp_live.nodes where name = 'three'").pipe(
        Effect.delay(50),
        Effect.repeat({ until: ([row]) => row?.["state"] === "dead" })
      )
      yield* written
      assert.isEmpty([one, two].flatMap((node) => node.events().filter(({ event }) => event === "replaced")))
      assert.isEmpty(one.events().filter(({ node }) => node?.name === "two"))
    }).pipe(Effect.scoped)
  )

  it.live("go on while the database is silent", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const nodes = yield* three(url)
      yield* server.tell("freeze")
      yield* Effect.sleep("6 seconds")
      for (const node of nodes) assert.isTrue(yield* node.ask<boolean>("isCurrent"), node.name)
      yield* server.tell("thaw")
      yield* Effect.sleep("3 seconds")
      for (const node of nodes) {
        yield* isCurrent(node)
        assert.isEmpty(node.events().filter(({ event }) => event === "death" || event === "replaced"))
      }
    }).pipe(Effect.scoped)
  )

  it.live("are not current when they are cut off from the database and all others", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const [one, two, last] = yield* three(url)
      yield* server.tell("stop")
      yield* two.signal("SIGSTOP")
      yield* last.signal("SIGSTOP")
      yield* until<boolean>(one, "isCurrent", (current) => !current)
      yield* two.signal("SIGCONT")
      yield* last.signal("SIGCONT")
      yield* server.tell("start")
      for (const node of [one, two, last]) yield* isCurrent(node)
    }).pipe(Effect.scoped)
  )

  it.live("have one name each: another process with that name is refused, and a new one after a crash is not", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const one = yield* startNode({ name: "one", database: url })
      const again = yield* spawnNode({ name: "one", database: url })
      const { message } = yield* again.event(({ event }) => event === "refused")
      assert.match(
        message!,
        /^fleet: a node named 'one' is running already, at 127\.0\.0\.1:\d+: give this one another name/
      )
      yield* one.signal("SIGKILL")
      yield* one.exited
      const next = yield* startNode({ name: "one", database: url })
      yield* isCurrent(next)
    }).pipe(Effect.scoped)
  )

  it.live("say that they end, and drain when they are asked to", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, two, last] = yield* three(url)
      assert.isTrue(yield* one.ask<boolean>("drain", "two"))
      assert.isFalse(yield* one.ask<boolean>("drain", "nobody"))
      yield* two.event(({ event }) => event === "draining")
      yield* until<ReadonlyArray<FleetNode>>(last, "nodes", (nodes) =>
        nodes.some(({ name, state }) => name === "two" && state === "draining")
      )
      assert.deepInclude(yield* last.ask<object>("hello", "two"), { version: VERSION })
      yield* two.end
      yield* Effect.all([dies(one, "two"), dies(last, "two")], { concurrency: "unbounded" })
    }).pipe(Effect.scoped)
  )

  it.live("let a new node in, which changes nothing for the others", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const nodes = yield* three(url)
      const four = yield* startNode({ name: "four", database: url })
      for (const node of [...nodes, four]) yield* knows(node, [...NAMES, "four"])
      for (const node of nodes) assert.isEmpty(node.events().filter(({ event }) => event === "death"))
    }).pipe(Effect.scoped)
  )
})
