import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { dataDirectory } from "../../../src/schemas/config/DataDirectory.ts"
import { homedir } from "node:os"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import {
  ACP_LIST_PAGE,
  ACP_OPENED_WITH_MAX_BYTES,
  ACP_SERVERS_SILENT_MS,
  ACP_SERVERS_WAIT_MS,
  ACP_SESSIONS_MAX
} from "../../../src/schemas/defaults/Acp.ts"
import { APPROVAL_TIMEOUT_MS } from "../../../src/schemas/defaults/Approvals.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { SessionTools } from "../../../src/services/agent/SessionTools.ts"
import { TestServers } from "../../../src/testing.ts"
import { brought, client, cwd, live, signal, text } from "./live.ts"

const slow = { slow: { faults: { connectTime: "20 seconds" } } } as const

describe("the sessions of a client", () => {
  it.effect("are not opened with more than there is room for in all; one that is closed makes room", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const large = { cwd, mcpServers: [], meta: { any: "x".repeat(ACP_OPENED_WITH_MAX_BYTES / 2) } }
      const { sessionId } = yield* sessions.create(large)
      const refused = yield* Effect.flip(sessions.create(large))
      assert.match(refused.message, /what open sessions were given .* close one first/)
      // It is not counted twice when it is opened again.
      yield* sessions.resume(sessionId, large)
      yield* sessions.create({ cwd, mcpServers: [], meta: undefined })
      yield* sessions.close(sessionId)
      yield* sessions.create(large)
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )

  it.effect("delay the first answer until their servers have started, and report slow ones", () =>
    Effect.gen(function* () {
      const { door, notices, until, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: brought("slow"), meta: undefined })
      const turn = yield* Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
      yield* until("available_commands_update")
      yield* TestClock.adjust(ACP_SERVERS_SILENT_MS - 1)
      assert.deepStrictEqual(notices(), [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(notices(), ['Waiting for the MCP server "slow" to start, 30 s at most.'])
      yield* TestClock.adjust(19_000 - ACP_SERVERS_SILENT_MS)
      assert.isUndefined(turn.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "end_turn" })
      assert.lengthOf(notices(), 1)
      assert.deepInclude(
        updates.find((update) => update.sessionUpdate === "tool_call_update"),
        { status: "completed" }
      )
    }).pipe(Effect.scoped, Effect.provide(live([[{ call: "mcp__slow__echo" }]], slow)))
  )

  it.effect("wait for their servers up to a limit, and report those that are late", () =>
    Effect.gen(function* () {
      const { door, notices, until, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: brought("slow"), meta: undefined })
      const turn = yield* Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
      yield* until("available_commands_update")
      yield* TestClock.adjust(ACP_SERVERS_WAIT_MS + 10_000)
      yield* Fiber.join(turn)
      assert.deepStrictEqual(notices().slice(1), ['MCP server "slow" did not start'])
      assert.match(JSON.stringify(updates), /Its tools are missing: it has not answered yet/)
      assert.deepInclude(
        updates.find((update) => update.sessionUpdate === "tool_call_update"),
        { status: "failed" }
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(live([[{ call: "mcp__slow__echo" }]], { slow: { faults: { connectTime: "10 minutes" } } }))
    )
  )

  it.effect("name the servers that they wait for as text when the client does not support notices", () =>
    Effect.gen(function* () {
      const { door, updates } = client()
      const sessions = yield* sessionsFor({ ...door, notices: false })
      const mcpServers = brought("slow", "fs", "late")
      const { sessionId } = yield* sessions.create({ cwd, mcpServers, meta: undefined })
      const turn = yield* Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
      yield* TestClock.adjust(ACP_SERVERS_SILENT_MS)
      const said = () => updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      assert.deepStrictEqual(said(), [
        {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: 'Waiting for 2 MCP servers to start, 30 s at most.\n"slow", "late"\n\n' }
        }
      ])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(turn)
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { ...slow, fs: {}, late: slow.slow })))
  )

  it.effect("offer commands for the built-in agent only", () =>
    Effect.gen(function* () {
      const gateway = yield* AgentGateway
      const kindsWith = (there: typeof gateway) =>
        Effect.gen(function* () {
          const { door, updates } = client()
          const sessions = yield* sessionsFor(door)
          const { sessionId } = yield* sessions.create({ cwd, mcpServers: [], meta: undefined })
          yield* sessions.prompt(sessionId, text("go"), signal)
          return updates.map(({ sessionUpdate }) => sessionUpdate)
        }).pipe(Effect.provideService(AgentGateway, there))
      assert.include(yield* kindsWith(gateway), "available_commands_update")
      assert.notInclude(yield* kindsWith({ ...gateway, elsewhere: true }), "available_commands_update")
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("cancel each turn once, also for repeated cancellations", () => {
    const [started, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const step = Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    return Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: [], meta: undefined })
      const turns = yield* Effect.forEach(Array.from({ length: 200 }), () =>
        Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
      )
      yield* Deferred.await(started)
      const first = yield* Effect.forkChild(sessions.cancel(sessionId), { startImmediately: true })
      // There is nothing more to cancel, and nothing to wait for.
      for (let more = 0; more < 1_000; more++) yield* sessions.cancel(sessionId)
      assert.isUndefined(first.pollUnsafe())
      yield* Deferred.succeed(ended, undefined)
      for (const turn of turns) assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
    }).pipe(Effect.scoped, Effect.provide(live([[{ wait: Effect.onInterrupt(step, () => Deferred.await(ended)) }]])))
  })

  it.effect("stop servers that are still starting when they are closed", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: brought("slow"), meta: undefined })
      yield* sessions.close(sessionId)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(counts("slow").opened, 0)
      assert.strictEqual((yield* Effect.flip(sessions.prompt(sessionId, text("go"), signal))).code, -32002)
    }).pipe(Effect.scoped, Effect.provide(live([], slow)))
  )

  it.effect("end together when the connection ends", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door, until } = client()
      const scope = yield* Scope.make("parallel")
      const sessions = yield* sessionsFor(door).pipe(Scope.provide(scope))
      for (let index = 0; index < 5; index++)
        yield* sessions.create({ cwd, mcpServers: brought("fs"), meta: undefined })
      yield* until("available_commands_update")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(counts("fs").opened, 5)
      const end = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(counts("fs").closed, 5)
      yield* Fiber.join(end)
    }).pipe(Effect.provide(live([], { fs: { faults: { closeTime: "5 seconds" } } })))
  )

  it.effect("deny a call when the client's permission times out or fails", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { door, updates } = client(() => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: brought("fs"), meta: undefined })
      const turn = yield* Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
      yield* Deferred.await(asked)
      yield* TestClock.adjust(APPROVAL_TIMEOUT_MS)
      yield* Fiber.join(turn)
      assert.deepInclude(
        updates.find((update) => update.sessionUpdate === "tool_call_update"),
        { status: "failed" }
      )
      const { counts } = yield* TestServers
      assert.strictEqual(counts("fs").calls, 0)
      const failing = client(() => Effect.die("gone"))
      const others = yield* sessionsFor(failing.door)
      const other = yield* others.create({ cwd, mcpServers: brought("fs"), meta: undefined })
      yield* others.prompt(other.sessionId, text("go"), signal)
      assert.strictEqual(counts("fs").calls, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(live([[{ call: "mcp__fs__echo" }]], { fs: {} }, { tools: { ask: ["fs/*"] } }))
    )
  )

  it.effect("are refused with -32002 when they are unknown, closed or deleted", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const asked = { cwd, mcpServers: [], meta: undefined }
      const refused = (work: Effect.Effect<unknown, { readonly code: number; readonly data?: unknown }>) =>
        Effect.map(Effect.flip(work), ({ code, data }) => ({ code, data }))
      const { sessionId } = yield* sessions.create(asked)
      yield* sessions.prompt(sessionId, text("go"), signal)
      yield* sessions.remove(sessionId)
      for (const id of ["nobody", sessionId]) {
        for (const work of [
          sessions.load(id, asked),
          sessions.resume(id, asked),
          sessions.prompt(id, text("go"), signal),
          sessions.remove(id),
          sessions.setMode(id, "ask"),
          sessions.setOption(id, "mode", "ask")
        ]) {
          assert.deepStrictEqual(yield* refused(work), { code: -32002, data: { sessionId: id } })
        }
        // What is not open is closed.
        yield* sessions.close(id)
      }
      yield* sessions.cancel("nobody")
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("leave no servers or tools behind when they are closed or removed", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const sessions = yield* sessionsFor(client().door)
      for (let round = 0; round < 200; round++) {
        const { sessionId } = yield* sessions.create({ cwd, mcpServers: brought("fs"), meta: undefined })
        if (round % 2 === 0) yield* sessions.prompt(sessionId, text("go"), signal)
        yield* round % 4 === 0 ? sessions.remove(sessionId) : sessions.close(sessionId)
        if (round % 2 === 0) assert.isUndefined(yield* (yield* SessionTools).get(sessionId))
      }
      assert.strictEqual(counts("fs").closed, counts("fs").opened)
      assert.isAtLeast(counts("fs").opened, 100)
      assert.lengthOf((yield* sessions.list({})).sessions, 50)
    }).pipe(Effect.scoped, Effect.provide(live([[{ call: "mcp__fs__echo" }]], { fs: {} })))
  )

  it.effect("are closed with their servers when their request is interrupted", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const sessions = yield* sessionsFor(client().door)
      for (let steps = 0; steps < 40; steps++) {
        const request = yield* Effect.forkChild(sessions.create({ cwd, mcpServers: brought("fs"), meta: undefined }))
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(request)
        const exit = yield* Fiber.await(request)
        if (Exit.isSuccess(exit)) yield* sessions.close(exit.value.sessionId)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(counts("fs").closed, counts("fs").opened)
      }
      // Conversations in files: there is something to wait for in the middle.
    }).pipe(Effect.scoped, Effect.provide(live([], { fs: {} }, {}, { kept: { directory: dataDirectory() } })))
  )

  it.effect("refuse an empty message", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { sessionId } = yield* sessions.create({ cwd, mcpServers: [], meta: undefined })
      assert.strictEqual((yield* Effect.flip(sessions.prompt(sessionId, [], signal))).code, -32602)
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )

  it.effect("are listed in pages, filtered by directory", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const ids: Array<string> = []
      for (let index = 0; index < ACP_LIST_PAGE + 1; index++) {
        const { sessionId } = yield* sessions.create({
          cwd: index === 0 ? homedir() : cwd,
          mcpServers: [],
          meta: undefined
        })
        yield* sessions.prompt(sessionId, text(`go ${index}`), signal)
        ids.push(sessionId)
      }
      const first = yield* sessions.list({})
      assert.lengthOf(first.sessions, ACP_LIST_PAGE)
      const second = yield* sessions.list({ cursor: first.nextCursor })
      assert.isUndefined(second.nextCursor)
      assert.sameMembers(
        [...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId),
        ids
      )
      assert.deepStrictEqual(
        (yield* sessions.list({ cwd: homedir() })).sessions.map(({ title }) => title),
        ["go 0"]
      )
      assert.strictEqual((yield* Effect.flip(sessions.list({ cursor: "nowhere" }))).code, -32602)
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("are no more than so many at once", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const asked = { cwd, mcpServers: [], meta: undefined }
      const [first] = yield* Effect.forEach(Array.from({ length: ACP_SESSIONS_MAX }), () => sessions.create(asked))
      assert.include((yield* Effect.flip(sessions.create(asked))).message, "close one first")
      yield* sessions.close(first!.sessionId)
      yield* sessions.create(asked)
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )
})
