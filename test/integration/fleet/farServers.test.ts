import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { isDeepStrictEqual as isEqual } from "node:util"
import { join } from "node:path"
import { PLACING_MS } from "../../../src/schemas/defaults/FleetNodes.ts"
import type { FleetNode } from "../../../src/schemas/fleet/Node.ts"
import { knows, startNode, until, type NodeProcess } from "../../support/fleetNodes.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const EVERY = Schedule.spaced(100)

const NAMES = ["one", "two", "three"] as const

interface Counted {
  readonly pid: number
  readonly count: number
}

const three = (database: string, idempotent?: string) =>
  Effect.gen(function* () {
    const nodes = yield* Effect.forEach(
      NAMES,
      (name) => startNode({ name, database, ...(idempotent === undefined ? {} : { idempotent }) }),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(nodes, (node) => knows(node, NAMES))
    return nodes
  })

const call = <A = Counted>(node: NodeProcess, server: string, tool: string, args: object = {}, id = "1") =>
  node.ask<A>("call", JSON.stringify({ server, tool, args, id }))

/** The file to which the server writes what its slow calls do. */
const newFile = () => join(mkdtempSync(join(tmpdir(), "mcp-live-fleet-")), "calls")
const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [])
const untilLines = (file: string, ...lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.suspend(() =>
    lines.every((line) => linesOf(file).includes(line))
      ? Effect.void
      : Effect.andThen(Effect.sleep(50), untilLines(file, ...lines))
  )

/** The node at which the process of a server lives, and the others. */
const homeOf = (nodes: ReadonlyArray<NodeProcess>, query: Query, server: string) =>
  Effect.gen(function* () {
    yield* call(nodes[0]!, server, "count")
    const [row] = yield* query("select node from mcp_live.placements")
    const home = nodes.find(({ name }) => name === row?.["node"])!
    return [home, ...nodes.filter((node) => node !== home)] as [NodeProcess, NodeProcess, NodeProcess]
  })
type Query = Effect.Success<ReturnType<typeof newDatabase>>["query"]

/** Whom the server asks during a call of this node: nobody for a while after calls of others. */
const askedBy = (node: NodeProcess, server: string) => call<object>(node, server, "ask")
const ACCEPTED = (node: NodeProcess) => ({ action: "accept", content: { node: node.name } })
const DECLINED = { action: "decline" }

const begun = (node: NodeProcess, server: string, file: string) =>
  Effect.andThen(
    node.ask("start", JSON.stringify({ server, tool: "slow", args: { name: node.name }, id: "slow" })),
    untilLines(file, `began ${node.name}`)
  )

describePostgres("servers of a fleet", () => {
  it.live("live at a node that has room, and nowhere when none has", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [one, two] = [
        yield* startNode({ name: "one", database: url, serversMax: "1" }),
        yield* startNode({ name: "two", database: url, serversMax: "1" })
      ]
      yield* Effect.forEach([one, two], (node) => knows(node, ["one", "two"]))
      yield* call(one, `first ${newFile()}`, "count")
      yield* call(one, `second ${newFile()}`, "count")
      const places = yield* query("select node from mcp_live.placements order by node")
      assert.deepStrictEqual(places, [{ node: "one" }, { node: "two" }])
      assert.match(yield* Effect.flip(call(two, `third ${newFile()}`, "count")), /no node/)
    })
  )

  it.live("live at one node, and are used from all with one state", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const nodes = yield* three(url)
      const counted = yield* Effect.forEach([...nodes, ...nodes], (node) => call(node, "counter", "count"))
      assert.deepStrictEqual(
        counted.map(({ count }) => count),
        [1, 2, 3, 4, 5, 6]
      )
      assert.strictEqual(new Set(counted.map(({ pid }) => pid)).size, 1)
      const servers = ["b", "c", "d", "e", "f"]
      yield* Effect.forEach(servers, (server) => call(nodes[0]!, server, "count"))
      const rows = yield* query("select distinct node from mcp_live.placements")
      assert.lengthOf(rows, 3)
    }).pipe(Effect.scoped)
  )

  it.live("report progress, ask whoever called, and learn of a cancellation, over the border of nodes", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const file = newFile()
      const server = `counter ${file}`
      const [, far] = yield* homeOf(yield* three(url), query, server)
      yield* call<object>(far, server, "steps", {}, "steps")
      yield* far.event((event) => event.event === "progress" && JSON.stringify(event).includes('"progress":3'))
      // Others have called it a moment ago.
      const told = yield* Effect.repeat(askedBy(far, server), {
        until: (answer) => !isEqual(answer, DECLINED),
        schedule: EVERY
      })
      assert.deepStrictEqual(told, ACCEPTED(far))
      yield* begun(far, server, file)
      yield* far.ask("interrupt", "slow")
      yield* untilLines(file, "cancelled")
    }).pipe(Effect.scoped)
  )

  it.live("ask nobody while somebody at another node calls them, too, or has cancelled a call just now", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const file = newFile()
      const server = `counter ${file}`
      const [home, far, other] = yield* homeOf(yield* three(url), query, server)
      yield* begun(far, server, file)
      for (const node of [home, other]) assert.deepStrictEqual(yield* askedBy(node, server), DECLINED)
      yield* far.ask("interrupt", "slow")
      yield* untilLines(file, "cancelled")
      for (const node of [home, other]) assert.deepStrictEqual(yield* askedBy(node, server), DECLINED)
      yield* begun(home, server, file)
      for (const node of [far, other]) assert.deepStrictEqual(yield* askedBy(node, server), DECLINED)
    }).pipe(Effect.scoped)
  )

  it.live(
    "whose node was killed: a call there may have been executed, and runs never twice; the next one runs elsewhere",
    () =>
      Effect.gen(function* () {
        const { query, url } = yield* newDatabase()
        const file = newFile()
        const server = `counter ${file}`
        const [home, far, other] = yield* homeOf(yield* three(url), query, server)
        yield* call(far, server, "count")
        const under = yield* Effect.forkChild(Effect.flip(call(far, server, "slow", { name: "once" })))
        yield* untilLines(file, "began once")
        yield* home.signal("SIGKILL")
        const error = yield* Fiber.join(under)
        assert.match(error, /^ConnectionLost: .*the call may have been executed/)
        assert.strictEqual((yield* call(other, server, "count")).count, 1)
        assert.strictEqual((yield* call(far, server, "count")).count, 2)
        const [row] = yield* query("select epoch::int as epoch from mcp_live.placements")
        assert.deepStrictEqual(row, { epoch: 2 })
        assert.deepStrictEqual(linesOf(file), ["began once"])
      }).pipe(Effect.scoped)
  )

  it.live("whose node was killed: a call of a tool that the operator marked runs again elsewhere", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const file = newFile()
      const server = `counter ${file}`
      const [home, far] = yield* homeOf(yield* three(url, "slow"), query, server)
      yield* call(far, server, "count")
      const under = yield* Effect.forkChild(call<object>(far, server, "slow", { name: "again", ms: 3_000 }))
      yield* untilLines(file, "began again")
      yield* home.signal("SIGKILL")
      assert.containsAllKeys(yield* Fiber.join(under), ["pid"])
      assert.deepStrictEqual(linesOf(file), ["began again", "began again", "ended again"])
    }).pipe(Effect.scoped)
  )

  it.live("stay where they are when a node is added, and move when theirs drains, after what is under way", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const file = newFile()
      const server = `counter ${file}`
      const [home, far] = yield* homeOf(yield* three(url), query, server)
      const before = yield* call(far, server, "count")
      const four = yield* startNode({ name: "four", database: url })
      assert.deepInclude(yield* call(four, server, "count"), { pid: before.pid, count: before.count + 1 })
      // It takes longer than a place is looked for otherwise.
      const ms = PLACING_MS + 1_000
      const under = yield* Effect.forkChild(call<object>(far, server, "slow", { name: "late", ms }))
      yield* untilLines(file, "began late")
      yield* far.ask("drain", home.name)
      yield* until<ReadonlyArray<FleetNode>>(home, "nodes", (nodes) =>
        nodes.some(({ name, state }) => name === home.name && state === "draining")
      )
      const after = yield* call(far, server, "count", {}, "2")
      assert.deepStrictEqual(yield* Fiber.join(under), { pid: before.pid })
      assert.notStrictEqual(after.pid, before.pid)
      const [row] = yield* query("select node from mcp_live.placements")
      assert.notStrictEqual(row?.["node"], home.name)
    }).pipe(Effect.scoped)
  )

  it.live("stay where they are when the last node drains, with their state", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const node = yield* startNode({ name: "one", database: url })
      const before = yield* call(node, "counter", "count")
      yield* node.ask("drain", "one")
      yield* node.event(({ event }) => event === "draining")
      assert.deepStrictEqual(yield* call(node, "counter", "count"), { pid: before.pid, count: 2 })
    }).pipe(Effect.scoped)
  )

  it.live("go on while the database is away, with their state", () =>
    Effect.gen(function* () {
      const database = yield* ownPostgres
      const { query, url } = yield* newDatabase(database)
      const nodes = yield* three(url)
      const [, far] = yield* homeOf(nodes, query, "counter")
      const before = yield* call(far, "counter", "count")
      yield* database.tell("stop")
      yield* Effect.sleep("5 seconds")
      assert.deepStrictEqual(yield* call(far, "counter", "count"), { pid: before.pid, count: before.count + 1 })
      yield* database.tell("start")
      assert.deepStrictEqual(yield* call(far, "counter", "count"), { pid: before.pid, count: before.count + 2 })
    }).pipe(Effect.scoped)
  )

  it.live("of a node that froze run elsewhere; when it thaws it answers from the new place", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const nodes = yield* three(url)
      const [home, far, other] = yield* homeOf(nodes, query, "counter")
      const before = yield* call(home, "counter", "count")
      yield* home.signal("SIGSTOP")
      yield* far.event(({ event, node }) => event === "death" && node?.name === home.name)
      const moved = yield* call(other, "counter", "count")
      assert.strictEqual(moved.count, 1)
      // Asked while it is frozen.
      const asked = yield* Effect.forkChild(call(home, "counter", "count"), { startImmediately: true })
      yield* home.signal("SIGCONT")
      const answer = yield* Fiber.join(asked)
      assert.notStrictEqual(answer.pid, before.pid)
      assert.deepStrictEqual(answer, { pid: moved.pid, count: 2 })
    }).pipe(Effect.scoped)
  )
})
