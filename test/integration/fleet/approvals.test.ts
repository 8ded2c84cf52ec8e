import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ApprovalsLayer from "../../../src/layers/call/Approvals.ts"
import type { ApprovalAnswer, ApprovalRequest } from "../../../src/schemas/call/Approval.ts"
import { Approvals, type Approve } from "../../../src/services/call/Approvals.ts"
import { ApprovalStore } from "../../../src/services/call/ApprovalStore.ts"
import { AuditLog } from "../../../src/services/call/AuditLog.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { quiet, storesOf, until } from "../../support/fleetStores.ts"
import { holding, untilTheyWait } from "../../support/heldLocks.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"
import { sanitizer } from "../../support/sanitizer.ts"

const REQUEST: ApprovalRequest = {
  agent: "main",
  server: "fs",
  launch: "launch-1",
  tool: "delete_file",
  definition: "hash-1",
  exposed: "mcp_fs_delete_file",
  rule: "ask: fs/delete_*",
  args: {}
}

const ALWAYS = { allowed: true, by: "always", remembered: true }

const person = (answer: ApprovalAnswer) => {
  const asked: Array<boolean> = []
  const approve: Approve = async ({ changed }) => {
    asked.push(changed)
    return answer
  }
  return { asked, approve }
}

const nodeAt = (url: string, node: string, approve?: Approve) =>
  Effect.map(
    Layer.build(
      ApprovalsLayer.layerStored({ approve }).pipe(
        Layer.provideMerge(storesOf(url, node)),
        Layer.provide(sanitizer),
        Layer.provide(Layer.mock(AuditLog, { approval: () => Effect.void })),
        Layer.provide(quiet)
      )
    ),
    (context) => ({ ...Context.get(context, Approvals), database: Context.get(context, Database) })
  )

const isDenied = (node: { readonly decide: (request: ApprovalRequest) => Effect.Effect<{ allowed: boolean }> }) =>
  Effect.map(node.decide(REQUEST), ({ allowed }) => !allowed)

describePostgres("an approval for good in a fleet", () => {
  it.live("holds at all nodes, for this very definition", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const { approve } = person("always")
      const one = yield* nodeAt(url, "one", approve)
      const second = person("deny")
      const other = yield* nodeAt(url, "other", second.approve)
      assert.isTrue((yield* one.decide(REQUEST)).allowed)
      assert.deepEqual<unknown>(yield* other.decide(REQUEST), ALWAYS)
      assert.isFalse((yield* other.decide({ ...REQUEST, definition: "hash-2" })).allowed)
      assert.deepEqual(second.asked, [true])
      assert.deepEqual(
        (yield* other.list).map(({ agent, definition, server, tool }) => [agent, server, tool, definition]),
        [["main", "fs", "delete_file", "hash-1"]]
      )
    })
  )

  it.live("is forgotten at all nodes, also where it was used before", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      yield* Effect.scoped(
        Effect.flatMap(nodeAt(url, "before", person("always").approve), ({ decide }) => decide(REQUEST))
      )
      const one = yield* nodeAt(url, "one", person("always").approve)
      const other = yield* nodeAt(url, "other")
      yield* other.database.heard("approvals").pipe(Stream.take(1), Stream.runDrain)
      assert.deepEqual<unknown>(yield* other.decide(REQUEST), ALWAYS)
      assert.deepEqual<unknown>(yield* other.decide(REQUEST), ALWAYS)
      assert.strictEqual(yield* one.forget("main/fs"), 1)
      yield* until(isDenied(other))
      yield* one.decide(REQUEST)
      assert.deepEqual<unknown>(yield* other.decide(REQUEST), ALWAYS)
      assert.strictEqual(yield* other.forget(), 1)
      assert.isTrue(yield* isDenied(other))
      assert.deepEqual(yield* one.list, [])
    })
  )

  it.live("is not needed for a session that has one for itself, wherever it goes on, and as long as it is there", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const one = yield* nodeAt(url, "one")
      const other = yield* nodeAt(url, "other")
      yield* query("insert into mcp_live.sessions (id, record) values ('session-1', '{}'), ('session-2', '{}')")
      const first = person("session")
      const second = person("deny")
      const of = (session: string, { approve }: ReturnType<typeof person>) => ({ session, approve })
      assert.isTrue((yield* one.decide(REQUEST, of("session-1", first))).allowed)
      const remembered = { allowed: true, by: "session", remembered: true }
      assert.deepEqual<unknown>(yield* other.decide(REQUEST, of("session-1", second)), remembered)
      const changed = { ...REQUEST, definition: "hash-2" }
      for (const [request, session] of [
        [changed, "session-1"],
        [{ ...REQUEST, approvers: ["boss"] }, "session-1"],
        [REQUEST, "session-2"],
        [REQUEST, "session-3"]
      ] as const) {
        assert.isFalse((yield* other.decide(request, of(session, second))).allowed)
      }
      yield* query("delete from mcp_live.sessions where id = 'session-1'")
      const third = yield* nodeAt(url, "third")
      assert.isFalse((yield* third.decide(REQUEST, of("session-1", second))).allowed)
    })
  )

  it.live(
    "goes on where it was used while the database is away; others are asked about, and kept for the session",
    () =>
      Effect.gen(function* () {
        const server = yield* ownPostgres
        const { url } = yield* newDatabase(server)
        yield* Effect.scoped(
          Effect.flatMap(nodeAt(url, "before", person("always").approve), ({ decide }) => decide(REQUEST))
        )
        const { approve, asked } = person("always")
        const one = yield* nodeAt(url, "one", approve)
        yield* one.database.heard("approvals").pipe(Stream.take(1), Stream.runDrain)
        assert.deepEqual<unknown>(yield* one.decide(REQUEST), ALWAYS)
        assert.lengthOf(asked, 0)
        yield* server.tell("stop")
        assert.deepEqual<unknown>(yield* one.decide(REQUEST), ALWAYS)
        const unknown = { ...REQUEST, tool: "other" }
        assert.deepEqual<unknown>(yield* one.decide(unknown), { allowed: true, by: "always", remembered: false })
        assert.deepEqual<unknown>(yield* one.decide(unknown), { allowed: true, by: "session", remembered: true })
        const words = (yield* Effect.flip(one.list)).message
        assert.match(
          words,
          /^the stored approvals cannot be used: approvals cannot be listed: the database of the fleet is not available; try again in /
        )
        yield* server.tell("start")
        yield* until(Effect.sync(() => !one.database.isAway()))
        assert.lengthOf(yield* one.list, 1)
        assert.deepEqual<unknown>(yield* one.decide(REQUEST), ALWAYS)
      })
  )
})

describePostgres("an approval for a session", () => {
  it.live("is of no use to a session that ends in the same moment, and does no harm to the call", () =>
    Effect.gen(function* () {
      const database = yield* newDatabase()
      const context = yield* Layer.build(storesOf(database.url, "one"))
      const { sessions } = Context.get(context, ApprovalStore)
      yield* database.query("insert into mcp_live.sessions (id, record) values ('s', '{}'), ('other', '{}')")
      const release = yield* holding(database, "delete from mcp_live.sessions where id = 's'")
      const saving = yield* Effect.forkChild(sessions!.save("s", REQUEST))
      yield* untilTheyWait(database, 1)
      yield* release
      yield* Fiber.join(saving)
      yield* sessions!.save("other", REQUEST)
      assert.deepEqual(yield* database.query("select session from mcp_live.session_approvals"), [{ session: "other" }])
    })
  )
})
