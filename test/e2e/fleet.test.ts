/** `mcp-live serve --http` with `fleet` in its configuration: three processes of the program that are one gateway. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { FLEET_DRAIN_NOTICE_MS } from "../../src/schemas/defaults/Listener.ts"
import { wrappedIn } from "../support/boundaries.ts"
import { PEERS_SECRET } from "../support/fleetDatabase.ts"
import { inFolder } from "../support/folder.ts"
import { freePort } from "../support/freePort.ts"
import { startBalancer } from "../support/listenerFleet.ts"
import { connected, ERAS, listed, type TestClient } from "../support/mcpClients.ts"
import { describePostgres, newDatabase, queryAt } from "../support/postgres.ts"
import { runHere } from "./here.ts"
import { childrenOf, start, type Running } from "./program.ts"
import { isFull } from "../support/full.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))
const TOKEN = "the-token-of-the-only-client"

interface Node extends Running {
  readonly name: string
  readonly url: string
  readonly config: string
  readonly env: Readonly<Record<string, string>>
}

/** Starts the program as a node; it may refuse. */
const nodeAt = Effect.fnUntraced(function* (database: string, name: string, counts: string, fleet: object = {}) {
  const [folder, port, peerPort] = [yield* inFolder, yield* freePort, yield* freePort]
  const config = join(folder, "openclaw.json")
  writeFileSync(
    config,
    JSON.stringify({
      mcp: {
        fleet: { database, name, listen: `127.0.0.1:${peerPort}`, peers: { secret: PEERS_SECRET }, ...fleet },
        serve: { clients: [{ name: "ada", token: TOKEN }] },
        servers: { counter: { command: process.execPath, args: [COUNTER, counts] } }
      }
    })
  )
  const env = { MCP_LIVE_HOME: join(folder, "home") }
  const running = yield* start(["serve", "--http", "--port", String(port), "--config", config], { env })
  return { ...running, name, url: `http://127.0.0.1:${port}/mcp`, config, env } satisfies Node
})

const fleetOf = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const { url: database } = yield* newDatabase()
  const counts = join(yield* inFolder, "counts")
  writeFileSync(counts, "")
  const nodes = yield* Effect.forEach(names, (name) => nodeAt(database, name, counts), { concurrency: "unbounded" })
  for (const node of nodes) yield* node.until(/serving MCP at/)
  const balancer = yield* startBalancer(nodes.map(({ url }) => new URL(url).origin))
  return { database, counts, nodes, balancer }
})

const bodyOf = (text: string) => JSON.parse(wrappedIn(text)[0]!.body) as Record<string, unknown>

const count = (client: TestClient) =>
  Effect.map(
    Effect.promise(() => client.call("mcp_counter_count")),
    bodyOf
  )

/** A process with those below it. */
const familyOf = (pid: number): ReadonlyArray<number> => [pid, ...childrenOf(pid).flatMap(familyOf)]

const AGAIN_MS = 50

/** Returns when the file has that. */
const written = (file: string, wanted: RegExp) =>
  Effect.promise(async (signal) => {
    while (!signal.aborted && !wanted.test(readFileSync(file, "utf8"))) await delay(AGAIN_MS)
  })

const command = ({ config, env }: Node, ...args: ReadonlyArray<string>) =>
  runHere([...args, "--config", config], { env: { ...env } })

describePostgres("mcp-live serve in a fleet", () => {
  for (const era of ERAS) {
    it.live.runIf(isFull)(
      `a client of ${era} meets one gateway: its requests go to all nodes, and the state of a server is one`,
      () =>
        Effect.gen(function* () {
          const { balancer } = yield* fleetOf("one", "two", "three")
          const client = yield* connected(era, { url: balancer.url, token: TOKEN })
          yield* listed(client, "tools/list", "mcp_counter_count")
          const seen: Array<unknown> = []
          for (let i = 0; i < 6; i++) seen.push((yield* count(client))["count"])
          assert.deepStrictEqual(seen, [1, 2, 3, 4, 5, 6])
          assert.strictEqual(balancer.counts.size, 3)
        })
    )
  }

  it.live("the session of a node that was killed goes on, and its call may have been executed", () =>
    Effect.gen(function* () {
      const { balancer, counts, nodes } = yield* fleetOf("one", "two", "three")
      const client = yield* connected("2025-11-25", { url: balancer.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_count")
      yield* count(client)
      const [home, other] = [nodes[0]!, nodes[1]!]
      balancer.next(new URL(other.url).origin)
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => client.call("mcp_counter_slow", { name: "once" })),
        { startImmediately: true }
      )
      yield* written(counts, /began once/)
      // The session was opened at the first node that the balancer asked.
      process.kill(home.pid, "SIGKILL")
      assert.match(yield* Fiber.join(waiting), /may have been executed/)
      assert.isNumber((yield* count(client))["count"])
      assert.lengthOf(readFileSync(counts, "utf8").match(/began once/g) ?? [], 1)
    })
  )

  it.live(
    "fleet shows the nodes; drain takes one out, and its clients notice nothing; audit has the calls of all",
    () =>
      Effect.gen(function* () {
        const { balancer, nodes } = yield* fleetOf("one", "two")
        const client = yield* connected("2025-11-25", { url: balancer.url, token: TOKEN })
        yield* listed(client, "tools/list", "mcp_counter_count")
        yield* count(client)
        const [one, two] = [nodes[0]!, nodes[1]!]
        const shown = JSON.parse((yield* command(two, "fleet", "--json")).stdout) as Record<string, unknown>
        assert.strictEqual(shown["self"], "two")
        assert.deepStrictEqual(
          (shown["nodes"] as ReadonlyArray<Record<string, unknown>>).map(({ name, state }) => [name, state]),
          [
            ["one", "alive"],
            ["two", "alive"]
          ]
        )
        const unknown = yield* command(two, "fleet", "drain", "nobody")
        assert.strictEqual(unknown.code, 2)
        assert.match(unknown.stderr, /there are: one, two/)
        assert.strictEqual((yield* command(two, "fleet", "drain", "one")).code, 0)
        assert.strictEqual((yield* one.exited).code, 0)
        assert.isNumber((yield* count(client))["count"])
        yield* Effect.promise(() => client.close())
        two.signal("SIGTERM")
        yield* two.exited
        const { stdout } = yield* command(two, "audit", "--json")
        assert.lengthOf(
          stdout.split("\n").filter((line) => line.includes('"tool":"count"')),
          2
        )
      })
  )

  it.live.runIf(isFull)("a node that is told to end finishes the calls that other nodes make to its servers", () =>
    Effect.gen(function* () {
      const { balancer, counts, nodes } = yield* fleetOf("one", "two")
      const client = yield* connected("2025-11-25", { url: balancer.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_count")
      const { pid } = yield* count(client)
      const home = nodes.find((node) => childrenOf(node.pid).some((child) => familyOf(child).includes(Number(pid))))!
      const ms = 3 * FLEET_DRAIN_NOTICE_MS
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => client.call("mcp_counter_slow", { name: "late", ms })),
        { startImmediately: true }
      )
      yield* written(counts, /began late/)
      home.signal("SIGTERM")
      assert.deepStrictEqual(bodyOf(yield* Fiber.join(waiting)), { pid })
      assert.strictEqual((yield* home.exited).code, 0)
      assert.notStrictEqual((yield* count(client))["pid"], pid)
    })
  )

  it.live.runIf(isFull)("a server whose node froze runs at another one, for who calls from there", () =>
    Effect.gen(function* () {
      const { database, nodes } = yield* fleetOf("one", "two")
      const first = yield* connected("2025-11-25", { url: nodes[0]!.url, token: TOKEN })
      yield* listed(first, "tools/list", "mcp_counter_count")
      assert.strictEqual((yield* count(first))["count"], 1)
      const [place] = yield* queryAt(database, "select node from mcp_live.placements")
      const home = nodes.find(({ name }) => name === place!["node"])!
      const other = nodes.find((node) => node !== home)!
      const client = yield* connected("2025-11-25", { url: other.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_count")
      assert.strictEqual((yield* count(client))["count"], 2)
      yield* Effect.addFinalizer(() => Effect.sync(() => void process.kill(home.pid, "SIGCONT")))
      process.kill(home.pid, "SIGSTOP")
      const answer = yield* Effect.promise(() => client.call("mcp_counter_count")).pipe(
        Effect.repeat({ until: (said) => /"count"/.test(said), schedule: Schedule.spaced(AGAIN_MS) })
      )
      assert.strictEqual(bodyOf(answer)["count"], 1)
    })
  )

  it.live.runIf(isFull)("a node that cannot join says why in one sentence, and serves nobody", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const counts = join(yield* inFolder, "counts")
      const first = yield* nodeAt(url, "one", counts)
      yield* first.until(/serving MCP at/)
      const refused = Effect.fnUntraced(function* (says: RegExp, database: string, name: string, fleet: object = {}) {
        const { code, stderr } = yield* (yield* nodeAt(database, name, counts, fleet)).exited
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr, says)
        assert.notMatch(stderr, /serving MCP|\n\s+at /)
      })
      yield* refused(/one.*(already|in use|taken|another)/i, url, "one")
      yield* refused(/belongs to another fleet/, url, "two", { peers: { secret: "another secret, also long enough" } })
      yield* refused(/cannot be reached/, "postgres://nobody@127.0.0.1:1/nothing", "three")
      yield* refused(/secret:\/\/env\/NOT_THERE/, "secret://env/NOT_THERE", "four")
    })
  )
})
