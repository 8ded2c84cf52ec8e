import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as AuditLogLayer from "../../../../src/layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "../../../../src/layers/config/ConfigSource.ts"
import { whole } from "../../../../src/layers/McpLive.ts"
import type { McpLiveOptions } from "../../../../src/layers/McpLive/options.ts"
import { RELOAD_DRAIN_MS } from "../../../../src/schemas/defaults/Reload.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { AgentRuntimes } from "../../../../src/services/call/AgentRuntimes.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { ConfigSource } from "../../../../src/services/config/ConfigSource.ts"
import { LiveConfig } from "../../../../src/services/config/LiveConfig.ts"
import { inStep } from "../../../../src/testing/inStep.ts"
import { layerServers, TestServers, type TestServer } from "../../../../src/testing/TestServers.ts"

/** A runtime over test servers, and how to give it another configuration. */
const running = Effect.fnUntraced(function* (
  servers: Readonly<Record<string, TestServer>>,
  first: object,
  options: McpLiveOptions = {}
) {
  let config = first
  const load = Effect.suspend(() =>
    ConfigSource.use((source) => source.load).pipe(Effect.provide(ConfigSourceLayer.layerObject(config)))
  )
  const connected = layerServers(servers)
  const layer = whole({
    ...options,
    replace: {
      config: Layer.succeed(ConfigSource, { load }),
      connector: connected,
      audit: AuditLogLayer.layer,
      ...options.replace
    }
  }).pipe(Layer.provideMerge(connected), Layer.provideMerge(inStep), Layer.provideMerge(Logger.layer([])))
  const context = yield* Layer.build(layer)
  const live = Context.get(context, LiveConfig)
  return {
    runtime: Context.get(context, McpRuntime),
    runtimes: Context.get(context, AgentRuntimes),
    servers: Context.get(context, TestServers),
    live,
    change: (next: object) =>
      Effect.suspend(() => {
        config = next
        return live.reload
      })
  }
})

const entry = (more: object = {}) => ({ command: "in-memory", ...more })
const mcp = (servers: object, more: object = {}) => ({ mcp: { servers, ...more } })
const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)
const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

describe("the servers of an agent when the configuration changes", () => {
  it.effect("an endless call delays a changed server for a limited time, and then fails", () =>
    Effect.gen(function* () {
      const { change, runtime, servers } = yield* running({ fs: { faults: { hang: true } } }, mcp({ fs: entry() }))
      yield* runtime.ready
      const call = yield* Effect.forkChild(runtime.call("mcp_fs_echo", {}))
      yield* TestClock.adjust(0)
      assert.strictEqual(servers.counts("fs").calls, 1)
      assert.deepStrictEqual((yield* change(mcp({ fs: entry({ env: { A: "1" } }) }))).change.restarted, ["fs"])
      yield* TestClock.adjust(RELOAD_DRAIN_MS - 1)
      assert.isUndefined(call.pollUnsafe())
      assert.strictEqual(servers.counts("fs").opened, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(tagOf(yield* Fiber.join(call)), "ConnectionLost")
      yield* runtime.ready
      assert.strictEqual(servers.counts("fs").opened, 2)
    })
  )

  it.effect("a server without a call is replaced at once, and its tools stay listed meanwhile", () =>
    Effect.gen(function* () {
      const slow = { fs: { faults: { connectTime: "5 seconds" } } } as const
      const { change, runtime, servers } = yield* running(slow, mcp({ fs: entry() }))
      yield* TestClock.adjust("5 seconds")
      const names = Effect.map(runtime.allTools, (tools) => tools.map(({ name }) => name))
      assert.include(yield* names, "mcp_fs_echo")
      yield* change(mcp({ fs: entry({ env: { A: "1" } }) }))
      yield* TestClock.adjust(1)
      assert.strictEqual(servers.counts("fs").attempts, 2)
      assert.strictEqual(servers.counts("fs").closed, 1)
      assert.include(yield* names, "mcp_fs_echo")
      // A call waits for the new one.
      const call = yield* Effect.forkChild(runtime.call("mcp_fs_echo", {}))
      yield* TestClock.adjust("5 seconds")
      assert.isFalse((yield* Fiber.join(call)).isError)
    })
  )

  it.effect("of another program, nothing that was listed is believed", () =>
    Effect.gen(function* () {
      const slow = { fs: { faults: { connectTime: "5 seconds" } } } as const
      const { change, runtime } = yield* running(slow, mcp({ fs: entry() }))
      yield* TestClock.adjust("5 seconds")
      yield* change(mcp({ fs: entry({ command: "another" }) }))
      assert.notInclude(
        (yield* runtime.allTools).map(({ name }) => name),
        "mcp_fs_echo"
      )
    })
  )

  it.effect(
    "a call that waits for approval is not sent to the server that took the place of the one it was meant for",
    () =>
      Effect.gen(function* () {
        const config = (env: object) => mcp({ fs: entry({ env, tools: { ask: ["echo"] } }) })
        let meanwhile: Effect.Effect<unknown> = Effect.void
        const approve = () =>
          Effect.as(
            Effect.suspend(() => meanwhile),
            "once" as const
          )
        const gateway = yield* running({ fs: {} }, config({}), { approve })
        const oldIsGone = Effect.repeat(Effect.yieldNow, { until: () => gateway.servers.counts("fs").closed === 1 })
        meanwhile = Effect.andThen(Effect.orDie(gateway.change(config({ A: "1" }))), oldIsGone)
        yield* gateway.runtime.ready
        assert.strictEqual(tagOf(yield* gateway.runtime.call("mcp_fs_echo", {})), "ApprovalDenied")
        assert.strictEqual(gateway.servers.counts("fs").closed, 1)
        assert.strictEqual(gateway.servers.counts("fs").calls, 0)
      })
  )

  it.effect("agents that share a server give it up together; an agent that keeps it keeps it", () =>
    Effect.gen(function* () {
      const slow = { fs: { faults: { closeTime: "3 seconds" } } } as const
      const agents = (env: object, own: object = {}) => ({
        agents: { defaults: mcp({ fs: entry({ env }) }), list: [{ id: "one" }, { id: "two", ...own }] }
      })
      const { change, runtime, runtimes, servers } = yield* running(slow, agents({}))
      const two = yield* runtimes.get("two")
      yield* Effect.all([runtime.ready, two.ready])
      assert.strictEqual(servers.counts("fs").opened, 1)
      yield* change(agents({ A: "1" }))
      yield* TestClock.adjust("2999 millis")
      // Nothing of the old one is left when the new one is started.
      assert.strictEqual(servers.counts("fs").attempts, 1)
      yield* TestClock.adjust("1 second")
      yield* servers.setFaults("fs", {})
      yield* Effect.all([runtime.ready, two.ready])
      assert.deepInclude(servers.counts("fs"), { opened: 2, closed: 1 })
      // Only for one of them.
      yield* change(agents({ A: "1" }, mcp({ fs: entry({ env: { A: "2" } }) })))
      yield* TestClock.adjust("1 second")
      yield* two.ready
      assert.deepInclude(servers.counts("fs"), { opened: 3, closed: 1 })
    })
  )

  it.effect("an equal configuration announces no change", () =>
    Effect.gen(function* () {
      const { change, runtime } = yield* running({ fs: {} }, mcp({ fs: entry() }))
      yield* runtime.ready
      const before = yield* runtime.allTools
      let told = 0
      yield* Effect.forkScoped(Stream.runForEach(runtime.changes, () => Effect.sync(() => told++)))
      yield* TestClock.adjust(1)
      const first = told
      yield* change(mcp({ fs: entry({ enabled: true }) }))
      yield* TestClock.adjust(1)
      assert.strictEqual(told, first)
      assert.strictEqual(yield* runtime.allTools, before)
      yield* change({ ...mcp({ fs: entry() }), tools: { deny: ["fs/echo"] } })
      yield* TestClock.adjust(1)
      assert.isAbove(told, first)
    })
  )

  it.effect("an agent that is new can be used, and one that is gone has nothing any more", () =>
    Effect.gen(function* () {
      const agents = (...ids: ReadonlyArray<string>) => ({
        agents: { list: ids.map((id) => ({ id })) },
        ...mcp({ fs: entry() })
      })
      const { change, runtime, runtimes } = yield* running({ fs: {} }, agents("one", "two"))
      yield* runtime.ready
      const two = yield* runtimes.get("two")
      assert.notStrictEqual((yield* two.allTools).length, 0)
      yield* change(agents("one", "three"))
      assert.deepStrictEqual(yield* two.allTools, [])
      assert.strictEqual((yield* Effect.flip(runtimes.get("two")))._tag, "UnknownAgent")
      assert.notStrictEqual((yield* (yield* runtimes.get("three")).tools).length, 0)
      assert.deepStrictEqual(runtimes.agents, ["one", "three"])
    })
  )

  it.effect("servers that clients have alone stay what they are", () =>
    Effect.gen(function* () {
      const apart = ({ isolate }: { readonly isolate?: unknown }) => isolate === "session"
      const { change, live, runtime } = yield* running({ fs: {}, own: {} }, mcp({ fs: entry() }), { apart })
      yield* change(mcp({ fs: entry(), own: entry({ share: "session" }) }))
      assert.deepStrictEqual(Object.keys(yield* runtime.status), ["fs"])
      assert.deepStrictEqual(live.state().pending, ["who has server own alone"])
    })
  )

  it.effect("one that is stopped, failed or asleep", () =>
    Effect.gen(function* () {
      const { change, runtime, servers } = yield* running(
        { lazy: {}, off: { tools: [tool("one")] } },
        mcp({ lazy: entry({ lazy: true }), off: entry() })
      )
      yield* runtime.ready
      yield* runtime.stop("off")
      // Another rule starts nothing.
      yield* change({ tools: { deny: ["x/*"] }, ...mcp({ lazy: entry({ lazy: true }), off: entry() }) })
      assert.deepInclude((yield* runtime.status)["off"], { state: "Failed" })
      assert.deepInclude((yield* runtime.status)["lazy"], { state: "Idle" })
      yield* change(mcp({ lazy: entry({ lazy: true, env: { A: "1" } }), off: entry({ enabled: false }) }))
      yield* TestClock.adjust(1)
      assert.deepInclude((yield* runtime.status)["off"], { state: "Disabled" })
      assert.deepInclude((yield* runtime.status)["lazy"], { state: "Idle" })
      assert.strictEqual(servers.counts("lazy").attempts, 0)
      yield* change(mcp({ lazy: entry({ lazy: true, env: { A: "1" } }), off: entry() }))
      yield* runtime.ready
      assert.deepInclude((yield* runtime.status)["off"], { state: "Ready" })
    })
  )
})
