import type { CreateElicitationRequest } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { ACP_CHANGES_TOLD_MAX } from "../../../src/schemas/defaults/Acp.ts"
import { ELICITATION_PER_MINUTE } from "../../../src/schemas/defaults/HostRequests.ts"
import { AuthRequired } from "../../../src/schemas/connection/HttpError.ts"
import { SessionTools } from "../../../src/services/agent/SessionTools.ts"
import { TestServers, type TestHost, type TestServer } from "../../../src/testing.ts"
import { brought, client, cwd, live, signal, text } from "./live.ts"

const asked = (names: ReadonlyArray<string>, meta?: unknown) => ({ cwd, mcpServers: brought(...names), meta })
const tools = (...names: ReadonlyArray<string>) => names.map((name) => ({ name, inputSchema: { type: "object" } }))
const many = (count: number) => tools(...Array.from({ length: count }, (_, index) => `t${index}`))
const DYNAMIC = { "mcp-live": { dynamicTools: true } }

const namesOf = (sessionId: string) =>
  Effect.gen(function* () {
    const { tools: list } = (yield* (yield* SessionTools).get(sessionId))!
    return (yield* list).filter(({ server }) => server === "fs").map(({ name }) => name)
  })

const callIn = (sessionId: string, name: string) =>
  Effect.gen(function* () {
    const { call } = (yield* (yield* SessionTools).get(sessionId))!
    return !(yield* call(name, {})).isError
  })

describe("tools that a server of a session adds later", () => {
  it.effect("are neither listed nor called, unless the client sets dynamicTools", () =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const { door } = client()
      const sessions = yield* sessionsFor(door)
      for (const meta of [undefined, null, {}, { "mcp-live": {} }, { "mcp-live": { dynamicTools: "true" } }, "x"]) {
        const { sessionId } = yield* sessions.create(asked(["fs"], meta))
        yield* sessions.prompt(sessionId, text("go"), signal)
        yield* setTools("fs", tools("echo", "late"))
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* namesOf(sessionId), ["mcp__fs__echo"])
        assert.isFalse(yield* callIn(sessionId, "mcp__fs__late"))
        yield* sessions.close(sessionId)
        yield* setTools("fs", tools("echo"))
      }
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { fs: { tools: tools("echo") } })))
  )

  const follows = (meta: unknown) =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const { door, until, updates } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked(["fs"], meta))
      yield* sessions.prompt(sessionId, text("go"), signal)
      yield* setTools("fs", tools("two", "three"))
      yield* TestClock.adjust("2 seconds")
      yield* until("notice", "tools of this session changed")
      const notice = updates.find((update) => update.sessionUpdate === "notice")
      assert.deepInclude(notice, {
        severity: "info",
        title: "The tools of this session changed.",
        description: "2 tools added: mcp__fs__two, mcp__fs__three\n1 tool gone: mcp__fs__echo"
      })
      assert.deepStrictEqual(yield* namesOf(sessionId), ["mcp__fs__two", "mcp__fs__three"])
      assert.isTrue(yield* callIn(sessionId, "mcp__fs__three"))
      assert.isFalse(yield* callIn(sessionId, "mcp__fs__echo"))
    })

  it.effect("are listed and reported when the client sets dynamicTools", () =>
    follows(DYNAMIC).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { fs: { tools: tools("echo") } })))
  )

  it.effect("are listed and reported when the configuration sets dynamicTools", () =>
    follows(undefined).pipe(
      Effect.scoped,
      Effect.provide(
        live([[{ say: "hi" }]], { fs: { tools: tools("echo") } }, { mcp: { servers: {}, acp: { dynamicTools: true } } })
      )
    )
  )

  it.effect("are limited by acp.maxTools", () =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const { door, until } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked(["fs"], DYNAMIC))
      yield* sessions.prompt(sessionId, text("go"), signal)
      yield* setTools("fs", tools("a", "b", "c", "d"))
      yield* TestClock.adjust("2 seconds")
      yield* until("notice", "tools of this session changed")
      assert.deepStrictEqual(yield* namesOf(sessionId), ["mcp__fs__a", "mcp__fs__b"])
      assert.isFalse(yield* callIn(sessionId, "mcp__fs__c"))
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live([[{ say: "hi" }]], { fs: { tools: tools("a") } }, { mcp: { servers: {}, acp: { maxTools: 2 } } })
      )
    )
  )

  it.effect("are reported a limited number of times", () =>
    Effect.gen(function* () {
      const { setTools } = yield* TestServers
      const { door, notices, until } = client()
      const sessions = yield* sessionsFor(door)
      const { sessionId } = yield* sessions.create(asked(["fs"], DYNAMIC))
      yield* sessions.prompt(sessionId, text("go"), signal)
      for (let change = 0; change < ACP_CHANGES_TOLD_MAX * 2; change++) {
        yield* setTools("fs", tools(`t${change}`))
        // Lists that keep changing are read ever less often.
        yield* TestClock.adjust("10 minutes")
      }
      yield* until("notice", "further changes are not reported")
      assert.lengthOf(notices(), ACP_CHANGES_TOLD_MAX + 1)
    }).pipe(Effect.scoped, Effect.provide(live([[{ say: "hi" }]], { fs: { tools: tools("echo") } })))
  )
})

/** A server with one tool that asks its host so often, and answers with what it got last. */
const asking = (method: string, params?: Record<string, unknown>): TestServer => ({
  tools: [
    {
      name: "ask",
      inputSchema: { type: "object" },
      handle: ({ times = 1 }: { readonly times?: number }, host: TestHost) =>
        Effect.forEach(Array.from({ length: times }), () =>
          host.ask(method, params).pipe(Effect.catch(({ code }) => Effect.succeed({ code })))
        ).pipe(Effect.map((answers) => ({ content: [], structuredContent: answers.at(-1) })))
    }
  ]
})

const answerIn = (sessionId: string, times = 1) =>
  Effect.gen(function* () {
    const { call } = (yield* (yield* SessionTools).get(sessionId))!
    return (yield* call("mcp__fs__ask", { times })).structuredContent
  })

const ROOTS = asking("roots/list")
const FORM = asking("elicitation/create", {
  mode: "form",
  message: "Which branch?",
  requestedSchema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] }
})
const URL = asking("elicitation/create", {
  mode: "url",
  message: "Please confirm",
  url: "https://example.com/confirm",
  elicitationId: "e1"
})

/** One session with the server, after its first turn. */
const session = (door: ReturnType<typeof client>["door"], hosts: Parameters<typeof sessionsFor>[1]) =>
  Effect.gen(function* () {
    const sessions = yield* sessionsFor(door, hosts)
    const { sessionId } = yield* sessions.create(asked(["fs"]))
    yield* sessions.prompt(sessionId, text("go"), signal)
    return { sessions, sessionId }
  })

describe("requests from a server of a session", () => {
  const hosted = (server: TestServer, more: object = {}) => {
    const hosts = new Map()
    return { hosts, layer: live([[{ say: "hi" }]], { fs: server }, more, { hosts }) }
  }

  it.effect("roots/list: returns the directory of the session", () => {
    const { hosts, layer } = hosted(ROOTS)
    return Effect.gen(function* () {
      const { sessionId, sessions } = yield* session(client().door, { hosts })
      assert.deepStrictEqual(yield* answerIn(sessionId), {
        roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }]
      })
      yield* sessions.close(sessionId)
      assert.strictEqual(hosts.size, 0)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("roots/list: is refused under acp.roots: false", () => {
    const { hosts, layer } = hosted(ROOTS, { mcp: { servers: {}, acp: { roots: false } } })
    return Effect.gen(function* () {
      const { sessionId } = yield* session(client().door, { hosts })
      assert.deepStrictEqual(yield* answerIn(sessionId), { code: -32601 })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("elicitation: a form goes to the client with the server's name, and a valid answer goes back", () => {
    const { hosts, layer } = hosted(FORM)
    const questions: Array<CreateElicitationRequest> = []
    const answers = [
      { action: "accept", content: { branch: "main" } },
      { action: "decline" },
      { action: "accept", content: { branch: 7 } },
      { action: "maybe" },
      null
    ]
    return Effect.gen(function* () {
      const { door } = client(undefined, ["form"], (question) =>
        Effect.sync(() => answers[questions.push(question) - 1])
      )
      const { sessionId } = yield* session(door, { hosts })
      assert.deepStrictEqual(yield* answerIn(sessionId), { action: "accept", content: { branch: "main" } })
      assert.deepStrictEqual(yield* answerIn(sessionId), { action: "decline" })
      // What is no answer is none of the person's.
      for (let more = 0; more < 3; more++) assert.deepStrictEqual(yield* answerIn(sessionId), { action: "cancel" })
      const question = questions[0] as Extract<CreateElicitationRequest, { mode: "form" }>
      assert.strictEqual(question.message, 'The MCP server "fs" asks:\n> Which branch?')
      assert.deepInclude(question, { sessionId, mode: "form" })
      assert.deepInclude(question.requestedSchema, { type: "object", required: ["branch"] })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("elicitation: a URL is shown with its host", () => {
    const { hosts, layer } = hosted(URL)
    const questions: Array<CreateElicitationRequest> = []
    return Effect.gen(function* () {
      const { door } = client(undefined, ["form", "url"], (question) =>
        Effect.sync(() => {
          questions.push(question)
          return { action: "accept" }
        })
      )
      const { sessionId } = yield* session(door, { hosts })
      assert.deepStrictEqual(yield* answerIn(sessionId), { action: "accept" })
      assert.deepStrictEqual(questions[0], {
        sessionId,
        mode: "url",
        message: 'The MCP server "fs" asks:\n> Please confirm\nThe address is at example.com.',
        url: "https://example.com/confirm",
        elicitationId: "e1"
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("elicitation: is declined when the client does not support the mode", () => {
    const { hosts, layer } = hosted(URL)
    return Effect.gen(function* () {
      for (const elicits of [[], ["form"]] as const) {
        const { door } = client(undefined, elicits, () => Effect.succeed({ action: "accept" }))
        const { sessionId } = yield* session(door, { hosts })
        assert.deepStrictEqual(yield* answerIn(sessionId), { action: "decline" })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("elicitation: is limited per minute, separately for each session", () => {
    const { hosts, layer } = hosted(FORM)
    return Effect.gen(function* () {
      const { door } = client(undefined, ["form"], () => Effect.succeed({ action: "decline" }))
      const one = yield* session(door, { hosts })
      const two = yield* one.sessions.create(asked(["fs"]))
      yield* one.sessions.prompt(two.sessionId, text("go"), signal)
      assert.deepStrictEqual(yield* answerIn(one.sessionId, ELICITATION_PER_MINUTE), { action: "decline" })
      assert.property(yield* answerIn(one.sessionId), "code")
      assert.deepStrictEqual(yield* answerIn(two.sessionId), { action: "decline" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("elicitation: is cancelled when the client fails", () => {
    const { hosts, layer } = hosted(FORM)
    return Effect.gen(function* () {
      const { door } = client(undefined, ["form"], () => Effect.fail("gone"))
      const { sessionId } = yield* session(door, { hosts })
      assert.deepStrictEqual(yield* answerIn(sessionId), { action: "cancel" })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("notices about the servers of a session", () => {
  it.effect("say once how many tools the rules hide", () =>
    Effect.gen(function* () {
      const { door, notices, until } = client()
      const sessions = yield* sessionsFor(door)
      yield* sessions.create(asked(["fs", "web"]))
      yield* until("notice")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(notices(), [
        "Rules of the configuration hide 3 tools of this session's servers (gateway.tools, agents.*.tools)."
      ])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live([], { fs: { tools: tools("a", "b", "c") }, web: { tools: tools("d") } }, { tools: { allow: ["fs/a"] } })
      )
    )
  )

  it.effect("say how many tools of each server are over the limit", () =>
    Effect.gen(function* () {
      const { door, until, updates } = client()
      const sessions = yield* sessionsFor(door)
      yield* sessions.create(asked(["one", "two", "three"]))
      yield* until("notice")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        updates.filter(({ sessionUpdate }) => sessionUpdate === "notice"),
        [
          {
            sessionUpdate: "notice",
            severity: "warning",
            title: "2003 tools left out: a session may have 100 (acp.maxTools).",
            description: '"two": 1951 of 2000 left out.\n"three": 52 of 102 left out.'
          }
        ]
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(live([], { one: { tools: many(1) }, two: { tools: many(2_000) }, three: { tools: many(102) } }))
    )
  )

  it.effect("say how to log in when a server needs a login", () =>
    Effect.gen(function* () {
      const { door, until, updates } = client()
      const sessions = yield* sessionsFor(door)
      yield* sessions.create(asked(["fs"]))
      yield* until("notice")
      const told = JSON.stringify(updates.find((update) => update.sessionUpdate === "notice"))
      assert.match(told, /needs a login/)
      assert.match(told, /in the editor's settings/)
      assert.match(told, /configure it in mcp-live and run mcp-live login fs then/)
      assert.notMatch(told, /Run: mcp-live login/)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live([], {
          fs: {
            faults: {
              refuseStarts: 9,
              refuseWith: (server) => new AuthRequired({ server, status: 401, remedy: "login" })
            }
          }
        })
      )
    )
  )
})
