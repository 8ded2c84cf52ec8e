/** The database of a fleet is away for half a minute (in `npm test`, for some seconds): what clients notice, and what is written afterwards. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { wrappedIn } from "../support/boundaries.ts"
import { inFolder } from "../support/folder.ts"
import { connected, listed, type TestClient } from "../support/mcpClients.ts"
import { pause } from "../support/pause.ts"
import { describePostgres, newDatabase, ownPostgres } from "../support/postgres.ts"
import { ask, begin, sessionOf, textOf } from "../support/rawHttp.ts"
import { nodeOf, sceneOf, TOKEN } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))
const AWAY_MS = 30_000
/** In all, and so half of it at each of two nodes while they cannot count together. */
const BURST = 4

interface Counted {
  readonly pid: number
  readonly count: number
}

const countedIn = (text: string) => JSON.parse(wrappedIn(text)[0]!.body) as Counted

const count = (client: TestClient) =>
  Effect.map(
    Effect.promise(() => client.call("mcp_counter_count")),
    countedIn
  )

describePostgres("a fleet whose database is away", () => {
  it.live("ends no process, answers known sessions, counts limits by shares, and owes nothing afterwards", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query, url } = yield* newDatabase(server)
      const entry = { command: process.execPath, args: [COUNTER, join(yield* inFolder, "calls")] }
      const few = { ...entry, limits: { perMinute: 1, burst: BURST } }
      const scene = yield* sceneOf(url, { counter: { ...entry, limits: { perMinute: 0 } }, few })
      const nodes = yield* Effect.forEach(["one", "two"], (name) => nodeOf(scene, name))
      const clients = yield* Effect.forEach(nodes, (node) => connected("2025-11-25", { url: node.url, token: TOKEN }))
      for (const client of clients) {
        yield* listed(client, "tools/list", "mcp_counter_count")
        yield* listed(client, "tools/list", "mcp_few_count")
      }
      // A session that is asked for at the node where it is not.
      const session = sessionOf(yield* Effect.promise(() => begin(nodes[0]!.url, TOKEN)))
      const elsewhere = Effect.promise(() =>
        ask("2025-11-25", nodes[1]!.url, TOKEN, "tools/call", { name: "mcp_counter_count" }, { session })
      )
      const { pid } = yield* count(clients[0]!)
      let made = 1

      yield* server.tell("stop")
      const until = Date.now() + AWAY_MS
      const allowed: Array<number> = []
      for (const client of clients) {
        let here = 0
        for (let i = 0; i < BURST; i++) {
          const text = yield* Effect.promise(() => client.call("mcp_few_count"))
          if (/too many calls/.test(text)) assert.match(text, /again in/)
          else here++
        }
        allowed.push(here)
      }
      assert.deepStrictEqual(allowed, [BURST / 2, BURST / 2])
      const unknown = yield* Effect.promise(() =>
        ask("2025-11-25", nodes[0]!.url, TOKEN, "tools/list", {}, { session: "three.0fthedead.and-gone" })
      )
      assert.strictEqual(unknown.status, 503)
      assert.match(String(unknown.headers["retry-after"]), /^\d+$/)
      const shown = yield* nodes[0]!.command("approvals", "list")
      assert.notStrictEqual(shown.code, 0, JSON.stringify(shown))
      assert.match(shown.stderr, /not available; try again in/)
      while (Date.now() < until) {
        for (const seen of [
          yield* count(clients[0]!),
          yield* count(clients[1]!),
          countedIn(textOf(yield* elsewhere))
        ]) {
          assert.deepStrictEqual(seen, { pid, count: ++made })
        }
        yield* Effect.promise(() => pause())
      }

      yield* server.tell("start")
      const all = made + BURST
      const written = query(
        `select (select count(*)::int from mcp_live.calls where outcome = 'done') as journal,
           (select count(*)::int from mcp_live.audit where line like '%"tool":"count"%' and line like '%"outcome":"ok"%') as audit`
      )
      yield* Effect.repeat(written, {
        until: ([row]) => Number(row?.["journal"]) >= all && Number(row?.["audit"]) >= all
      })
      // The row of a call that a limit refuses may have been begun: that call has failed, and nothing is open.
      const [row] = yield* query(
        "select count(*)::int as n from mcp_live.calls where outcome is distinct from 'failed'"
      )
      assert.strictEqual(row?.["n"], all)
      assert.deepStrictEqual(yield* count(clients[1]!), { pid, count: made + 1 })
    })
  )
})
