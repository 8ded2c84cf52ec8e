/** A call is canceled wherever it runs, whichever node hears that. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inFolder } from "../support/folder.ts"
import { startBalancer } from "../support/listenerFleet.ts"
import { connected, ERAS, listed } from "../support/mcpClients.ts"
import { pause } from "../support/pause.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { nodeOf, sceneOf, TOKEN } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

const written = (file: string, wanted: RegExp, times: number) =>
  Effect.promise(async (signal) => {
    while (!signal.aborted && (readFileSync(file, "utf8").match(wanted)?.length ?? 0) < times) await pause()
  })

describePostgres("a call in a fleet that its client cancels", () => {
  it.live("ends at the server, though the session, the server and whoever hears it are at three nodes", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const calls = join(yield* inFolder, "calls")
      writeFileSync(calls, "")
      const scene = yield* sceneOf(url, { counter: { command: process.execPath, args: [COUNTER, calls] } })
      const nodes = yield* Effect.forEach(["one", "two", "three"], (name) => nodeOf(scene, name))
      const balancer = yield* startBalancer(nodes.map((node) => new URL(node.url).origin))
      let canceled = 0
      for (const era of ERAS) {
        const client = yield* connected(era, { url: balancer.url, token: TOKEN })
        yield* listed(client, "tools/list", "mcp_counter_count")
        // Three calls: whichever node each of them comes to, and its cancellation after it.
        for (let turn = 0; turn < 3; turn++) {
          const leaves = new AbortController()
          const call = client.call("mcp_counter_slow", { name: era }, { signal: leaves.signal }).catch(String)
          yield* written(calls, /began /g, canceled + 1)
          leaves.abort()
          yield* Effect.promise(() => call)
          yield* written(calls, /cancelled/g, ++canceled)
        }
      }
      assert.notInclude(readFileSync(calls, "utf8"), "ended")
      const [placed] = yield* query("select count(*)::int as n from mcp_live.placements where node <> ''")
      assert.strictEqual(placed?.["n"], 1)
    })
  )
})
