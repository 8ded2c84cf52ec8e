/** The database of a fleet is away: sessions that are known go on, and what was owed is written afterwards. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startBalancer, startNode } from "../../support/listenerFleet.ts"
import { connected } from "../../support/mcpClients.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"
import { ask, begin, sessionOf, textOf } from "../../support/rawHttp.ts"

const TOKEN = "a-token-of-me"

const call = (url: string, session: string) =>
  Effect.promise(() => ask("2025-11-25", url, TOKEN, "tools/call", { name: "node" }, { session }))

describePostgres("an outage of the database of a fleet", () => {
  it.live("ends no session, keeps nobody from opening one, and loses none of a node that is killed afterwards", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query, url: database } = yield* newDatabase(server)
      const start = (name: string) => startNode({ database, name })
      const [a, b] = yield* Effect.all([start("a"), start("b")], { concurrency: "unbounded" })
      yield* a.seen("b")
      yield* b.seen("a")
      const before = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      yield* server.tell("stop")
      assert.strictEqual(textOf(yield* call(b.url, before)), "a")
      const during = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      assert.strictEqual(textOf(yield* call(b.url, during)), "a")
      yield* server.tell("start")
      const written = Effect.map(query("select from mcp_live.sessions where id = $1", [during]), (rows) => rows.length)
      yield* Effect.repeat(Effect.delay(written, 100), { until: (count) => count === 1 })
      a.signal("SIGKILL")
      yield* a.ended
      assert.strictEqual(textOf(yield* call(b.url, before)), "b")
      assert.strictEqual(textOf(yield* call(b.url, during)), "b")
    })
  )

  it.live("a session that nobody but its dead node knew is answered as MCP says, and its client opens a new one", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url: database } = yield* newDatabase(server)
      const start = (name: string) => startNode({ database, name })
      const [a, b] = yield* Effect.all([start("a"), start("b")], { concurrency: "unbounded" })
      yield* a.seen("b")
      yield* b.seen("a")
      const balancer = yield* startBalancer([a.url, b.url])
      yield* server.tell("stop")
      const door = { url: balancer.url, token: TOKEN }
      balancer.next(a.url)
      const client = yield* connected("2025-11-25", door)
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      assert.match(session, /^a\./)
      const modern = yield* connected("2026-07-28", door)
      a.signal("SIGKILL")
      yield* a.ended
      // Nobody can know yet whether it was written.
      const early = yield* Effect.repeat(call(b.url, session), { until: ({ status }) => status === 503 })
      assert.match(String(early.headers["retry-after"]), /^\d+$/)
      yield* server.tell("start")
      const answer = yield* Effect.repeat(call(b.url, session), { until: ({ status }) => status !== 503 })
      assert.strictEqual(answer.status, 404)
      assert.deepInclude(answer.messages[0]?.error, { code: -32_001, message: "Session not found" })
      const said = yield* Effect.promise(() => client.call("node").catch((error: unknown) => error))
      assert.strictEqual((said as { readonly code?: unknown }).code, 404)
      const again = yield* connected("2025-11-25", door)
      assert.strictEqual(yield* Effect.promise(() => again.call("node")), "b")
      assert.strictEqual(yield* Effect.promise(() => modern.call("node")), "b")
    })
  )
})
