/** Nodes die while they make a call that the operator lets run twice: the client gets the result of a further run, of which there are few. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { wrappedIn } from "../support/boundaries.ts"
import { inFolder } from "../support/folder.ts"
import { startBalancer } from "../support/listenerFleet.ts"
import { connected, listed } from "../support/mcpClients.ts"
import { pause, pauses } from "../support/pause.ts"
import { RUNS_MAX } from "../../src/schemas/defaults/Fleet.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { nodeOf, sceneOf, TOKEN } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

/** Longer than others need to know that the node is dead, so that the first run cannot answer. */
const LONG_MS = 6_000

const begun = (file: string) => readFileSync(file, "utf8").match(/began twice/g)?.length ?? 0

/** Waits until the call has begun so often. */
const untilBegun = (file: string, times: number) =>
  Effect.promise(async (signal) => {
    while (!signal.aborted && begun(file) < times) await pause()
  })

/** A client whose session is at the first of three nodes, which is killed while it calls; `asked` is the node that gets the request. */
const killedWhileCalling = Effect.fnUntraced(function* (asked: number) {
  const { query, url } = yield* newDatabase()
  const calls = join(yield* inFolder, "calls")
  writeFileSync(calls, "")
  const servers = { counter: { command: process.execPath, args: [COUNTER, calls] } }
  const scene = yield* sceneOf(url, servers, {}, { idempotent: ["counter/slow"] })
  const nodes = yield* Effect.forEach(["one", "two", "three"], (name) => nodeOf(scene, name))
  const origins = nodes.map((node) => new URL(node.url).origin)
  const balancer = yield* startBalancer(origins)
  const client = yield* connected("2025-11-25", { url: balancer.url, token: TOKEN })
  yield* listed(client, "tools/list", "mcp_counter_slow")
  balancer.next(origins[asked]!)
  const calling = yield* Effect.forkChild(
    Effect.promise(() => client.call("mcp_counter_slow", { name: "twice", ms: LONG_MS })),
    { startImmediately: true }
  )
  yield* untilBegun(calls, 1)
  const [kept] = yield* query("select count(*)::int as n, min(sealed) as sealed from mcp_live.repeats")
  assert.strictEqual(kept?.["n"], 1)
  assert.notInclude(Buffer.from(String(kept?.["sealed"]), "base64").toString("latin1"), "twice")
  nodes[0]!.signal("SIGKILL")
  const answer = yield* Fiber.join(calling)
  return { answer, times: () => begun(calls), query }
})

describePostgres("a call that may run twice, of a session whose node was killed", () => {
  const ways = [
    ["its client comes back to another node for the answer", 0],
    ["another node had passed it on", 1]
  ] as const
  for (const [way, asked] of ways) {
    it.live(`is run again, once, where ${way}`, () =>
      Effect.gen(function* () {
        const { answer, query, times } = yield* killedWhileCalling(asked)
        assert.isNumber((JSON.parse(wrappedIn(answer)[0]!.body) as { readonly pid: unknown }).pid)
        assert.strictEqual(times(), 2)
        const rest = Effect.map(query("select count(*)::int as n from mcp_live.repeats"), ([row]) => row?.["n"])
        yield* Effect.repeat(rest, { until: (count) => count === 0 })
        // The end of a call is written a moment after its answer.
        const ends = yield* Effect.repeat(
          query("select outcome from mcp_live.calls where tool = 'slow' order by opened_at"),
          { schedule: pauses, until: (rows) => rows.every(({ outcome }) => outcome !== null) }
        )
        assert.deepStrictEqual(
          ends.map(({ outcome }) => outcome),
          ["unknown", "done"]
        )
      })
    )
  }
})

describePostgres("a call that ends each node where its server runs", () => {
  it.live("ends three of them, and its client is told that it may have been executed", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const calls = join(yield* inFolder, "calls")
      writeFileSync(calls, "")
      const servers = { counter: { command: process.execPath, args: [COUNTER, calls] } }
      const scene = yield* sceneOf(url, servers, {}, { idempotent: ["counter/slow"] })
      const nodes = yield* Effect.forEach(["one", "two", "three", "four"], (name) => nodeOf(scene, name), {
        concurrency: 2
      })
      const balancer = yield* startBalancer(nodes.map((node) => new URL(node.url).origin))
      const client = yield* connected("2025-11-25", { url: balancer.url, token: TOKEN })
      yield* listed(client, "tools/list", "mcp_counter_slow")
      const calling = yield* Effect.forkChild(
        Effect.promise(() => client.call("mcp_counter_slow", { name: "twice" })),
        { startImmediately: true }
      )
      for (let run = 1; run <= RUNS_MAX; run++) {
        yield* untilBegun(calls, run)
        const [place] = yield* query("select node from mcp_live.placements")
        nodes.find(({ name }) => name === place?.["node"])!.signal("SIGKILL")
      }
      const answer = yield* Fiber.join(calling)
      assert.match(answer, /may have been executed/)
      assert.strictEqual(begun(calls), RUNS_MAX)
      const ends = yield* Effect.repeat(query("select outcome from mcp_live.calls where tool = 'slow'"), {
        schedule: pauses,
        until: (rows) => rows.every(({ outcome }) => outcome !== null)
      })
      assert.deepStrictEqual(
        ends.map(({ outcome }) => outcome),
        ["unknown", "unknown", "unknown"]
      )
    })
  )
})
