import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import {
  ANSWERS_UNTAKEN_MAX,
  HOST_REQUESTS_MAX,
  HOST_REQUESTS_PER_SECOND
} from "../../src/schemas/defaults/HostRequests.ts"
import type { JsonObject } from "../../src/schemas/data/Json.ts"
import { HostFeatures } from "../../src/services/content/HostFeatures.ts"
import type { ServerConnection, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { everything, MODERN, serverPath, serving } from "../fixtures/servers.ts"
import { callTool, connectorWith, httpConfig, open, stdioConfig, textOf } from "../support/connector.ts"
import { fakeHost, refuse, type FakeHost } from "../support/host.ts"
import { pauses } from "../support/pause.ts"

/** Everything that `server-everything` wants to see before it shows all its tools. */
const CAPABILITIES: JsonObject = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} }
}

const scenario = (
  name: string,
  host: FakeHost,
  body: Effect.Effect<void, unknown, ServerConnector | HostFeatures | Scope.Scope>
) => it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorWith(fakeHost(host)))))

const openEverything = open(stdioConfig(process.execPath, [serverPath("everything"), "stdio"]))

/** A server of one script; `say` writes a message, `on` gets every message of the client's that it does not know. */
const script = (on: string) =>
  open(
    stdioConfig(process.execPath, [
      "-e",
      `
      const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
      const state = {}
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const message = JSON.parse(line)
        const { id, method, params } = message
        if (method === "initialize") {
          return say({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } } })
        }
        if (method === "tools/list") return say({ id, result: { tools: [] } })
        if (method === "server/discover") return say({ id, error: { code: -32601, message: "no" } })
        ;(${on})(message, state)
      })`
    ])
  )

const call = (connection: ServerConnection, name: string, args: Record<string, unknown> = {}, idleMs?: number) =>
  Effect.map(callTool(connection, name, args, idleMs), textOf)

const isAnswer = (body: unknown) => typeof body === "object" && body !== null && !("method" in body)

const answers: NonNullable<FakeHost["answers"]> = {
  "roots/list": () => Effect.succeed({ roots: [{ uri: "file:///work", name: "work" }] }),
  "sampling/createMessage": () =>
    Effect.succeed({ role: "assistant", content: { type: "text", text: "forty-two" }, model: "fake" }),
  "elicitation/create": ({ message }) =>
    Effect.succeed({ action: "accept", content: { name: `asked: ${String(message).slice(0, 14)}` } })
}

describe.concurrent("what servers ask: a real server over stdio", () => {
  scenario(
    "gets roots, completions and answers",
    { capabilities: CAPABILITIES, answers },
    Effect.gen(function* () {
      const connection = yield* openEverything
      const names = connection.catalogue.tools.map(({ name }) => name)
      assert.includeMembers(names, ["get-roots-list", "trigger-sampling-request", "trigger-url-elicitation"])
      assert.include(yield* call(connection, "get-roots-list"), "file:///work")
      assert.include(yield* call(connection, "trigger-sampling-request", { prompt: "?", maxTokens: 10 }), "forty-two")
      const elicited = yield* callTool(connection, "trigger-elicitation-request")
      assert.include(JSON.stringify(elicited), "asked: Please provide")
    })
  )

  scenario(
    "gets refusals in words, and goes on",
    { capabilities: CAPABILITIES, answers: { "sampling/createMessage": () => refuse } },
    Effect.gen(function* () {
      const connection = yield* openEverything
      assert.include(
        yield* call(connection, "trigger-sampling-request", { prompt: "?", maxTokens: 10 }),
        "the person said no"
      )
      assert.include(yield* call(connection, "echo", { message: "hi" }), "hi")
    })
  )

  scenario(
    "asks for nothing when it is told that nothing is offered",
    {},
    Effect.gen(function* () {
      const connection = yield* openEverything
      const names = connection.catalogue.tools.map(({ name }) => name)
      for (const name of ["get-roots-list", "trigger-sampling-request", "trigger-elicitation-request"]) {
        assert.notInclude(names, name)
      }
    })
  )

  let generation = 0
  scenario(
    "is told of new roots",
    {
      capabilities: CAPABILITIES,
      answers: { "roots/list": () => Effect.sync(() => ({ roots: [{ uri: `file:///space/${generation}` }] })) }
    },
    Effect.gen(function* () {
      const connection = yield* openEverything
      assert.include(yield* call(connection, "get-roots-list"), "file:///space/0")
      generation = 1
      yield* (yield* HostFeatures).setRoots([])
      // The server asks for them before it sees the next call, or soon after.
      const seen = yield* Effect.repeat(call(connection, "get-roots-list"), {
        schedule: pauses,
        until: (text) => text.includes("file:///space/1")
      })
      assert.include(seen, "file:///space/1")
    })
  )

  scenario(
    "a person may take longer than a server may be silent",
    {
      capabilities: CAPABILITIES,
      answers: { "elicitation/create": () => Effect.delay(Effect.succeed({ action: "decline" }), 3_500) }
    },
    Effect.gen(function* () {
      const connection = yield* openEverything
      assert.include(yield* call(connection, "trigger-elicitation-request", {}, 2_500), "declined")
    })
  )

  const asked = Deferred.makeUnsafe<void>()
  let stopped = false
  scenario(
    "the end of the connection takes its questions back",
    {
      capabilities: CAPABILITIES,
      answers: {
        "elicitation/create": () =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => (stopped = true)))
          )
      }
    },
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(openEverything, scope)
      const fiber = yield* Effect.forkChild(Effect.flip(call(connection, "trigger-elicitation-request")))
      yield* Deferred.await(asked)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ConnectionLost")
      assert.isTrue(stopped)
    })
  )
})

describe.concurrent("what servers ask: a server of 2026-07-28", () => {
  const servers = {
    stdio: open(stdioConfig(process.execPath, [MODERN, "stdio"])),
    http: Effect.flatMap(serving("/mcp", MODERN, "http"), ({ url }) => open(httpConfig(url)))
  }
  for (const [transport, openModern] of Object.entries(servers)) {
    scenario(
      `gets roots, completions and answers by asking again, over ${transport}`,
      { capabilities: CAPABILITIES, answers },
      Effect.gen(function* () {
        const connection = yield* openModern
        assert.strictEqual(connection.info.era, "modern")
        assert.include(yield* call(connection, "get-roots-list"), "file:///work")
        assert.include(yield* call(connection, "trigger-sampling-request", { prompt: "?" }), "forty-two")
        const elicited = yield* callTool(connection, "trigger-elicitation-request")
        assert.include(JSON.stringify(elicited), "asked: Please provide")
      })
    )

    scenario(
      `a refusal ends the call in words, over ${transport}`,
      { capabilities: CAPABILITIES, answers: { "sampling/createMessage": () => refuse } },
      Effect.gen(function* () {
        const connection = yield* openModern
        const error = yield* Effect.flip(call(connection, "trigger-sampling-request", { prompt: "?" }))
        assert.strictEqual(error._tag, "ProtocolError")
        assert.include(error.message, "the person said no")
        assert.include(yield* call(connection, "echo", { message: "hi" }), "hi")
      })
    )
  }
})

describe.concurrent("what servers ask: a real server over HTTP", () => {
  for (const mode of ["streamableHttp", "sse"] as const) {
    scenario(
      `gets answers over ${mode}`,
      {
        capabilities: CAPABILITIES,
        answers: { "elicitation/create": () => Effect.succeed({ action: "accept", content: { name: "Ada" } }) }
      },
      Effect.gen(function* () {
        const { url } = yield* everything(mode)
        const connection = yield* open(httpConfig(url, mode === "sse" ? "sse" : "http"))
        const elicited = yield* callTool(connection, "trigger-elicitation-request")
        assert.include(JSON.stringify(elicited), "Ada")
      })
    )
  }
})

describe.concurrent("what servers are not told", () => {
  scenario(
    "of new roots, unless they were told of roots",
    {},
    Effect.gen(function* () {
      const connection = yield* script(`(message, state) => {
        state.heard ??= []
        if (message.method !== "tools/call") return void state.heard.push(message.method)
        say({ id: message.id, result: { content: [{ type: "text", text: JSON.stringify(state.heard) }] } })
      }`)
      yield* (yield* HostFeatures).setRoots([])
      yield* call(connection, "look")
      assert.strictEqual(yield* call(connection, "look"), '["notifications/initialized"]')
    })
  )
})

describe.concurrent("what servers ask: hostile servers", () => {
  let most = 0
  const release = Deferred.makeUnsafe<JsonObject>()
  scenario(
    "10,000 questions are a few, many refusals and then nothing; calls go on",
    { answers: { "elicitation/create": () => Effect.suspend(() => (most++, Deferred.await(release))) } },
    Effect.gen(function* () {
      const connection = yield* script(`(message, state) => {
        state.answers ??= []
        if (message.method === undefined) return void state.answers.push(message)
        if (message.method !== "tools/call") return
        if (message.params.name === "flood") {
          for (let i = 0; i < 10000; i++) say({ id: "q" + i, method: "elicitation/create", params: {} })
        }
        const refused = state.answers.filter(({ error }) => error !== undefined).length
        const text = JSON.stringify([refused, state.answers.length - refused])
        say({ id: message.id, result: { content: [{ type: "text", text }] } })
      }`)
      const began = performance.now()
      // By the answer to this all questions have been read.
      yield* call(connection, "flood")
      const seconds = (performance.now() - began) / 1_000
      assert.strictEqual(most, HOST_REQUESTS_MAX)
      yield* Deferred.succeed(release, { action: "decline" })
      const seen = yield* Effect.repeat(call(connection, "count"), {
        schedule: pauses,
        until: (text) => text.endsWith(",8]")
      })
      const [refused, answered] = JSON.parse(seen) as [number, number]
      assert.strictEqual(answered, HOST_REQUESTS_MAX)
      assert.isAtLeast(refused + answered, HOST_REQUESTS_PER_SECOND)
      assert.isAtMost(refused, Math.ceil(seconds + 1) * HOST_REQUESTS_PER_SECOND)
    })
  )

  for (const method of ["ping", "roots/list", "elicitation/create"]) {
    scenario(
      `a flood of ${method} over HTTP, by a server that takes no answers, holds no more than so many connections`,
      { answers },
      Effect.gen(function* () {
        const { connections, requests, url } = yield* httpServer(`takes-no-answers:${method}`)
        const connection = yield* open(httpConfig(url))
        const answered = () => requests.filter(({ body, verb }) => verb === "POST" && isAnswer(body)).length
        assert.strictEqual(yield* call(connection, "flood"), "asked")
        assert.strictEqual(yield* call(connection, "again"), "asked")
        const some = method === "ping" ? ANSWERS_UNTAKEN_MAX : HOST_REQUESTS_MAX
        yield* connection.ping.pipe(
          Effect.repeat({ schedule: pauses, until: () => answered() >= some }),
          Effect.timeout("30 seconds")
        )
        for (let i = 0; i < 10; i++) assert.isTrue(yield* connection.ping, "it goes on")
        assert.isAtMost(answered(), ANSWERS_UNTAKEN_MAX)
        // Besides: the stream of the session, those of the calls, and one or two that were used and are kept.
        assert.isAtMost(yield* connections, ANSWERS_UNTAKEN_MAX + 8)
      })
    )
  }

  const gate = Deferred.makeUnsafe<JsonObject>()
  scenario(
    "a question that is taken back is not answered any more",
    { answers: { "elicitation/create": () => Deferred.await(gate) } },
    Effect.gen(function* () {
      const connection = yield* script(`(message, state) => {
        state.answers ??= []
        if (message.method === undefined) return void state.answers.push(message.id)
        if (message.method !== "tools/call") return
        if (message.params.name === "ask") {
          for (const id of [1, "1", 2]) say({ id, method: "elicitation/create", params: {} })
          say({ method: "notifications/cancelled", params: { requestId: 1 } })
          say({ method: "notifications/cancelled", params: { requestId: message.id } })
        }
        say({ id: message.id, result: { content: [{ type: "text", text: JSON.stringify(state.answers) }] } })
      }`)
      assert.strictEqual(yield* call(connection, "ask"), "[]", "its cancellation of our own call is nothing")
      yield* Deferred.succeed(gate, { action: "decline" })
      // An answer to the first question would come before the others.
      const answered = yield* Effect.repeat(call(connection, "look"), {
        schedule: pauses,
        until: (text) => text.includes("2")
      })
      assert.deepStrictEqual(JSON.parse(answered), ["1", 2])
    })
  )
})
