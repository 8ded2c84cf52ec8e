/** Resources and prompts through the whole runtime, over servers that live in memory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as ConfigSourceLayer from "../../../../src/layers/config/ConfigSource.ts"
import { LIST_CHANGED_DEBOUNCE_MS } from "../../../../src/schemas/defaults/Definitions.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import type { CallRecord } from "../../../../src/services/call/AuditLog.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import type { McpLiveOptions } from "../../../../src/layers/McpLive/options.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"
import { bodyOf, wrappedIn } from "../../../support/boundaries.ts"
import { others } from "./fakeServer.ts"
import { auditInto } from "../../../support/audit.ts"

const live = (servers: Record<string, TestServer>, options?: Omit<McpLiveOptions, "config">) =>
  McpLiveTest(servers, options).pipe(Layer.provideMerge(Logger.layer([])))

const textOf = ({ content: [block] }: Pick<ToolResult, "content">) => (block?.type === "text" ? bodyOf(block.text) : "")
const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
const bodiesOf = (context: string) => wrappedIn(context).map(({ body }) => body.split("\n").slice(1).join("\n"))

const notes = (words: () => string): TestServer => ({
  resources: [{ uri: "note://1", name: "One", read: words }],
  resourceTemplates: [{ uriTemplate: "note://{id}/lines", name: "Lines", complete: () => ["1", "2"] }],
  prompts: [
    {
      name: "summary",
      arguments: [{ name: "id", required: true }],
      get: ({ id }: Record<string, unknown>) => `Sum up ${String(id)}`,
      complete: ({ value }: { value: string }) => [`${value}1`]
    }
  ]
})

describe("McpRuntime: resources", () => {
  it.effect("are listed, read through the API and through tools, and included in the context", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const names = (yield* runtime.tools).map(({ name }) => name)
      assert.includeMembers(names, ["mcp_n_list_resources", "mcp_n_read_resource"])
      assert.strictEqual((yield* runtime.resources)[0]?.uri, "note://1")
      assert.strictEqual((yield* runtime.resourceTemplates)[0]?.uriTemplate, "note://{id}/lines")
      assert.strictEqual(textOf(yield* runtime.readResource("note://1")), "words")
      assert.include(textOf(yield* runtime.call("mcp_n_list_resources", {})), '- "note://1", "One"')
      assert.include(textOf(yield* runtime.call("mcp_n_read_resource", { uri: "note://7/lines" })), "Lines")
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["words"])
    }).pipe(Effect.provide(live({ n: notes(() => "words") })))
  )

  it.effect("return error results from their tools for an unknown URI or a missing argument", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.tools
      const missing = yield* runtime.call("mcp_n_read_resource", { uri: "note://none" })
      assert.strictEqual(tagOf(missing), "ResourceNotFound")
      assert.strictEqual(tagOf(yield* runtime.call("mcp_n_read_resource", {})), "InvalidArguments")
    }).pipe(Effect.provide(live({ n: notes(() => "words") })))
  )

  it.effect("have tools that follow the rules for tools", () => {
    const config = ConfigSourceLayer.layerObject({
      mcp: { servers: { n: { command: "in-memory" } } },
      gateway: { tools: { deny: ["n/read_*"] } }
    })
    return Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const names = (yield* runtime.tools).map(({ name }) => name)
      assert.include(names, "mcp_n_list_resources")
      assert.notInclude(names, "mcp_n_read_resource")
      assert.isTrue((yield* runtime.call("mcp_n_read_resource", { uri: "note://1" })).isError)
      assert.strictEqual((yield* TestServers).counts("n").calls, 0)
    }).pipe(Effect.provide(live({ n: notes(() => "words") }, { replace: { config } })))
  })

  it.effect("have tools whose calls are recorded", () => {
    const records: Array<CallRecord> = []
    const audit = auditInto(records)
    return Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.tools
      yield* runtime.call("mcp_n_list_resources", { query: "one" })
      const { agent, outcome, server, shape, tool } = records[0]!
      assert.deepStrictEqual(
        [agent, server, tool, outcome, shape()],
        ["main", "n", "list_resources", "ok", "{query: string(3)}"]
      )
    }).pipe(Effect.provide(live({ n: notes(() => "words") }, { replace: { audit } })))
  })

  it.effect("are read again for the next context after an update or a changed list", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const servers = yield* TestServers
      yield* runtime.ready
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["read 1"])
      yield* others
      assert.deepStrictEqual(servers.watched("n"), ["note://1"])
      yield* servers.announceResource("n", "note://1")
      yield* others
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["read 2"])
      yield* servers.setResources("n", [{ uri: "note://2", name: "Two", read: () => "new" }])
      yield* TestClock.adjust(LIST_CHANGED_DEBOUNCE_MS)
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["new"])
    }).pipe(
      Effect.provide(
        Layer.suspend(() => {
          let reads = 0
          return live({ n: notes(() => `read ${++reads}`) })
        })
      )
    )
  )

  it.effect("stay in the context while their server is down, and are read again after it restarts", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const servers = yield* TestServers
      yield* runtime.ready
      yield* runtime.resourceContext
      yield* servers.kill("n")
      yield* others
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["read 1"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(bodiesOf(yield* runtime.resourceContext), ["read 2"])
    }).pipe(
      Effect.provide(
        Layer.suspend(() => {
          let reads = 0
          return live({ n: notes(() => `read ${++reads}`) })
        })
      )
    )
  )

  it.effect("start a lazy server when they are read, but not for the context", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const { counts } = yield* TestServers
      assert.strictEqual(yield* runtime.resourceContext, "")
      assert.strictEqual(counts("n").opened, 0)
      assert.strictEqual(textOf(yield* runtime.readResource("note://1")), "words")
    }).pipe(Effect.provide(live({ n: { ...notes(() => "words"), config: { lazy: true } } })))
  )
})

describe("McpRuntime: prompts", () => {
  it.effect("are listed, filled in and completed", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.ready
      assert.deepStrictEqual(
        (yield* runtime.prompts).map(({ name }) => name),
        ["mcp_n_summary"]
      )
      const { messages } = yield* runtime.getPrompt("n/summary", { id: "7" })
      assert.strictEqual(textOf(messages[0]!), "Sum up 7")
      const argument = { name: "id", value: "4" }
      assert.deepStrictEqual((yield* runtime.complete({ type: "prompt", name: "summary" }, argument)).values, ["41"])
      const ref = { type: "resource", uriTemplate: "note://{id}/lines" } as const
      assert.deepStrictEqual((yield* runtime.complete(ref, argument)).values, ["1", "2"])
    }).pipe(Effect.provide(live({ n: notes(() => "words") })))
  )
})
