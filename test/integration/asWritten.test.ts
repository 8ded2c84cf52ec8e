/** Each key of a server's entry, as native MCP was designed with it, does what it is for: seen in real servers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { McpLive, McpRuntime, type McpRuntimeShape } from "../../src/index.ts"
import { layerObject } from "../../src/layers/config/ConfigSource.ts"
import type { ToolResult } from "../../src/schemas/call/Tool.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { hostile, inFixtures } from "../fixtures/servers.ts"

const polite = hostile("polite")

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

/** Runs with the servers of `agents.defaults.mcp`, where the design has them. */
const withServers = <A, E>(servers: object, use: (runtime: McpRuntimeShape) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const runtime = yield* McpRuntime
    yield* runtime.ready
    return yield* use(runtime)
  }).pipe(
    Effect.provide(
      McpLive({ replace: { config: layerObject({ agents: { defaults: { mcp: { servers } } } }) } }).pipe(
        Layer.provideMerge(Logger.layer([]))
      )
    )
  )

const namesOf = (runtime: McpRuntimeShape) => Effect.map(runtime.tools, (tools) => tools.map(({ name }) => name))

const statusOf = (runtime: McpRuntimeShape, server: string) => Effect.map(runtime.status, (status) => status[server]!)

const waitFor = (runtime: McpRuntimeShape, server: string, state: string) =>
  Stream.concat(Stream.succeed(undefined), runtime.changes).pipe(
    Stream.mapEffect(() => statusOf(runtime, server)),
    Stream.filter((now) => now.state === state),
    Stream.runHead
  )

describe.skipIf(process.platform === "win32")("a key of a server", () => {
  it.live("enabled: false starts nothing; transport, command, args, env and cwd say how one is started", () =>
    Effect.gen(function* () {
      const cwd = realpathSync(tmpdir())
      const shell = {
        transport: "stdio",
        command: process.execPath,
        args: [inFixtures("shell.ts"), "--as-written"],
        env: { GREETING: "hello", REFERRED: "secret://env/AS_WRITTEN_TOKEN" },
        cwd
      }
      process.env["AS_WRITTEN_TOKEN"] = "a-token-of-the-host"
      yield* withServers({ shell, off: { ...shell, enabled: false } }, (runtime) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* statusOf(runtime, "off")).state, "Disabled")
          assert.notInclude((yield* namesOf(runtime)).join(), "mcp_off_")
          const say = (script: string) => Effect.map(runtime.call("mcp_shell_sh", { script }), textOf)
          assert.include(yield* say("pwd; echo greeting-$GREETING"), `${cwd}\ngreeting-hello`)
          assert.include(yield* say('test "$REFERRED" = a-token-of-the-host && echo resolved'), "\nresolved")
          if (process.platform === "linux")
            assert.include(yield* say(`tr '\\0' ' ' < /proc/$PPID/cmdline`), "--as-written")
        })
      )
      delete process.env["AS_WRITTEN_TOKEN"]
    })
  )

  it.live("transport, url and headers say how a remote one is reached", () =>
    Effect.gen(function* () {
      const server = yield* httpServer("polite")
      const headers = { Authorization: "Bearer ${AS_WRITTEN_KEY:-tvly-1}" }
      const http = { transport: "http", url: server.url, headers }
      yield* withServers({ http, wrong: { ...http, transport: "sse" } }, (runtime) =>
        Effect.gen(function* () {
          assert.include(textOf(yield* runtime.call("mcp_http_echo", { text: "hello" })), "\nhello\n")
          assert.strictEqual((yield* statusOf(runtime, "http")).transport, "http")
          assert.notStrictEqual((yield* statusOf(runtime, "wrong")).state, "Ready")
        })
      )
      assert.isAbove(server.requests.length, 2)
      for (const request of server.requests) assert.strictEqual(request.headers.authorization, "Bearer tvly-1")
    }).pipe(Effect.scoped)
  )

  it.live("timeout bounds how long it may take to connect, toolTimeout how long a call may be silent", () =>
    withServers(
      {
        slow: { ...hostile("hang-initialize"), timeout: 1200, maxRestarts: 0 },
        mute: { ...polite, toolTimeout: 1300 }
      },
      (runtime) =>
        Effect.gen(function* () {
          assert.include(JSON.stringify(yield* statusOf(runtime, "slow")), "1200 ms")
          const result = yield* runtime.call("mcp_mute_hang", {})
          assert.isTrue(result.isError)
          assert.include(textOf(result), "1300 ms")
        })
    )
  )

  it.live("restartOnCrash and maxRestarts say whether it comes back, and how often", () =>
    withServers(
      {
        back: polite,
        never: { ...polite, restartOnCrash: false },
        once: { ...polite, maxRestarts: 0 }
      },
      (runtime) =>
        Effect.gen(function* () {
          for (const name of ["back", "never", "once"]) {
            const result = yield* runtime.call(`mcp_${name}_crash`, {})
            assert.isTrue(result.isError)
          }
          for (const name of ["never", "once"]) {
            yield* waitFor(runtime, name, "Failed")
            assert.strictEqual((yield* statusOf(runtime, name)).restarts, 0)
          }
          yield* waitFor(runtime, "back", "Ready")
          assert.strictEqual((yield* statusOf(runtime, "back")).restarts, 1)
          assert.include(textOf(yield* runtime.call("mcp_back_echo", { text: "again" })), "\nagain\n")
        })
    )
  )

  it.live("toolPrefix names its tools; a lazy one is started by what needs it", () =>
    withServers({ other: { ...polite, toolPrefix: "short" }, late: { ...polite, lazy: true } }, (runtime) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* statusOf(runtime, "late")).state, "Idle")
        assert.include(textOf(yield* runtime.call("mcp_short_echo", { text: "one" })), "\none\n")
        assert.include(textOf(yield* runtime.call("mcp_late_echo", { text: "two" })), "\ntwo\n")
        assert.strictEqual((yield* statusOf(runtime, "late")).state, "Ready")
        assert.notInclude((yield* namesOf(runtime)).join(), "mcp_other_")
      })
    )
  )

  it.live(
    "resources, resourceFilter and resourceRefreshMs say what of it is in the context, and how old that may be",
    () =>
      withServers(
        {
          all: polite,
          none: { ...polite, resources: false },
          some: { ...polite, resourceFilter: ["test://one"], resourceRefreshMs: 1 }
        },
        (runtime) =>
          Effect.gen(function* () {
            const reads = (server: string) =>
              Effect.map(
                runtime.call(`mcp_${server}_received`, {}),
                (result) => textOf(result).split("resources/read").length
              )
            const listed = (yield* runtime.resources).map(({ server, uri }) => `${server} ${uri}`)
            assert.includeMembers(listed, ["all test://one", "some test://one"])
            assert.lengthOf(
              listed.filter((one) => one.startsWith("none ")),
              0
            )
            assert.lengthOf(
              listed.filter((one) => one.startsWith("some ")),
              1
            )
            const context = yield* runtime.resourceContext
            assert.include(context, "## MCP Resources (external, untrusted)")
            assert.include(context, "contents of one")
            assert.notInclude(context, "none")
            const before = { all: yield* reads("all"), some: yield* reads("some") }
            yield* Effect.sleep(5)
            yield* runtime.resourceContext
            assert.strictEqual(yield* reads("all"), before.all)
            assert.isAbove(yield* reads("some"), before.some)
          })
      )
  )
})
