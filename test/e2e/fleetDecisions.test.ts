/** Commands about what is one for all nodes, on a machine whose configuration has a fleet: they use its database, and no files. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { identityKey } from "../../src/schemas/login/Credentials.ts"
import { oauthServer, type OAuthFixture } from "../fixtures/oauthServer.ts"
import { connected, listed, type TestClient } from "../support/mcpClients.ts"
import { pause } from "../support/pause.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"
import { elsewhere, nodeOf, sceneOf, type Scene, TOKEN } from "./nodes.ts"
import { start } from "./program.ts"

const COUNTER = fileURLToPath(new URL("../fixtures/counter.mjs", import.meta.url))

/** The address stands on a line of its own. */
const PAGE = /(?<=\n)http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+(?=\n)/

const clientOf = (scene: Scene, name: string) =>
  Effect.flatMap(nodeOf(scene, name), ({ url }) => connected("2025-11-25", { url, token: TOKEN }))

const logIn = Effect.fnUntraced(function* ({ config, env }: Scene, fixture: OAuthFixture) {
  const program = yield* start(["login", "tickets", "--no-browser", "--config", config], { env })
  const [page] = yield* program.until(PAGE)
  program.type((yield* Effect.promise(() => fixture.redirect(page))).href)
  return yield* program.exited
})

const says = (client: TestClient, wanted: RegExp) =>
  Effect.promise(async (signal) => {
    while (!signal.aborted && !wanted.test(await client.call("mcp_tickets_whoami").catch(String))) await pause()
  })

describePostgres("a command with the configuration of a fleet", () => {
  it.live("logs in and out for all nodes", () =>
    Effect.gen(function* () {
      const fixture = yield* oauthServer
      const { query, url } = yield* newDatabase()
      const scene = yield* sceneOf(url, { tickets: { url: fixture.url } })
      const clients = yield* Effect.forEach(["one", "two"], (name) => clientOf(scene, name))
      const { code, stderr, stdout } = yield* logIn(scene, fixture)
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "Stored: encrypted, in the database of the fleet, for all of its nodes")
      assert.isFalse(existsSync(join(scene.home, "credentials")))
      assert.lengthOf(yield* query("select key from mcp_live.credentials"), 1)
      for (const client of clients) yield* says(client, /called with access/)

      const gone = yield* elsewhere(scene, "logout", "tickets")
      assert.strictEqual(gone.code, 0, gone.stderr)
      assert.include(gone.stdout, "Logged out of 'tickets'")
      for (const client of clients) yield* says(client, /mcp-live login/)
    })
  )

  it.live("shows and decides the pins and approvals of all nodes", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const counter = { command: process.execPath, args: [COUNTER] }
      const scene = yield* sceneOf(url, { counter })
      const client = yield* clientOf(scene, "one")
      yield* listed(client, "tools/list", "mcp_counter_count")
      const pins = yield* elsewhere(scene, "pins", "list", "--standalone", "--json")
      assert.strictEqual(pins.code, 0, pins.stderr)
      assert.include(pins.stdout, '"count"')
      const rejected = yield* elsewhere(scene, "pins", "reject", "counter/count", "--standalone")
      assert.strictEqual(rejected.code, 0, rejected.stderr)
      // The node hears of it.
      yield* Effect.promise(async (signal) => {
        while (!signal.aborted && JSON.stringify(await client.request("tools/list")).includes("mcp_counter_count"))
          await pause()
      })

      const approval = { agent: "main", server: "counter", launch: "l", tool: "count", definition: "d", approvedAt: 1 }
      yield* query("insert into mcp_live.approvals (subject, tool, content, approved_at) values ('s', 't', $1, 1)", [
        JSON.stringify(approval)
      ])
      const approvals = yield* elsewhere(scene, "approvals", "list", "--standalone")
      assert.include(approvals.stdout, "main/counter/count")
      assert.strictEqual((yield* elsewhere(scene, "approvals", "forget", "--standalone")).code, 0)
      assert.deepStrictEqual(yield* query("select subject from mcp_live.approvals"), [])
      assert.isFalse(existsSync(join(scene.home, "approvals")))
    })
  )

  it.live("forgets what all nodes have of a person, and nothing of others", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const scene = yield* sceneOf(url, { tickets: { url: "http://127.0.0.1:9/" } })
      // Makes the tables.
      yield* clientOf(scene, "one")
      const id = "0123456789abcdef".repeat(2)
      for (const account of [`person ${id}`, "person of another id"]) {
        const content = JSON.stringify({ version: 1, server: "tickets", resource: "http://127.0.0.1:9/", account })
        const key = identityKey({ server: "tickets", resource: "http://127.0.0.1:9/", account })
        yield* query("insert into mcp_live.credentials (key, revision, content) values ($1, 1, $2)", [key, content])
      }
      const { code, stderr, stdout } = yield* elsewhere(scene, "forget", id)
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "logins at servers: 1 removed\nkept results: 0 removed\n")
      assert.lengthOf(yield* query("select key from mcp_live.credentials"), 1)
    })
  )

  it.live("says in one sentence that the database cannot be used, and touches no files", () =>
    Effect.gen(function* () {
      const scene = yield* sceneOf("postgres://nobody@127.0.0.1:1/nothing", { tickets: { url: "http://127.0.0.1:9/" } })
      for (const args of [
        ["logout", "tickets"],
        ["approvals", "list"],
        ["pins", "list"]
      ]) {
        const { code, stderr } = yield* elsewhere(scene, ...args)
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr, /fleet: the database .* cannot be reached/)
      }
    })
  )
})
