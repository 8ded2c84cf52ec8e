/** Definitions that were listed before a secret became known. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { McpLiveTest, type TestServer } from "../../../../src/testing.ts"
import { EventLoop, makeEventLoop } from "../../../../src/system/EventLoop.ts"

const SECRET = "sk-live-0123456789abcdefghij"
const TOOLS = 2_000

const live = (servers: Record<string, TestServer>) => Layer.provideMerge(McpLiveTest(servers), Logger.layer([]))
const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: "object" } })

const listed = Effect.gen(function* () {
  const runtime = yield* McpRuntime
  return {
    tools: yield* runtime.tools,
    all: yield* runtime.allTools,
    resources: yield* runtime.resources,
    templates: yield* runtime.resourceTemplates,
    prompts: yield* runtime.prompts
  }
})

describe("definitions, after a secret became known", () => {
  it.effect("are masked in every list", () => {
    const description = `Uses ${SECRET}.`
    const servers = {
      a: {
        tools: [tool("t", description)],
        resources: [{ uri: "x://r", name: "r", description }],
        resourceTemplates: [{ uriTemplate: "x://{v}", name: "v", description }],
        prompts: [{ name: "p", description }]
      }
    }
    return Effect.gen(function* () {
      const before = yield* listed
      for (const list of Object.values(before)) assert.include(JSON.stringify(list), SECRET)
      assert.isTrue((yield* Redactor).register(SECRET))
      const after = yield* listed
      for (const list of Object.values(after)) {
        assert.include(JSON.stringify(list), "[REDACTED]")
        assert.notInclude(JSON.stringify(list), SECRET)
      }
    }).pipe(Effect.provide(live(servers)))
  })

  it.live("are sanitized again in several turns of the event loop, all before the next list", () => {
    const description = "It looks something up and says what it found. ".repeat(20)
    const servers = { a: { tools: Array.from({ length: TOOLS }, (_, index) => tool(`t${index}`, description)) } }
    return Effect.gen(function* () {
      yield* listed
      yield* Effect.sync((yield* Redactor).register.bind(undefined, SECRET))
      let turns = 0
      let isDone = false
      const count = () => {
        turns++
        if (!isDone) setImmediate(count)
      }
      setImmediate(count)
      const { allTools } = yield* McpRuntime
      assert.isAtLeast((yield* Effect.provideService(allTools, EventLoop, makeEventLoop())).length, TOOLS)
      isDone = true
      assert.isAbove(turns, 3)
    }).pipe(Effect.provide(live(servers)))
  })
})
