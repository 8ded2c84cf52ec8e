/** A person approves a tool until they disconnect: that holds for their session, also after its node was killed. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inFolder } from "../support/folder.ts"
import { startBalancer } from "../support/listenerFleet.ts"
import { connected, listed } from "../support/mcpClients.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { nodeOf, sceneOf, TOKEN } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

describePostgres("an approval for a session of a fleet", () => {
  it.live("holds where the session goes on, and for no other session", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const servers = { counter: { command: process.execPath, args: [COUNTER, join(yield* inFolder, "calls")] } }
      const scene = yield* sceneOf(url, servers, { gateway: { tools: { ask: ["counter/*"] } } })
      const nodes = yield* Effect.forEach(["one", "two"], (name) => nodeOf(scene, name))
      const balancer = yield* startBalancer(nodes.map((node) => new URL(node.url).origin))
      const clientOf = (asked: { count: number }) =>
        connected(
          "2025-11-25",
          { url: balancer.url, token: TOKEN },
          {
            elicit: () => {
              asked.count++
              return Promise.resolve({ action: "accept", content: { decision: "session" } })
            }
          }
        )
      const [first, second] = [{ count: 0 }, { count: 0 }]
      balancer.next(new URL(nodes[0]!.url).origin)
      const client = yield* clientOf(first)
      yield* listed(client, "tools/list", "mcp_counter_count")
      const count = Effect.promise(() => client.call("mcp_counter_count"))
      assert.include(yield* count, "count")
      assert.include(yield* count, "count")
      assert.strictEqual(first.count, 1)
      nodes[0]!.signal("SIGKILL")
      yield* nodes[0]!.exited
      assert.include(yield* count, "count")
      assert.strictEqual(first.count, 1)
      const other = yield* clientOf(second)
      assert.include(yield* Effect.promise(() => other.call("mcp_counter_count")), "count")
      assert.strictEqual(second.count, 1)
    })
  )
})
