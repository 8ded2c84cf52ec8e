import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { makeConversations } from "../../../src/layers/agent/AgentGateway/conversations.ts"
import type { KeptTurn } from "../../../src/layers/agent/AgentGateway/keptTurns.ts"
import { makeStored } from "../../../src/layers/agent/AgentGateway/storedConversations.ts"
import { ConversationStore } from "../../../src/services/agent/ConversationStore.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { conversationsOf, quiet, until } from "../../support/fleetStores.ts"
import { holding, untilTheyWait } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const nodeAt = (url: string, node: string) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.provide(conversationsOf(url, node), quiet))
    const files = makeStored(Context.get(context, ConversationStore), (text) => text.replaceAll("hush", "[REDACTED]"))
    return { ...(yield* makeConversations({ files })), database: Context.get(context, Database) }
  })

type Node = Effect.Success<ReturnType<typeof nodeAt>>

const turn = (text: string): KeptTurn => ({ message: [{ type: "text", text }], events: [], messages: [] })

const say = (node: Node, text: string) =>
  Effect.gen(function* () {
    const conversation = yield* node.hold("s")
    yield* node.question(conversation, turn(text).message)
    const isStored = yield* node.add(conversation, turn(text))
    yield* node.letGo(conversation)
    return isStored
  })

const said = (node: Node) =>
  Effect.map(node.find("s"), (found) =>
    found?.turns.map(({ message }) => message.map((part) => (part.type === "text" ? part.text : "")).join(""))
  )

describePostgres("the conversations of a fleet", () => {
  it.live("go on at another node, with secrets masked", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      assert.isTrue(yield* say(one, "first, hush"))
      // The right to go on is given back in the background.
      yield* until(Effect.map(Effect.result(say(other, "second")), ({ _tag }) => _tag === "Success"))
      yield* until(Effect.map(Effect.result(say(one, "third")), ({ _tag }) => _tag === "Success"))
      assert.deepEqual(yield* said(other), ["first, [REDACTED]", "second", "third"])
      assert.deepEqual(
        (yield* other.list).map(({ sessionKey, title }) => [sessionKey, title]),
        [["s", "first, [REDACTED]"]]
      )
      assert.strictEqual((yield* other.glance("s"))?.turns, 3)
    })
  )

  it.live("belong to one node at a time, which others name", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const held = yield* one.hold("s")
      assert.strictEqual(
        (yield* Effect.flip(other.hold("s"))).message,
        "This conversation is open at node 'one' of the fleet: close it there first."
      )
      yield* one.letGo(held)
      yield* until(Effect.map(Effect.result(say(other, "now here")), ({ _tag }) => _tag === "Success"))
    })
  )

  it.live("are gone at all nodes when one removes them", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      yield* say(one, "to be forgotten")
      assert.isTrue(yield* other.remove("s"))
      assert.isUndefined(yield* said(one))
      assert.deepEqual(yield* one.list, [])
    })
  )

  it.live("are not written by a node whose right to them has gone to another", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      const held = yield* one.hold("s")
      yield* query("update mcp_live.leases set holder = 'other now'")
      yield* until(Effect.map(one.save({ ...held, turns: [turn("late")], isRead: true }), (isStored) => !isStored))
      yield* query("delete from mcp_live.conversations")
      assert.isFalse(yield* one.save({ ...held, turns: [turn("later")], isRead: true }))
      assert.deepEqual(yield* query("select from mcp_live.conversations"), [])
    })
  )

  it.live("go on in memory while the database is away, and are stored with the next turn", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const one = yield* nodeAt(url, "one")
      const held = yield* one.hold("s")
      yield* one.add(held, turn("before"))
      yield* server.tell("stop")
      assert.isFalse(yield* one.add(held, turn("meanwhile")))
      assert.deepEqual(yield* said(one), ["before", "meanwhile"])
      yield* server.tell("start")
      yield* until(Effect.sync(() => !one.database.isAway()))
      yield* until(one.save(held))
      yield* one.letGo(held)
      assert.deepEqual(yield* said(yield* nodeAt(url, "other")), ["before", "meanwhile"])
    })
  )

  it.live("say at which node they are open also to whoever comes in the same moment", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const { take } = Context.get(yield* Layer.build(conversationsOf(database.url, "one")), ConversationStore)
      const takenBy = (
        node: string
      ) => `insert into mcp_live.leases values ('conversation s', '${node} 1', now() + interval '1 hour')
        on conflict (name) do update set holder = excluded.holder, until = excluded.until`
      const heldBy = Effect.fnUntraced(function* (node: string) {
        const release = yield* holding(database, takenBy(node))
        const taking = yield* Effect.forkChild(take("s"))
        yield* untilTheyWait(database, 1)
        yield* release
        return yield* Fiber.join(taking)
      })
      assert.deepEqual<unknown>(yield* heldBy("first"), { node: "first" })
      yield* database.query("update mcp_live.leases set until = now() - interval '1 hour'")
      assert.deepEqual<unknown>(yield* heldBy("second"), { node: "second" })
    })
  )

  it.live("are not written by a node that does not know yet that its right to them has gone to another", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const store = Context.get(yield* Layer.build(conversationsOf(url, "one")), ConversationStore)
      assert.property(yield* store.take("s"), "lease")
      const kept = { header: "{}", lines: ["first"] }
      assert.strictEqual(yield* store.write("s", "main", kept, false), "kept")
      assert.strictEqual(yield* store.append("s", "second"), "kept")
      yield* query("update mcp_live.leases set holder = 'other now'")
      assert.strictEqual(yield* store.append("s", "third"), "failed")
      assert.strictEqual(yield* store.write("s", "main", kept, true), "failed")
      assert.deepEqual((yield* store.read("s"))?.lines, ["first", "second"])
    })
  )
})
