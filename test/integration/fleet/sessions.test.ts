/** Sessions of a fleet's clients: any node answers for any session, whatever becomes of the node that has it. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { fleetOf, startNode, type TestNode } from "../../support/listenerFleet.ts"
import { describePostgres, newDatabase, queryAt } from "../../support/postgres.ts"
import { ask, begin, bearer, notify, send, sessionOf, textOf } from "../../support/rawHttp.ts"

const TOKEN = "a-token-of-me"

/** The headers of a client that comes back for a stream. */
const comingBack = (session: string) => ({
  accept: "text/event-stream",
  "mcp-session-id": session,
  "mcp-protocol-version": "2025-11-25",
  ...bearer(TOKEN)
})

/** Kills a node during a call. Gives the name of the last event that the client of the call has got. */
const cutOff = Effect.fnUntraced(function* (node: TestNode, session: string) {
  const event = Promise.withResolvers<string>()
  const onText = (text: string) => {
    const [, id] = /^id: (\S+)$/m.exec(text) ?? []
    if (id !== undefined) event.resolve(id)
  }
  const asking = { session, id: 7, onText }
  const broken = Effect.exit(
    Effect.tryPromise(() => ask("2025-11-25", node.url, TOKEN, "tools/call", { name: "hold" }, asking))
  )
  const calling = yield* Effect.forkChild(broken)
  yield* node.heard("begun")
  const last = yield* Effect.promise(() => event.promise)
  node.signal("SIGKILL")
  yield* Fiber.join(calling)
  return last
})

describePostgres("sessions of a fleet", () => {
  for (const era of ERAS) {
    it.live(`each request of a client of ${era} may come to any node`, () =>
      Effect.gen(function* () {
        const { balancer } = yield* fleetOf("a", "b", "c")
        const client = yield* connected(
          era,
          { url: balancer.url, token: TOKEN },
          {
            elicit: () => Promise.resolve({ action: "accept", content: { name: "Ada" } })
          }
        )
        for (let count = 1; count <= 6; count++) {
          assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: `${count}` })), `${count}`)
        }
        assert.include(yield* Effect.promise(() => client.call("ask")), "Ada")
        assert.strictEqual(balancer.counts.size, 3)
      })
    )
  }

  it.live("a session that was opened at one node is found by its name at each other, and ended from there", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      assert.match(session, /^a\./)
      const call = (url: string) =>
        Effect.promise(() => ask("2025-11-25", url, TOKEN, "tools/call", { name: "node" }, { session }))
      assert.strictEqual(textOf(yield* call(b.url)), "a")
      const foreign = yield* Effect.promise(() =>
        ask("2025-11-25", b.url, "a-token-of-other", "tools/call", { name: "node" }, { session })
      )
      assert.strictEqual(foreign.status, 404)
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        "mcp-session-id": session,
        "mcp-protocol-version": "2025-11-25"
      }
      assert.strictEqual((yield* Effect.promise(() => send(b.url, { method: "DELETE", headers }))).status, 200)
      assert.strictEqual((yield* call(a.url)).status, 404)
      assert.strictEqual((yield* call(b.url)).status, 404)
    })
  )

  it.live("the session of a node that was killed goes on at another, with what its client had said", () =>
    Effect.gen(function* () {
      const { balancer, nodes } = yield* fleetOf("a", "b", "c")
      const [a, b, c] = nodes as [TestNode, TestNode, TestNode]
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      yield* Effect.promise(() => notify(b.url, TOKEN, session, "notifications/initialized"))
      yield* Effect.promise(() => ask("2025-11-25", c.url, TOKEN, "logging/setLevel", { level: "error" }, { session }))
      a.signal("SIGKILL")
      yield* a.ended
      const call = (name: string) =>
        Effect.promise(() => ask("2025-11-25", balancer.url, TOKEN, "tools/call", { name }, { session }))
      const found = textOf(yield* call("node"))
      assert.include(["b", "c"], found)
      assert.strictEqual(textOf(yield* call("node")), found)
      const { messages } = yield* call("log")
      const levels = messages.flatMap(({ params }) => (params?.["level"] === undefined ? [] : [params["level"]]))
      assert.deepStrictEqual(levels, ["error", "critical", "alert", "emergency"])
    })
  )

  it.live(
    "a session that a node has taken over, and does not know it, is opened there when another node asks for it",
    () =>
      Effect.gen(function* () {
        const { database, nodes } = yield* fleetOf("a", "b", "c")
        const [a, b, c] = nodes as [TestNode, TestNode, TestNode]
        const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
        yield* Effect.promise(() => notify(a.url, TOKEN, session, "notifications/initialized"))
        a.signal("SIGKILL")
        yield* a.ended
        // As after a statement whose answer was lost with the connection.
        yield* queryAt(
          database,
          `update mcp_live.sessions set node = 'b', epoch = epoch + 1,
           incarnation = (select incarnation from mcp_live.nodes where name = 'b' and state <> 'dead') where id = $1`,
          [session]
        )
        const call = (url: string) =>
          Effect.promise(() => ask("2025-11-25", url, TOKEN, "tools/call", { name: "node" }, { session }))
        assert.strictEqual(textOf(yield* call(c.url)), "b")
        assert.strictEqual(textOf(yield* call(b.url)), "b")
      })
  )

  it.live("a call that was passed on to a node that is killed is answered at once: it may have been executed", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      const calling = yield* Effect.forkChild(
        Effect.promise(() => ask("2025-11-25", b.url, TOKEN, "tools/call", { name: "hold" }, { session, id: 77 }))
      )
      yield* a.heard("begun")
      a.signal("SIGKILL")
      const answer = yield* Fiber.join(calling)
      const last = answer.messages.at(-1)
      assert.strictEqual(last?.id, 77)
      assert.strictEqual(last?.result?.["isError"], true)
      assert.include(textOf(answer), "may have been executed")
    })
  )

  it.live("a client of 2024-11-05 sends its messages to any node, and is answered on its stream", () =>
    Effect.gen(function* () {
      const { balancer } = yield* fleetOf("a", "b")
      const url = balancer.url.replace("/mcp", "/sse")
      const client = yield* connected("2025-11-25", { url, token: TOKEN, sse: true })
      for (const count of ["1", "2", "3", "4"]) {
        assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: count })), count)
      }
      assert.strictEqual(balancer.counts.size, 2)
    })
  )

  it.live(
    "who comes back to a stream of a node that was killed is told what became of the call, and hears of changes again",
    () =>
      Effect.gen(function* () {
        const { nodes } = yield* fleetOf("a", "b")
        const [a, b] = nodes as [TestNode, TestNode]
        const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
        const last = yield* cutOff(a, session)
        const headers = comingBack(session)
        const answer = yield* Effect.promise(() =>
          send(b.url, { method: "GET", headers: { ...headers, "last-event-id": last } })
        )
        assert.deepStrictEqual(
          answer.messages.map(({ id }) => id),
          [7]
        )
        assert.include(textOf(answer), "may have been executed")
        // The stream of news of the node that is dead.
        const heard = Promise.withResolvers<string>()
        const news = last.split("-").slice(0, 3).join("-")
        const signal = yield* Effect.abortSignal
        void send(b.url, {
          method: "GET",
          headers: { ...headers, "last-event-id": news },
          signal,
          onMessage: ({ method }) => heard.resolve(String(method))
        }).catch(() => {})
        assert.strictEqual(yield* Effect.promise(() => heard.promise), "notifications/tools/list_changed")
      }).pipe(Effect.scoped)
  )

  it.live("who comes back for an answer of a session that the database never knew is told that it is gone", () =>
    Effect.gen(function* () {
      const { database, nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      const last = yield* cutOff(a, session)
      yield* queryAt(database, "delete from mcp_live.sessions")
      const headers = comingBack(session)
      const back = (more: Record<string, string>) =>
        Effect.promise(() => send(b.url, { method: "GET", headers: { ...headers, ...more } }))
      const answer = yield* back({ "last-event-id": last })
      assert.deepStrictEqual(
        answer.messages.map(({ id }) => id),
        [7]
      )
      assert.include(textOf(answer), "may have been executed")
      assert.strictEqual((yield* back({})).status, 404)
      assert.strictEqual((yield* back({ "last-event-id": last, "mcp-session-id": "nobody" })).status, 404)
      const next = yield* Effect.promise(() => ask("2025-11-25", b.url, TOKEN, "tools/list", {}, { session }))
      assert.strictEqual(next.status, 404)
    })
  )

  it.live("a node that is full gives new sessions to another", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const a = yield* startNode({ database, name: "a", sessionsMax: 1 })
      const b = yield* startNode({ database, name: "b" })
      assert.match(sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN))), /^a\./)
      yield* a.seen("b")
      const session = sessionOf(yield* Effect.promise(() => begin(a.url, TOKEN)))
      assert.match(session, /^b\./)
      const answer = yield* Effect.promise(() =>
        ask("2025-11-25", a.url, TOKEN, "tools/call", { name: "node" }, { session })
      )
      assert.strictEqual(textOf(answer), "b")
      assert.include(b.url, "127.0.0.1")
    })
  )

  it.live("a fleet that is full says when to try again, and lets a load balancer send what it has room for", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const a = yield* startNode({ database, name: "a", sessionsMax: 1 })
      const b = yield* startNode({ database, name: "b", sessionsMax: 1 })
      yield* a.seen("b")
      yield* b.seen("a")
      // A session in which something is done makes no room for another one of the same client.
      for (const node of [a, b]) {
        const session = sessionOf(yield* Effect.promise(() => begin(node.url, TOKEN)))
        assert.isTrue(session.startsWith(`${node.name}.`))
        yield* Effect.forkChild(
          Effect.promise(() =>
            ask("2025-11-25", node.url, TOKEN, "tools/call", { name: "hold" }, { session }).catch(() => {})
          )
        )
        yield* node.heard("begun")
      }
      for (const node of [a, b]) {
        const refused = yield* Effect.promise(() => begin(node.url, TOKEN))
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers["retry-after"], "1")
        assert.match(refused.text, /too many sessions/)
        const ready = yield* Effect.promise(() => fetch(new URL("/health/ready", node.url)))
        assert.strictEqual(ready.status, 200)
        assert.deepStrictEqual(yield* Effect.promise(() => ready.json()), { status: "full" })
      }
      a.release()
      b.release()
    })
  )
})
