import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { layerScripted, type Script } from "../../../../src/layers/agent/AgentGateway.ts"
import * as Redactor from "../../../../src/layers/content/Redactor.ts"
import * as SessionToolsLayer from "../../../../src/layers/agent/SessionTools.ts"
import type { AgentEvent } from "../../../../src/schemas/agent/AgentEvent.ts"
import { ResourceNotFound } from "../../../../src/schemas/call/CallError.ts"
import { AgentGateway, type SendOptions } from "../../../../src/services/agent/AgentGateway.ts"
import { McpRuntime, type CallOptions, type McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { SessionTools } from "../../../../src/services/agent/SessionTools.ts"
import { result, runtimeOf, tool } from "./gateway.ts"

/** One that says whose it is. */
const ofOwner = (owner: string, names: ReadonlyArray<string>, more: Partial<McpRuntimeShape> = {}) =>
  runtimeOf(({ name }) => Effect.succeed(result(`${owner}: ${name}`)), {
    tools: Effect.succeed(names.map(tool)),
    allTools: Effect.succeed(names.map(tool)),
    ...more
  })

const agent = (script: Script, runtime: McpRuntimeShape = ofOwner("agent", ["mcp_fs_read", "shared"])) =>
  layerScripted(script).pipe(
    Layer.provideMerge(SessionToolsLayer.layer),
    Layer.provide([Layer.succeed(McpRuntime, runtime), Redactor.layer])
  )

const say = (key: string, options?: SendOptions) =>
  AgentGateway.use(({ send }) => Stream.runCollect(send(key, "go", options)))

const answers = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) =>
    event._tag === "ToolResult"
      ? event.result.content.map((block) => (block.type === "text" ? block.text : block.mimeType))
      : []
  )

describe("session tools in AgentGateway", () => {
  const script: Script = [[{ call: "mcp__a__read" }, { call: "mcp_fs_read" }, { call: "shared" }]]

  it.effect("are added to the agent's tools, which take precedence", () =>
    Effect.gen(function* () {
      const tools = yield* SessionTools
      yield* tools.set("one", ofOwner("one", ["mcp__a__read", "shared"]))
      assert.deepStrictEqual(answers(yield* say("one")), ["one: mcp__a__read", "agent: mcp_fs_read", "agent: shared"])
    }).pipe(Effect.provide(agent(script)))
  )

  it.effect("are available in their session only, until they are cleared", () =>
    Effect.gen(function* () {
      const tools = yield* SessionTools
      yield* tools.set("one", ofOwner("one", ["mcp__a__read"]))
      yield* tools.set("two", ofOwner("two", ["mcp__a__read"]))
      assert.strictEqual(answers(yield* say("one"))[0], "one: mcp__a__read")
      assert.strictEqual(answers(yield* say("two"))[0], "two: mcp__a__read")
      assert.strictEqual(answers(yield* say("three"))[0], "agent: mcp__a__read")
      yield* tools.clear("one")
      assert.strictEqual(answers(yield* say("one"))[0], "agent: mcp__a__read")
    }).pipe(Effect.provide(agent(script)))
  )

  it.effect("are joined with the agent's servers, resources and status, where the agent's come first", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const note = (owner: string) => ({
        reset: (server: string) => Effect.sync(() => seen.push(`${owner} resets ${server}`) > 0),
        readResource: (uri: string) =>
          Effect.andThen(
            Effect.sync(() => void seen.push(`${owner} reads ${uri}`)),
            Effect.fail(new ResourceNotFound({ uri, detail: owner }))
          ),
        resources: Effect.succeed(
          (owner === "agent" ? ["x:both"] : ["x:both", "x:session"]).map((uri) => ({ uri }) as never)
        ),
        status: Effect.succeed(
          Object.fromEntries((owner === "agent" ? ["fs"] : ["fs", "own"]).map((name) => [name, { of: owner } as never]))
        )
      })
      const { join } = yield* Effect.promise(() => import("../../../../src/layers/agent/AgentGateway/joined.ts"))
      const joined = join(ofOwner("agent", [], note("agent")), ofOwner("session", [], note("session")))
      assert.deepStrictEqual(yield* joined.status as Effect.Effect<unknown>, {
        fs: { of: "agent" },
        own: { of: "session" }
      })
      yield* joined.reset("fs")
      yield* joined.reset("own")
      const details: Array<string> = []
      for (const uri of ["x:both", "x:session", "x:none"]) {
        details.push((yield* Effect.flip(joined.readResource(uri))).message)
      }
      assert.deepStrictEqual(seen, [
        "agent resets fs",
        "session resets own",
        "agent reads x:both",
        "session reads x:both",
        "session reads x:session",
        "agent reads x:none",
        "session reads x:none"
      ])
      assert.include(details[2], "agent")
    })
  )
})

describe("a tool call in AgentGateway", () => {
  it.effect("passes its approval question to the client with its id and session", () =>
    Effect.gen(function* () {
      const given: Array<CallOptions | undefined> = []
      const asking: McpRuntimeShape = {
        ...ofOwner("agent", ["mcp_fs_read"]),
        call: (_, __, options) =>
          Effect.gen(function* () {
            given.push(options)
            const { approver } = options!
            const question = { tool: "read" } as never
            const answer = approver!.approve(question, AbortSignal.timeout(60_000))
            return result(String(Effect.isEffect(answer) ? yield* Effect.orDie(answer) : answer))
          })
      }
      const asked: Array<unknown> = []
      const events = yield* say("s1", {
        approve: (question, call) => Effect.sync(() => (asked.push([question, call]), "once" as const))
      }).pipe(Effect.provide(agent([[{ call: "mcp_fs_read" }]], asking)))
      const called = events.find((event) => event._tag === "ToolCall")!
      assert.deepStrictEqual(asked, [[{ tool: "read" }, { id: called.id, name: "mcp_fs_read" }]])
      assert.strictEqual(given[0]?.approver?.session, "s1")
      assert.deepStrictEqual(answers(events), ["once"])
    })
  )

  it.effect("emits its progress", () =>
    Effect.gen(function* () {
      const progress = { progress: 1, total: 2, message: "half" }
      const busy: McpRuntimeShape = {
        ...ofOwner("agent", ["mcp_fs_read"]),
        call: (_, __, options) => Effect.sync(() => (options?.onProgress?.(progress), result("done")))
      }
      const events = yield* say("s").pipe(Effect.provide(agent([[{ call: "mcp_fs_read" }]], busy)))
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["ToolCall", "ToolProgress", "ToolResult", "Done"]
      )
      assert.deepInclude(events[1], { progress })
    })
  )
})
