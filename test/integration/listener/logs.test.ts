/** What handlers say for a client's log, and who hears it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { inFixtures } from "../../fixtures/servers.ts"
import { LISTENER_LOGS_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { LOG_LEVELS, type LogMessage } from "../../../src/schemas/connection/LogMessage.ts"
import { listening, streaming, TOKENS } from "../../support/listener.ts"
import { connected, ERAS, type Era, type TestClient } from "../../support/mcpClients.ts"
import { ask, begin, sessionOf, type Answer } from "../../support/rawHttp.ts"
import { rowsInFull } from "../../support/full.ts"

const PROGRAM = inFixtures("listener/stdio.ts")
const { me } = TOKENS
const [LEGACY, MODERN] = ERAS as readonly [Era, Era]
const LOG_LEVEL = "io.modelcontextprotocol/logLevel"
const RELATED = "io.modelcontextprotocol/related-task"
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } }
const ADA = { action: "accept", content: { name: "Ada" } }

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const overStdio = (era: Era) => connected(era, { command: process.execPath, args: [PROGRAM] })

const overHttp = (era: Era) => Effect.flatMap(listening(), ({ url }) => connected(era, { url, token: me }))

/** A call at whose beginning a client wants to hear from this level on. */
const callAt = (era: Era, client: TestClient, name: string, level: string) =>
  Effect.promise(async () => {
    if (era === LEGACY) await client.request("logging/setLevel", { level })
    const meta = era === MODERN ? { _meta: { [LOG_LEVEL]: level } } : {}
    return client.request("tools/call", { name, arguments: {}, ...meta })
  })

const logOf = (client: TestClient): ReadonlyArray<LogMessage> => {
  const heard: Array<LogMessage> = []
  client.on("log", (said) => heard.push(JSON.parse(said!) as LogMessage))
  return heard
}

const levelsOf = (heard: ReadonlyArray<LogMessage>) => heard.map(({ level }) => level)

for (const [way, meet] of [
  ["stdio", overStdio],
  ["HTTP", overHttp]
] as const) {
  for (const era of rowsInFull(ERAS, [way === "stdio" ? "2026-07-28" : "2025-11-25"])) {
    describe(`${way}, ${era}`, () => {
      live("a client gets messages from the level on that it sets", () =>
        Effect.gen(function* () {
          const client = yield* meet(era)
          assert.property(client.capabilities(), "logging")
          const heard = logOf(client)
          yield* callAt(era, client, "log", "error")
          assert.deepStrictEqual(
            heard,
            (["error", "critical", "alert", "emergency"] as const).map((level) => ({
              level,
              data: { said: level },
              logger: "fixture"
            }))
          )
        })
      )

      live("a client that sets no level gets what its revision prescribes", () =>
        Effect.gen(function* () {
          const client = yield* meet(era)
          const heard = logOf(client)
          yield* Effect.promise(() => client.call("log"))
          assert.deepStrictEqual(levelsOf(heard), era === LEGACY ? LOG_LEVELS.slice(1) : [])
        })
      )

      live("a flood of it is cut off", () =>
        Effect.gen(function* () {
          const client = yield* meet(era)
          const heard = logOf(client)
          yield* callAt(era, client, "chatter", "debug")
          assert.deepStrictEqual(
            heard.map(({ data }) => data),
            Array.from({ length: LISTENER_LOGS_MAX + 1 }, (_, count) => count + 1)
          )
        })
      )
    })
  }
}

const said = ({ messages }: Answer) =>
  messages.flatMap(({ method, params }) => (method === "notifications/message" ? [params!["data"]] : []))

describe("a client with a session", () => {
  const opened = (url: string, capabilities: object = {}) =>
    Effect.gen(function* () {
      const start = yield* Effect.promise(() => begin(url, me, capabilities))
      const session = sessionOf(start)
      const put = (method: string, params: Record<string, unknown> = {}) =>
        Effect.promise(() => ask(LEGACY, url, me, method, params, { session }))
      return { capabilities: start.messages[0]!.result!["capabilities"] as object, put, session }
    })

  live("sets the level for itself, and gets messages about a request within its answer", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const [one, two] = [yield* opened(url), yield* opened(url)]
      yield* one.put("logging/setLevel", { level: "emergency" })
      assert.deepStrictEqual(said(yield* one.put("tools/call", { name: "log" })), [{ said: "emergency" }])
      assert.lengthOf(said(yield* two.put("tools/call", { name: "log" })), LOG_LEVELS.length - 1)
    })
  )

  live("cannot set a level that there is not", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { put } = yield* opened(url)
      const refused = yield* put("logging/setLevel", { level: "verbose" })
      assert.strictEqual(refused.messages[0]?.error?.code, -32_602)
      assert.lengthOf(said(yield* put("tools/call", { name: "log" })), LOG_LEVELS.length - 1)
    })
  )

  live("hears of a task on its own stream, with the name of the task", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ tasks: true })
      const { put, session } = yield* opened(url)
      const { message } = yield* streaming(url, session)
      const created = yield* put("tools/call", { name: "logAndWait", arguments: {}, task: {} })
      const { taskId } = created.messages.at(-1)!.result!["task"] as { readonly taskId: string }
      const last = yield* message(({ params }) => params?.["data"] === "at last")
      assert.deepStrictEqual(last.params, {
        level: "error",
        data: "at last",
        _meta: { [RELATED]: { taskId } }
      })
    })
  )

  live("gets no messages if the handlers offer no logging", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ logs: false })
      const { put } = yield* opened(url)
      assert.strictEqual((yield* put("logging/setLevel", { level: "debug" })).messages[0]?.error, undefined)
      assert.deepStrictEqual(said(yield* put("tools/call", { name: "log" })), [])
    })
  )
})

describe("a client without sessions", () => {
  const putTo =
    (url: string, capabilities: object = {}) =>
    (params: Record<string, unknown>, level?: string, method = "tools/call") =>
      Effect.promise(() =>
        ask(MODERN, url, me, method, params, {
          capabilities,
          meta: level === undefined ? {} : { [LOG_LEVEL]: level }
        })
      )

  live("names a level for one request, and for no other", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const put = putTo(url)
      assert.deepStrictEqual(said(yield* put({ name: "log" }, "alert")), [{ said: "alert" }, { said: "emergency" }])
      assert.deepStrictEqual(said(yield* put({ name: "log" })), [])
      const refused = yield* put({ level: "debug" }, undefined, "logging/setLevel")
      assert.strictEqual(refused.status, 404)
      assert.strictEqual(refused.messages[0]?.error?.code, -32_601)
    })
  )

  live("gets earlier messages with the question, and later ones with the answer", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const put = putTo(url, { elicitation: { form: {} } })
      const asked = yield* put({ name: "logAround" }, "debug")
      assert.deepStrictEqual(said(asked), ["before", "just before"])
      const { inputRequests, requestState } = asked.messages.at(-1)!.result as Record<string, object>
      const inputResponses = Object.fromEntries(Object.keys(inputRequests!).map((key) => [key, ADA]))
      const answered = yield* put({ name: "logAround", requestState, inputResponses }, "debug")
      assert.deepStrictEqual(said(answered), ["after"])
    })
  )

  live("gets no messages of a call that became a task", () =>
    Effect.gen(function* () {
      const put = yield* Effect.map(listening({ tasks: true }), ({ url }) => putTo(url, TASKS))
      const call = yield* Effect.forkScoped(put({ name: "logAndWait", arguments: {} }, "debug"))
      const answer = yield* Fiber.join(call)
      assert.deepStrictEqual(said(answer), ["at first"])
      assert.strictEqual(answer.messages.at(-1)?.result?.["resultType"], "task")
    })
  )

  live("is offered no logging and gets no messages if the handlers offer none", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ logs: false })
      const put = putTo(url)
      const { messages } = yield* put({}, undefined, "server/discover")
      assert.notProperty(messages[0]!.result!["capabilities"], "logging")
      assert.deepStrictEqual(said(yield* put({ name: "log" }, "debug")), [])
    })
  )
})
