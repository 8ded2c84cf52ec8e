/** Sessions that are opened again, by many at once, or not at all. */
import { assert, describe, it } from "@effect/vitest"
import type { SessionUpdate } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { ACP_LIST_PAGE, ACP_SESSIONS_MAX } from "../../../src/schemas/defaults/Acp.ts"
import { CONVERSATION_MAX_BYTES } from "../../../src/schemas/defaults/Conversations.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { TestServers } from "../../../src/testing.ts"
import { brought, client, cwd, live, signal, text } from "./live.ts"
import { inFolder as folder } from "../../support/folder.ts"

const asked = (...names: ReadonlyArray<string>) => ({ cwd, mcpServers: brought(...names), meta: undefined })

const words = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.flatMap((update) =>
    update.sessionUpdate === "user_message_chunk" && update.content.type === "text" ? [update.content.text] : []
  )

describe("a session that is loaded again", () => {
  it.live("answers a message that arrives during the load", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const sessions = yield* sessionsFor(client().door)
        const { sessionId } = yield* sessions.create(asked())
        yield* sessions.prompt(sessionId, text("one"), signal)
        yield* sessions.close(sessionId)
        const opened = yield* Effect.forkChild(sessions.load(sessionId, asked()), { startImmediately: true })
        assert.deepStrictEqual(yield* sessions.prompt(sessionId, text("two"), signal), { stopReason: "end_turn" })
        yield* Fiber.join(opened)
        // What was not there before is not there after, either.
        const lost = yield* Effect.forkChild(Effect.flip(sessions.load("nobody", asked())), { startImmediately: true })
        assert.strictEqual((yield* Effect.flip(sessions.prompt("nobody", text("x"), signal))).code, -32002)
        assert.strictEqual((yield* Fiber.join(lost)).code, -32002)
      }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], {}, {}, { kept: { directory } })))
    })
  )

  it.effect("drops a waiting message when it is cancelled or aborted", () =>
    Effect.gen(function* () {
      const [shown, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { door, updates } = client()
      const sessions = yield* sessionsFor({
        ...door,
        update: (id, update) =>
          update.sessionUpdate === "user_message_chunk"
            ? Effect.andThen(Deferred.succeed(shown, undefined), Deferred.await(go))
            : door.update(id, update)
      })
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.prompt(sessionId, text("one"), signal)
      const opened = yield* Effect.forkChild(sessions.load(sessionId, asked()))
      yield* Deferred.await(shown)
      const stop = new AbortController()
      const message = (words: string, by: AbortSignal) =>
        Effect.forkChild(sessions.prompt(sessionId, text(words), by), { startImmediately: true })
      const before = updates.length
      const [cancelled, takenBack] = [yield* message("two", signal), yield* message("three", stop.signal)]
      stop.abort()
      assert.deepStrictEqual(yield* Fiber.join(takenBack), { stopReason: "cancelled" })
      assert.isUndefined(cancelled.pollUnsafe())
      yield* sessions.cancel(sessionId)
      assert.deepStrictEqual(yield* Fiber.join(cancelled), { stopReason: "cancelled" })
      const last = yield* message("four", signal)
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.join(last), { stopReason: "end_turn" })
      yield* Fiber.join(opened)
      assert.isAbove(updates.length, before)
      const { turns } = (yield* AgentGateway.use(({ load }) => load(sessionId)))!
      assert.deepStrictEqual(
        turns.map(({ message }) => Reflect.get(message[0]!, "text")),
        ["one", "four"]
      )
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("is closed with its servers when its replay fails", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door } = client()
      let breaks = false
      const sessions = yield* sessionsFor({
        ...door,
        update: (id, update) =>
          breaks && update.sessionUpdate === "user_message_chunk" ? Effect.die("broken") : door.update(id, update)
      })
      const { sessionId } = yield* sessions.create(asked("fs"))
      yield* sessions.prompt(sessionId, text("one"), signal)
      breaks = true
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sessions.load(sessionId, asked("fs")))))
      assert.strictEqual((yield* Effect.flip(sessions.prompt(sessionId, text("two"), signal))).code, -32002)
      assert.strictEqual(counts("fs").closed, counts("fs").opened)
      breaks = false
      yield* sessions.load(sessionId, asked("fs"))
    }).pipe(Effect.scoped, Effect.provide(live([[{ call: "mcp__fs__echo" }]], { fs: {} })))
  )

  it.effect("has unique ids for tool calls, also after its oldest turns were dropped", () =>
    Effect.gen(function* () {
      const { door, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked("fs"))
      const long = "x".repeat(CONVERSATION_MAX_BYTES / 3)
      for (let turn = 0; turn < 4; turn++) yield* sessions.prompt(sessionId, text(long), signal)
      yield* sessions.resume(sessionId, asked("fs"))
      for (let turn = 0; turn < 3; turn++) yield* sessions.prompt(sessionId, text("go"), signal)
      const turns = () =>
        updates
          .splice(0)
          .flatMap((update) =>
            update.sessionUpdate === "tool_call" ? [update.toolCallId.replace(/-call-\d+$/, "")] : []
          )
      const before = turns()
      assert.deepStrictEqual(before.slice(0, 4), ["0", "1", "2", "3"])
      assert.lengthOf(before, 7)
      assert.strictEqual(new Set(before).size, 7)
      // What is shown again is what it was.
      yield* sessions.load(sessionId, asked("fs"))
      assert.deepStrictEqual(turns(), ["2", "3", "4", "5", "6"])
    }).pipe(Effect.scoped, Effect.provide(live([[{ call: "mcp__fs__echo" }]], { fs: {} })))
  )

  it.live("is refused without starting servers while another process has it open", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const kept = { kept: { directory } }
      yield* Effect.gen(function* () {
        const sessions = yield* sessionsFor(client().door)
        const { sessionId } = yield* sessions.create(asked())
        yield* sessions.prompt(sessionId, text("one"), signal)
        yield* Effect.gen(function* () {
          const { counts } = yield* TestServers
          const { door, updates } = client()
          const others = yield* sessionsFor(door)
          const refused = yield* Effect.flip(others.load(sessionId, asked("fs")))
          assert.strictEqual(refused.code, -32603)
          assert.match(refused.message, /open in another process \(\d+\): close it there first/)
          assert.strictEqual(counts("fs").opened, 0)
          assert.strictEqual((yield* Effect.flip(others.prompt(sessionId, text("x"), signal))).code, -32002)
          // The end of a connection lets go of its sessions.
          yield* sessions.close(sessionId)
          yield* others.load(sessionId, asked("fs"))
          assert.deepStrictEqual(words(updates), ["one"])
        }).pipe(Effect.scoped, Effect.provide(live([], { fs: {} }, {}, kept)))
        yield* sessions.load(sessionId, asked())
      }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], {}, {}, kept)))
    })
  )

  it.effect("is released when its connection ends", () =>
    Effect.gen(function* () {
      const { load } = yield* AgentGateway
      const scope = yield* Scope.make("parallel")
      const sessions = yield* sessionsFor(client().door).pipe(Scope.provide(scope))
      const [empty, full] = [yield* sessions.create(asked()), yield* sessions.create(asked())]
      yield* sessions.prompt(full.sessionId, text("one"), signal)
      yield* Scope.close(scope, Exit.void)
      assert.isUndefined(yield* load(empty.sessionId))
      assert.isDefined(yield* load(full.sessionId))
    }).pipe(Effect.provide(live([[{ say: "hi" }]])))
  )
})

describe("sessions", () => {
  it.live("are limited in number, also when they are created concurrently", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const sessions = yield* sessionsFor(client().door)
        const exits = yield* Effect.forEach(
          Array.from({ length: ACP_SESSIONS_MAX + 44 }),
          () => Effect.exit(sessions.create(asked())),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), ACP_SESSIONS_MAX)
        const one = exits.find(Exit.isSuccess)!.value.sessionId
        yield* sessions.close(one)
        yield* sessions.create(asked())
        assert.strictEqual((yield* Effect.flip(sessions.create(asked()))).code, -32603)
      }).pipe(Effect.scoped, Effect.provide(live([], {}, {}, { kept: { directory } })))
      assert.deepStrictEqual(readdirSync(join(directory, "conversations")), [])
    })
  )

  it.effect("are listed completely and once, also when some are used or deleted between pages", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const ids: Array<string> = []
      for (let index = 0; index < ACP_LIST_PAGE + 3; index++) {
        const { sessionId } = yield* sessions.create(asked())
        yield* sessions.prompt(sessionId, text("go"), signal)
        ids.push(sessionId)
      }
      const first = yield* sessions.list({})
      const onFirst = first.sessions.map(({ sessionId }) => sessionId)
      // The one that the page ends with, and another one of it.
      yield* sessions.remove(onFirst.at(-1)!)
      yield* sessions.prompt(onFirst[1]!, text("again"), signal)
      const second = yield* sessions.list({ cursor: first.nextCursor })
      assert.sameMembers([...onFirst, ...second.sessions.map(({ sessionId }) => sessionId)], ids)
      for (const cursor of [ids[0]!, "", "9e9:x", "1", ":x", `1${"0".repeat(40)}:x`]) {
        assert.strictEqual((yield* Effect.flip(sessions.list({ cursor }))).code, -32602, cursor)
      }
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("need an existing directory", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const file = join(place, "file")
      writeFileSync(file, "")
      const { counts } = yield* TestServers
      const sessions = yield* sessionsFor(client().door)
      for (const wrong of [file, join(place, "nowhere")]) {
        for (const names of [[], ["fs"]]) {
          const refused = yield* Effect.flip(sessions.create({ ...asked(...names), cwd: wrong }))
          assert.deepInclude(refused, { code: -32602, message: "cwd must be an existing directory" })
        }
      }
      assert.strictEqual(counts("fs").opened, 0)
      // What was said in one that is gone can be read again, but no program be started there.
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.prompt(sessionId, text("go"), signal)
      yield* sessions.load(sessionId, { ...asked(), cwd: file })
      assert.strictEqual((yield* Effect.flip(sessions.load(sessionId, { ...asked("fs"), cwd: file }))).code, -32602)
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { fs: {} })))
  )

  it.effect("of an agent elsewhere need an existing directory only for servers", () =>
    Effect.gen(function* () {
      const gateway = yield* AgentGateway
      const cwd = join(yield* folder, "nowhere")
      const sessions = yield* sessionsFor(client().door).pipe(
        Effect.provideService(AgentGateway, { ...gateway, elsewhere: true })
      )
      yield* sessions.create({ ...asked(), cwd })
      assert.strictEqual((yield* Effect.flip(sessions.create({ ...asked("fs"), cwd }))).code, -32602)
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { fs: {} })))
  )
})
