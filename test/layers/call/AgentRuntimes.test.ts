import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import { whole } from "../../../src/layers/McpLive.ts"
import { heldByClient } from "../../../src/schemas/connection/Isolation.ts"
import { serverConfig } from "../../../src/schemas/connection/ServerConfig.ts"
import type { AgentTool, ToolResult } from "../../../src/schemas/call/Tool.ts"
import { AgentRuntimes } from "../../../src/services/call/AgentRuntimes.ts"
import { ConfigSource } from "../../../src/services/config/ConfigSource.ts"
import { LiveConfig } from "../../../src/services/config/LiveConfig.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { layerServers, McpLiveTest, TestServers, type TestServer } from "../../../src/testing.ts"
import { inStep } from "../../../src/testing/inStep.ts"

const tool = (name: string) => ({ name, inputSchema: { type: "object" } })

const live = (servers: Record<string, TestServer>) => McpLiveTest(servers).pipe(Layer.provideMerge(Logger.layer([])))

/** They are configured as well, so that they are known here, and asleep. */
const asleep = { config: { lazy: true } }

const brought = (session: string, ...names: ReadonlyArray<string>) => ({
  agent: "main",
  session,
  maxTools: 100,
  servers: names.map((name) => serverConfig(name, { kind: "stdio", command: "x", args: [], env: {}, cwd: undefined }))
})

const open = (servers: ReturnType<typeof brought>) => AgentRuntimes.use((runtimes) => runtimes.forSession(servers))

const namesOf = (tools: ReadonlyArray<AgentTool>) => tools.map(({ name }) => name)

const tagOf = ({ details }: ToolResult) => ("error" in details ? details.error.tag : undefined)

describe("AgentRuntimes.forSession", () => {
  it.effect("exposes tools as mcp__<server>__<tool>", () =>
    Effect.gen(function* () {
      const runtime = yield* open(brought("s", "fs"))
      const names = (yield* runtime.tools).filter(({ server }) => server === "fs").map(({ name }) => name)
      assert.deepStrictEqual(names, ["mcp__fs__echo"])
      assert.isFalse((yield* runtime.call("mcp__fs__echo", {})).isError)
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("starts its own servers for each session, and stops them when the session's scope closes", () =>
    Effect.gen(function* () {
      const { counts } = yield* TestServers
      const scopes = yield* Effect.forEach([1, 2], () => Scope.make())
      const [one, two] = yield* Effect.forEach(scopes, (scope, index) =>
        open(brought(`s${index}`, "fs")).pipe(Scope.provide(scope))
      )
      yield* Effect.all([one!.ready, two!.ready])
      assert.strictEqual(counts("fs").opened, 2)
      yield* Scope.close(scopes[0]!, Exit.void)
      assert.strictEqual(counts("fs").closed, 1)
      assert.isFalse((yield* two!.call("mcp__fs__echo", {})).isError)
      yield* Scope.close(scopes[1]!, Exit.void)
      assert.strictEqual(counts("fs").closed, 2)
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("applies call limits to each session separately", () =>
    Effect.gen(function* () {
      const limits = { perMinute: 1, burst: 1, inFlight: 8, failures: 0, coolDownMs: 1 }
      const limited = (session: string) => {
        const given = brought(session, "fs")
        return open({ ...given, servers: given.servers.map((server) => ({ ...server, limits })) })
      }
      const [one, two] = yield* Effect.all([limited("s1"), limited("s2")])
      const call = (runtime: typeof one) => Effect.map(runtime.call("mcp__fs__echo", {}), tagOf)
      assert.deepStrictEqual(
        [yield* call(one), yield* call(one), yield* call(two)],
        [undefined, "RateLimited", undefined]
      )
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("neither lists nor calls tools that a server adds after the first listing", () =>
    Effect.gen(function* () {
      const servers = yield* TestServers
      const runtime = yield* open(brought("s", "fs"))
      const before = yield* runtime.tools
      yield* servers.setTools("fs", [tool("echo"), tool("later")])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* runtime.tools, before)
      const refused = yield* runtime.call("mcp__fs__later", {})
      assert.strictEqual(tagOf(refused), "ToolNotFound")
      assert.include(JSON.stringify(refused.content), "its server added it after the session began")
      assert.deepStrictEqual(namesOf(yield* runtime.late), ["mcp__fs__later"])
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("drops a tool that its server removes, says so in the error, and keeps the tools of a failed server", () =>
    Effect.gen(function* () {
      const servers = yield* TestServers
      const runtime = yield* open(brought("s", "fs"))
      assert.include(namesOf(yield* runtime.tools), "mcp__fs__echo")
      yield* servers.setTools("fs", [tool("other")])
      yield* TestClock.adjust("10 seconds")
      assert.notInclude(namesOf(yield* runtime.tools), "mcp__fs__echo")
      const gone = yield* runtime.call("mcp__fs__echo", {})
      assert.include(JSON.stringify(gone.content), "its server does not offer it any more")
      assert.include(JSON.stringify((yield* runtime.call("mcp__fs__never", {})).content), "no tool has this name")
      yield* servers.setTools("fs", [tool("echo")])
      yield* TestClock.adjust("10 seconds")
      assert.isFalse((yield* runtime.call("mcp__fs__echo", {})).isError)
      yield* servers.setFaults("fs", { refuseStarts: 99 })
      yield* servers.kill("fs")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* runtime.status)["fs"]?.state, "Failed")
      assert.include(namesOf(yield* runtime.tools), "mcp__fs__echo")
      assert.strictEqual(tagOf(yield* runtime.call("mcp__fs__echo", {})), "ServerUnavailable")
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("offers at most maxTools tools, and reports the others in leftOut", () =>
    Effect.gen(function* () {
      const runtime = yield* open({ ...brought("s", "fs"), maxTools: 2 })
      const names = (yield* runtime.tools).map(({ name }) => name)
      // What is too long for a result can always be read on.
      assert.deepStrictEqual(names, ["mcp__fs__a", "mcp__fs__b", "mcp_read_more"])
      assert.deepStrictEqual(namesOf(yield* runtime.leftOut), ["mcp__fs__c"])
      assert.strictEqual(tagOf(yield* runtime.call("mcp__fs__c", {})), "ToolNotFound")
      assert.isFalse((yield* runtime.call("mcp__fs__b", {})).isError)
    }).pipe(Effect.provide(live({ fs: { ...asleep, tools: [tool("a"), tool("b"), tool("c")] } })))
  )

  it.effect("divides maxTools among the servers, so that a large list leaves room for the others", () =>
    Effect.gen(function* () {
      const runtime = yield* open({ ...brought("s", "big", "few", "one"), maxTools: 5 })
      const names = (yield* runtime.tools).map(({ name }) => name)
      assert.sameMembers(names, [
        "mcp__big__a",
        "mcp__big__b",
        "mcp__few__a",
        "mcp__few__b",
        "mcp__one__echo",
        "mcp_read_more"
      ])
      assert.deepStrictEqual(namesOf(yield* runtime.leftOut), ["mcp__big__c", "mcp__big__d"])
    }).pipe(
      Effect.provide(
        live({
          big: { ...asleep, tools: ["a", "b", "c", "d"].map(tool) },
          few: { ...asleep, tools: ["a", "b"].map(tool) },
          one: asleep
        })
      )
    )
  )

  it.effect("stops checking other servers' arguments for the session's secrets when its scope closes", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const token = "tok-0123456789-of-one-session"
      const scope = yield* Scope.make()
      const given = brought("s", "fs")
      const servers = given.servers.map((server) => ({
        ...server,
        launch: { kind: "stdio" as const, command: "x", args: [], env: { A_TOKEN: token }, cwd: undefined }
      }))
      const runtime = yield* open({ ...given, servers }).pipe(Scope.provide(scope))
      yield* runtime.ready
      // Secrets become known in the background; a server that is started knows its own before that.
      while (!redactor.holdsForeign(token, "somebody")) yield* Effect.promise(() => nextTurn())
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(redactor.holdsForeign(token, "somebody"))
      assert.notInclude(redactor.redact(token), token)
    }).pipe(Effect.provide(live({ fs: asleep })))
  )

  it.effect("refuses an unknown agent", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open({ ...brought("s", "fs"), agent: "nobody" }))
      assert.strictEqual(error._tag, "UnknownAgent")
    }).pipe(Effect.provide(live({ fs: asleep })))
  )
})

describe("AgentRuntimes.forClient", () => {
  it.effect("follows a reload that came while it waited for the processes of the one before it", () => {
    const connected = layerServers({ fs: { faults: { closeTime: "5 seconds" } } })
    let server: object = { command: "x", lazy: true }
    const source = Layer.succeed(ConfigSource, {
      load: Effect.suspend(() =>
        ConfigSource.use(({ load }) => load).pipe(
          Effect.provide(ConfigSourceLayer.layerObject({ mcp: { servers: { fs: server } } }))
        )
      )
    })
    return Effect.gen(function* () {
      const { forClient } = yield* AgentRuntimes
      const forAda = forClient({
        agent: "main",
        as: (config) => heldByClient(config, "client", { principal: "ada", session: "s" }),
        places: { take: () => Effect.void, free: Effect.void }
      })
      const before = yield* Scope.make()
      const first = yield* Scope.provide(forAda, before)
      assert.isFalse((yield* first.call("mcp_fs_echo", {})).isError)
      yield* Effect.forkChild(Scope.close(before, Exit.void), { startImmediately: true })
      const next = yield* Effect.forkChild(forAda, { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isUndefined(next.pollUnsafe())
      // Those after it close at once.
      yield* TestServers.use(({ setFaults }) => setFaults("fs", {}))

      server = { command: "x", lazy: true, tools: { exclude: ["echo"] } }
      yield* LiveConfig.use(({ reload }) => reload)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(tagOf(yield* (yield* Fiber.join(next)).call("mcp_fs_echo", {})), "PolicyDenied")
    }).pipe(
      Effect.provide(
        whole({ replace: { config: source, connector: connected, audit: AuditLogLayer.layer } }).pipe(
          Layer.provideMerge(connected),
          Layer.provideMerge(inStep),
          Layer.provideMerge(Logger.layer([]))
        )
      )
    )
  })
})
