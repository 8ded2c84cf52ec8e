/** The tools of our sessions at a real OpenClaw gateway, by both ways that they reach it. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { layerOpenClaw } from "../../src/layers/agent/AgentGateway.ts"
import * as ContentSanitizer from "../../src/layers/content/ContentSanitizer.ts"
import * as SessionToolInjector from "../../src/layers/agent/SessionToolInjector.ts"
import { entryName, newInstance, ownerOf } from "../../src/layers/agent/SessionToolInjector/names.ts"
import * as McpListener from "../../src/layers/listener/McpListener.ts"
import * as SessionToolsLayer from "../../src/layers/agent/SessionTools.ts"
import { isObject } from "../../src/schemas/data/Json.ts"
import { AgentGateway } from "../../src/services/agent/AgentGateway.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { SessionTools } from "../../src/services/agent/SessionTools.ts"
import { linkLayer } from "../support/openclawLink.ts"
import { textResult, toolRuntime, type TestTool } from "../support/toolRuntime.ts"
import { inFolder as folder } from "../support/folder.ts"

const real = inject("openclaw")
const MINUTES = 60_000
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** A process of its own, as far as the gateway can tell. */
const live = (directory: string, injector: typeof SessionToolInjector.layer) =>
  layerOpenClaw({ directory, ownServers: false }).pipe(
    Layer.provide([Layer.fresh(injector), Layer.succeed(McpRuntime, toolRuntime({}))]),
    Layer.provide(McpListener.layer),
    Layer.provide(ContentSanitizer.layer),
    Layer.provideMerge(SessionToolsLayer.layer),
    Layer.provideMerge(linkLayer({ url: real!.url, token: real!.token, directory }))
  )

const ask = (key: string, message: string) =>
  Effect.gen(function* () {
    const events = yield* AgentGateway.use((agent) => Stream.runCollect(agent.send(key, message)))
    const text = events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])).join("")
    return { text, results: events.flatMap((event) => (event._tag === "ToolResult" ? [event.result] : [])) }
  })

const servers = Effect.gen(function* () {
  const { operator } = yield* GatewayLink
  const answer = yield* operator.request("config.get", {})
  const config = isObject(answer) && isObject(answer["config"]) ? answer["config"] : {}
  const mcp = isObject(config["mcp"]) ? config["mcp"] : {}
  return isObject(mcp["servers"]) ? mcp["servers"] : {}
})

const says = (who: string): TestTool => ({
  parameters: { type: "object", properties: { text: { type: "string" } } },
  run: (args) => Effect.succeed(textResult(`${who} heard ${JSON.stringify(args)}`))
})

const pixel: TestTool = {
  run: () => Effect.succeed({ ...textResult(""), content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] })
}

const READ = 'CALL .*mcp__fs__read {"text":"hi"}'

for (const [way, injector, others] of [
  ["as an MCP server on this machine", SessionToolInjector.layerEndpoint, /NO SUCH TOOL/],
  ["as tools of a node", SessionToolInjector.layerNode, /belongs to another session/]
] as const) {
  describe.skipIf(real === undefined)(`a session's tools at an OpenClaw gateway, ${way}`, () => {
    it.live(
      "are called for the session that they belong to, and for no other",
      () =>
        Effect.gen(function* () {
          const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
          yield* Effect.gen(function* () {
            const { clear, set } = yield* SessionTools
            yield* set(a, toolRuntime({ mcp__fs__read: says("A"), mcp__fs__pixel: pixel }))
            yield* set(b, toolRuntime({ mcp__fs__read: says("B"), mcp__fs__pixel: pixel }))
            assert.include((yield* ask(a, READ)).text, 'A heard {"text":"hi"}')
            assert.include((yield* ask(b, READ)).text, 'B heard {"text":"hi"}')
            assert.match((yield* ask(c, READ)).text, others)
            const { results } = yield* ask(a, "CALL .*mcp__fs__pixel {}")
            assert.deepStrictEqual(results[0]?.content, [{ type: "image", data: PIXEL, mimeType: "image/png" }])
            yield* clear(a)
            assert.include((yield* ask(b, READ)).text, 'B heard {"text":"hi"}')
            // A session that had tools and lost them goes on, without them or with others.
            assert.match((yield* ask(a, READ)).text, others)
            yield* set(a, toolRuntime({ mcp__fs__read: says("A, again,") }))
            assert.include((yield* ask(a, READ)).text, 'A, again, heard {"text":"hi"}')
            yield* clear(a)
            yield* clear(b)
            assert.deepStrictEqual(
              Object.keys(yield* servers).filter((name) => ownerOf(name) !== undefined),
              []
            )
          }).pipe(Effect.provide(live(yield* folder, injector)))
        }),
      5 * MINUTES
    )

    it.live(
      "are interrupted when the answer is",
      () =>
        Effect.gen(function* () {
          const key = randomUUID()
          const begun = yield* Deferred.make<void>()
          const interrupted = yield* Deferred.make<void>()
          const slow: TestTool = {
            run: () =>
              Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
                Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
              )
          }
          yield* Effect.gen(function* () {
            const { clear, set } = yield* SessionTools
            yield* set(key, toolRuntime({ mcp__fs__slow: slow, mcp__fs__read: says("still here") }))
            const asking = yield* Effect.forkChild(ask(key, "CALL .*mcp__fs__slow {}"))
            yield* Deferred.await(begun)
            yield* Fiber.interrupt(asking)
            yield* Deferred.await(interrupted)
            assert.include((yield* ask(key, READ)).text, "still here heard")
            yield* clear(key)
          }).pipe(Effect.provide(live(yield* folder, injector)))
        }),
      5 * MINUTES
    )
  })
}

describe.skipIf(real === undefined)("what a killed process has left at an OpenClaw gateway", () => {
  it.live(
    "is taken away at the next start",
    () =>
      Effect.gen(function* () {
        const left = entryName(newInstance(), 1)
        yield* Effect.gen(function* () {
          const { operator } = yield* GatewayLink
          const { hash } = (yield* operator.request("config.get", {})) as { readonly hash: string }
          const entry = { url: `http://127.0.0.1:1/${left}`, transport: "streamable-http", enabled: false }
          yield* operator.request("config.patch", {
            baseHash: hash,
            raw: JSON.stringify({ mcp: { servers: { [left]: entry } } })
          })
          assert.property(yield* servers, left)
          // Another process, in which nobody says anything.
          yield* Effect.gen(function* () {
            yield* AgentGateway
            while (Object.hasOwn(yield* servers, left)) yield* Effect.sleep(200)
          }).pipe(Effect.provide(live(yield* folder, SessionToolInjector.layerEndpoint), { local: true }))
        }).pipe(Effect.provide(live(yield* folder, SessionToolInjector.layerEndpoint)))
      }),
    5 * MINUTES
  )
})
