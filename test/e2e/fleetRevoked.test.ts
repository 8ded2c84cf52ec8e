/** A client that the operator takes out of the configuration, while it is connected. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { connected, listed, type TestClient } from "../support/mcpClients.ts"
import { pause } from "../support/pause.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { nodeOf, sceneOf } from "./nodes.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))
const [ADA, BOB] = ["the-token-of-ada-in-this-test", "the-token-of-bob-in-this-test"]

const CALL_MS = 5_000

/** Until the client is not let in any more. A call that is under way at that moment gets no answer. */
const isShutOut = (client: TestClient) =>
  Effect.promise(async (signal) => {
    for (;;) {
      const said = await client.call("mcp_counter_count", {}, { timeout: CALL_MS }).catch(String)
      if (signal.aborted || /This token is not one of this server's|401/.test(said)) return
      await pause()
    }
  })

describePostgres("a client that is taken out of serve.clients", () => {
  it.live("is refused by all nodes that have read the file, its open stream is closed, and others notice nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const servers = { counter: { command: process.execPath, args: [COUNTER], limits: { perMinute: 0 } } }
      const scene = yield* sceneOf(url, servers)
      const config = JSON.parse(readFileSync(scene.config, "utf8"))
      const write = (...names: ReadonlyArray<string>) => {
        const clients = names.map((name) => ({ name, token: name === "ada" ? ADA : BOB }))
        writeFileSync(scene.config, JSON.stringify({ ...config, mcp: { ...config.mcp, serve: { clients } } }))
      }
      write("ada", "bob")
      const nodes = yield* Effect.forEach(["one", "two"], (name) => nodeOf(scene, name))
      const clientsOf = (token: string) =>
        Effect.forEach(nodes, (node) => connected("2025-11-25", { url: node.url, token }))
      const [ada, bob] = [yield* clientsOf(ADA), yield* clientsOf(BOB)]
      for (const client of [...ada, ...bob]) yield* listed(client, "tools/list", "mcp_counter_count")
      const stream = yield* Effect.promise((signal) =>
        fetch(`${new URL(nodes[0]!.url).origin}/sse`, { headers: { authorization: `Bearer ${ADA}` }, signal })
      )
      assert.strictEqual(stream.status, 200)
      const ended = stream.text().then(
        () => "ended",
        () => "cut"
      )
      write("bob")
      for (const client of ada) yield* isShutOut(client)
      assert.strictEqual(yield* Effect.promise(() => ended), "cut")
      for (const client of bob) assert.include(yield* Effect.promise(() => client.call("mcp_counter_count")), '"count"')
    }).pipe(Effect.scoped)
  )
})
