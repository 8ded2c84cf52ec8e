import { assert, describe, it } from "@effect/vitest"
import type { SessionUpdate } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { dataDirectory } from "../../../src/schemas/config/DataDirectory.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { SessionTools } from "../../../src/services/agent/SessionTools.ts"
import { TestServers } from "../../../src/testing.ts"
import { brought, client, cwd, live, signal, text } from "./live.ts"

const asked = (...names: ReadonlyArray<string>) => ({ cwd, mcpServers: brought(...names), meta: undefined })
const selected = (optionId: string) => Effect.succeed({ outcome: { outcome: "selected", optionId } })

/** A person who answers alike each time, and how often they were asked. */
const person = (optionId: string) => {
  let questions = 0
  return {
    questions: () => questions,
    ...client(() => Effect.suspend(() => (questions++, selected(optionId))))
  }
}

const ECHO = { call: "mcp__fs__echo" }
const statuses = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.flatMap((update) => (update.sessionUpdate === "tool_call_update" ? [update.status] : []))

describe("the modes of a session", () => {
  it.effect("are told at its beginning, as modes and as an option", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { configOptions, modes, sessionId } = yield* sessions.create(asked())
      assert.strictEqual(modes?.currentModeId, "default")
      assert.deepStrictEqual(
        modes?.availableModes.map(({ id }) => id),
        ["default", "ask"]
      )
      assert.deepStrictEqual(
        configOptions?.map(({ category, currentValue, id }) => ({ category, currentValue, id })),
        [{ category: "mode", currentValue: "default", id: "mode" }]
      )
      assert.deepStrictEqual(yield* sessions.resume(sessionId, asked()), {
        configOptions: configOptions!,
        modes: modes!
      })
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]])))
  )

  it.effect("ask: every call needs approval, for all servers and all holders of the tools", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door, questions, updates } = person("reject_once")
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked("fs"))
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.strictEqual(questions(), 0)
      assert.deepStrictEqual(statuses(updates), ["completed", "completed"])
      yield* sessions.setMode(sessionId, "ask")
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.strictEqual(questions(), 2)
      assert.deepStrictEqual(statuses(updates).slice(2), ["failed", "failed"])
      // Called past the gateway there is nobody to ask, and that is a no.
      const tools = yield* (yield* SessionTools).get(sessionId)
      assert.isTrue((yield* tools!.call("mcp__fs__echo", {})).isError)
      assert.strictEqual(counts("fs").calls, 1)
      yield* sessions.setMode(sessionId, "default")
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.strictEqual(questions(), 2)
      assert.strictEqual(counts("fs").calls, 2)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live(
          [[ECHO, { call: "mcp_own_echo" }]],
          { fs: {}, own: {} },
          { mcp: { servers: { own: { command: "in-memory" } } } }
        )
      )
    )
  )

  it.effect("ask: a yes lets the call through; what is denied stays denied, without a question", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door, questions, updates } = person("allow_once")
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked("fs", "denied"))
      yield* sessions.setMode(sessionId, "ask")
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.deepStrictEqual(statuses(updates), ["completed", "failed"])
      assert.strictEqual(questions(), 1)
      assert.strictEqual(counts("denied").calls, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live([[ECHO, { call: "mcp__denied__echo" }]], { fs: {}, denied: {} }, { tools: { deny: ["denied/*"] } })
      )
    )
  )

  it.effect("apply from the moment they are chosen, also during a turn", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const wait = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
      yield* Effect.gen(function* () {
        const { door, questions } = person("reject_once")
        const sessions = yield* sessionsFor(door)
        const { sessionId } = yield* sessions.create(asked("fs"))
        const turn = yield* Effect.forkChild(sessions.prompt(sessionId, text("go"), signal))
        yield* Deferred.await(begun)
        yield* sessions.setMode(sessionId, "ask")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(turn)
        assert.strictEqual(questions(), 1)
      }).pipe(Effect.scoped, Effect.provide(live([[{ wait }, ECHO]], { fs: {} })))
    })
  )

  it.effect("belong to one session, and persist when it is opened again", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const one = yield* sessions.create(asked())
      const two = yield* sessions.create(asked())
      yield* sessions.setMode(one.sessionId, "ask")
      assert.strictEqual((yield* sessions.resume(one.sessionId, asked())).modes?.currentModeId, "ask")
      assert.strictEqual((yield* sessions.resume(two.sessionId, asked())).modes?.currentModeId, "default")
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )

  it.effect("are told both ways, whichever way they were chosen", () =>
    Effect.gen(function* () {
      const { door, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.setMode(sessionId, "ask")
      const option = updates.findLast((update) => update.sessionUpdate === "config_option_update")
      assert.deepInclude(option?.configOptions[0], { id: "mode", currentValue: "ask" })
      const { configOptions } = yield* sessions.setOption(sessionId, "mode", "default")
      assert.deepInclude(configOptions[0], { id: "mode", currentValue: "default" })
      assert.deepInclude(updates, { sessionUpdate: "current_mode_update", currentModeId: "default" })
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )

  it.effect("are refused if unknown, and nothing changes", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.setMode(sessionId, "ask")
      for (const mode of ["yolo", "__proto__", "", 1, null, undefined, {}, ["ask"]]) {
        assert.strictEqual((yield* Effect.flip(sessions.setMode(sessionId, mode))).code, -32602)
        assert.strictEqual((yield* Effect.flip(sessions.setOption(sessionId, "mode", mode))).code, -32602)
        assert.strictEqual((yield* Effect.flip(sessions.setOption(sessionId, mode, "ask"))).code, -32602)
      }
      assert.strictEqual((yield* sessions.resume(sessionId, asked())).modes?.currentModeId, "ask")
    }).pipe(Effect.scoped, Effect.provide(live([])))
  )
})

const two = {
  agents: {
    defaults: { mcp: { servers: {} } },
    list: [
      { id: "main", default: true },
      { id: "coder", tools: { deny: ["fs/*"] }, mcp: { servers: { own: { command: "in-memory" } } } }
    ]
  }
}

const options = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.findLast((update) => update.sessionUpdate === "config_option_update")?.configOptions

describe("the agent of a session", () => {
  it.effect("is an option where there are several", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { configOptions } = yield* sessions.create(asked())
      assert.deepStrictEqual(configOptions?.[1], {
        id: "agent",
        name: "Agent",
        description: "Whose model, servers and rules; chosen before the first message",
        type: "select",
        currentValue: "main",
        options: [
          { value: "main", name: "main" },
          { value: "coder", name: "coder" }
        ]
      })
    }).pipe(Effect.scoped, Effect.provide(live([], {}, two)))
  )

  it.effect("brings its servers and its rules, also for the servers that came with the session", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const { door, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked("fs", "own"))
      const { configOptions } = yield* sessions.setOption(sessionId, "agent", "coder")
      assert.deepInclude(configOptions[1], { id: "agent", currentValue: "coder" })
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.deepStrictEqual(statuses(updates), ["failed", "completed"])
      assert.strictEqual(counts("fs").calls, 0)
      // The server of that name is the agent's own: the session's is not started.
      assert.strictEqual(counts("own").calls, 1)
      assert.include(JSON.stringify(updates), "the gateway has a server of that name")
    }).pipe(Effect.scoped, Effect.provide(live([[ECHO, { call: "mcp_own_echo" }]], { fs: {}, own: {} }, two)))
  )

  it.effect("stays what it is once something was said, and clients are told", () =>
    Effect.gen(function* () {
      const { door, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.prompt(sessionId, text("go"), signal)
      assert.deepInclude(options(updates)?.[1], { currentValue: "main", options: [{ value: "main", name: "main" }] })
      const refused = yield* Effect.flip(sessions.setOption(sessionId, "agent", "coder"))
      assert.match(refused.message, /needs a new session/)
      yield* sessions.setOption(sessionId, "agent", "main")
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], {}, two)))
  )

  it.effect("is refused if unknown", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { sessionId } = yield* sessions.create(asked())
      for (const agent of ["nobody", "__proto__", "", 1, null, undefined, {}]) {
        assert.strictEqual((yield* Effect.flip(sessions.setOption(sessionId, "agent", agent))).code, -32602)
      }
      const alone = yield* sessionsFor(client().door, { pinned: true })
      const other = yield* alone.create(asked())
      assert.lengthOf(other.configOptions ?? [], 1)
      assert.strictEqual((yield* Effect.flip(alone.setOption(other.sessionId, "agent", "coder"))).code, -32602)
    }).pipe(Effect.scoped, Effect.provide(live([], {}, two)))
  )

  it.effect("is no choice where the agent lives elsewhere", () =>
    Effect.gen(function* () {
      const gateway = { ...(yield* AgentGateway), elsewhere: true as const }
      const sessions = yield* sessionsFor(client().door).pipe(Effect.provideService(AgentGateway, gateway))
      assert.lengthOf((yield* sessions.create(asked())).configOptions ?? [], 1)
    }).pipe(Effect.scoped, Effect.provide(live([], {}, two)))
  )

  it.effect("is kept with the conversation; with one agent alone, conversations with others are not there", () =>
    Effect.gen(function* () {
      const sessions = yield* sessionsFor(client().door)
      const { sessionId } = yield* sessions.create(asked())
      yield* sessions.setOption(sessionId, "agent", "coder")
      yield* sessions.prompt(sessionId, text("go"), signal)
      yield* sessions.close(sessionId)
      const again = yield* sessions.load(sessionId, asked())
      assert.deepInclude(again.configOptions?.[1], { currentValue: "coder" })
      const ids = Effect.map(sessions.list({}), (all) => all.sessions.map((session) => session.sessionId))
      assert.include(yield* ids, sessionId)
      const kept = yield* (yield* AgentGateway).load(sessionId)
      assert.strictEqual(kept?.agent, "coder")

      const alone = yield* sessionsFor(client().door, { pinned: true })
      assert.notInclude(
        (yield* alone.list({})).sessions.map((session) => session.sessionId),
        sessionId
      )
      for (const work of [alone.load(sessionId, asked()), alone.resume(sessionId, asked()), alone.remove(sessionId)]) {
        assert.strictEqual((yield* Effect.flip(work)).code, -32002)
      }
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], {}, two, { kept: { directory: dataDirectory() } })))
  )
})
