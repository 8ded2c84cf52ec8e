import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { McpLiveTest } from "../../src/testing.ts"
import { layerServers, type TestServer } from "../../src/testing/TestServers.ts"
import type { TestHost, TestPrompt, TestResource, TestResourceTemplate, TestTool } from "../../src/testing/TestData.ts"
import { fakeHost, type FakeHost } from "../support/host.ts"
import { serverConfig } from "../support/serverConfig.ts"

const OPTIONS = { idleMs: 60_000, totalMs: 600_000 }

const connected = (server: TestServer, host?: FakeHost) =>
  Effect.gen(function* () {
    const connection = yield* (yield* ServerConnector).open(serverConfig("fs"))
    const ask = (method: string, params: Record<string, unknown>) => connection.request(method, params, OPTIONS)
    return { ...connection, ask }
  }).pipe(
    Effect.provide(
      host === undefined ? layerServers({ fs: server }) : Layer.merge(layerServers({ fs: server }), fakeHost(host))
    )
  )

const text = (said: string) => ({ content: [{ type: "text", text: said }] })

describe("TestServers: what a server offers", () => {
  it.effect("resources are read as they say", () =>
    Effect.gen(function* () {
      const resources: ReadonlyArray<TestResource> = [
        { uri: "test://a", name: "a" },
        { uri: "test://b", name: "b", mimeType: "text/markdown", read: (uri) => `read ${uri}` },
        { uri: "test://c", name: "c", read: () => ({ contents: "nonsense" }) }
      ]
      const resourceTemplates: ReadonlyArray<TestResourceTemplate> = [
        { uriTemplate: "test://item/{id}/x", name: "item", read: (uri) => uri }
      ]
      const { ask, catalogue } = yield* connected({ resources, resourceTemplates })
      assert.deepInclude(catalogue.offers, { resources: true, subscriptions: true, prompts: false, completions: false })
      const read = (uri: string) => ask("resources/read", { uri })
      assert.deepStrictEqual(yield* read("test://a"), {
        contents: [{ uri: "test://a", mimeType: "text/plain", text: "a" }]
      })
      assert.deepStrictEqual(yield* read("test://b"), {
        contents: [{ uri: "test://b", mimeType: "text/markdown", text: "read test://b" }]
      })
      assert.deepStrictEqual(yield* read("test://c"), { contents: "nonsense" })
      assert.deepStrictEqual(yield* read("test://item/5/x"), {
        contents: [{ uri: "test://item/5/x", mimeType: "text/plain", text: "test://item/5/x" }]
      })
      for (const uri of ["test://d", "test://item/5/6/x", "test://item/5/xx"]) {
        assert.deepInclude(yield* Effect.flip(read(uri)), { _tag: "ProtocolError", code: -32002 })
      }
    })
  )

  it.effect("prompts are filled in, and completed", () =>
    Effect.gen(function* () {
      const prompts: ReadonlyArray<TestPrompt> = [
        { name: "plain" },
        {
          name: "greet",
          arguments: [{ name: "who" }],
          get: ({ who }) => `Hello ${String(who)}`,
          complete: ({ value }) => ["Ada", "Alan"].filter((name) => name.startsWith(value))
        }
      ]
      const { ask, catalogue } = yield* connected({ prompts })
      assert.deepInclude(catalogue.offers, { resources: false, prompts: true, completions: true })
      const message = (said: string) => ({ messages: [{ role: "user", content: { type: "text", text: said } }] })
      assert.deepStrictEqual(yield* ask("prompts/get", { name: "plain" }), message("plain {}"))
      assert.deepStrictEqual(
        yield* ask("prompts/get", { name: "greet", arguments: { who: "Ada" } }),
        message("Hello Ada")
      )
      const complete = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "Ad" } }
      assert.deepStrictEqual(yield* ask("completion/complete", complete), {
        completion: { values: ["Ada"], total: 1, hasMore: false }
      })
      assert.deepInclude(yield* Effect.flip(ask("prompts/get", { name: "no" })), { code: -32602 })
      assert.deepInclude(yield* Effect.flip(ask("no/such", {})), { code: -32601 })
    })
  )

  it.effect("nothing is offered unless it is given", () =>
    Effect.gen(function* () {
      const { catalogue } = yield* connected({})
      assert.deepStrictEqual(catalogue.offers, {
        resources: false,
        subscriptions: false,
        prompts: false,
        completions: false
      })
      assert.lengthOf(catalogue.tools, 1)
    })
  )
})

describe("TestServers: the whole runtime", () => {
  it.effect("gives a tool the host of the runtime", () =>
    Effect.gen(function* () {
      const { call } = yield* McpRuntime
      const result = yield* call("mcp_fs_x", {})
      assert.include(JSON.stringify(result.content), "decline, says fs")
    }).pipe(
      Effect.provide(
        McpLiveTest(
          {
            fs: {
              tools: [
                {
                  name: "x",
                  handle: (_args: unknown, host: TestHost) =>
                    Effect.map(
                      host.ask("elicitation/create", {
                        message: "sure?",
                        requestedSchema: { type: "object", properties: {} }
                      }),
                      ({ action }) => text(`${String(action)}, says fs`)
                    )
                }
              ]
            }
          },
          { host: { elicit: () => Effect.succeed({ action: "decline" }) } }
        )
      )
    )
  )
})

describe("TestServers: tools", () => {
  const tools = (handle: NonNullable<TestTool["handle"]>) => ({ tools: [{ name: "x", handle }] })
  const CALL = { name: "x", arguments: { a: 1 } }

  it.effect("answer with a value, a promise or an Effect", () =>
    Effect.gen(function* () {
      for (const given of [text("done"), Promise.resolve(text("done")), Effect.succeed(text("done"))]) {
        const { ask } = yield* connected(tools(() => given))
        assert.deepStrictEqual(yield* ask("tools/call", CALL), text("done"))
      }
    })
  )

  it.effect("ask the host, however long that takes", () =>
    Effect.gen(function* () {
      const server = tools((_args, host) =>
        Effect.map(host.ask("elicitation/create", { message: "sure?" }), (answer) => text(JSON.stringify(answer)))
      )
      const { ask } = yield* connected(server, {
        answers: {
          "elicitation/create": ({ message }) =>
            Effect.delay(Effect.succeed({ action: "accept", content: { message: String(message) } }), "5 minutes")
        }
      })
      const fiber = yield* Effect.forkChild(ask("tools/call", CALL))
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* Fiber.join(fiber), text('{"action":"accept","content":{"message":"sure?"}}'))
    })
  )

  it.effect("get an error for a feature that no host offers", () =>
    Effect.gen(function* () {
      const server = tools((_args, host) => host.ask("sampling/createMessage"))
      for (const host of [undefined, {}]) {
        const { ask } = yield* connected(server, host)
        assert.deepInclude(yield* Effect.flip(ask("tools/call", CALL)), { _tag: "ProtocolError", code: -32601 })
      }
    })
  )

  it.effect("report progress, which shows that they are alive", () =>
    Effect.gen(function* () {
      const server = tools((_args, host) =>
        Effect.gen(function* () {
          for (let progress = 1; progress <= 3; progress++) {
            yield* Effect.sleep("50 seconds")
            host.report({ progress, total: 3 })
          }
          return text("done")
        })
      )
      const heard: Array<unknown> = []
      const { request } = yield* connected(server)
      const fiber = yield* Effect.forkChild(
        request("tools/call", CALL, { ...OPTIONS, onProgress: (report) => heard.push(report) })
      )
      yield* TestClock.adjust("150 seconds")
      assert.deepStrictEqual(yield* Fiber.join(fiber), text("done"))
      assert.deepStrictEqual(
        heard,
        [1, 2, 3].map((progress) => ({ progress, total: 3 }))
      )
      const silent = yield* Effect.forkChild(
        Effect.flip(request("tools/call", CALL, { idleMs: 40_000, totalMs: 600_000 }))
      )
      yield* TestClock.adjust("40 seconds")
      assert.deepInclude(yield* Fiber.join(silent), { _tag: "CallTimeout", deadline: "idle" })
    })
  )
})
