import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import type { ToolResult } from "../../src/schemas/call/Tool.ts"
import { AgentRuntimes } from "../../src/services/call/AgentRuntimes.ts"
import { McpRuntime, type McpRuntimeShape } from "../../src/services/call/McpRuntime.ts"
import { everything, hostile, serverPath } from "../fixtures/servers.ts"
import { alive } from "../support/alive.ts"
import { inFolder } from "../support/folder.ts"
import { isFull } from "../support/full.ts"
import { pause } from "../support/pause.ts"

const live = (config: unknown) =>
  McpLive({ replace: { config: ConfigSourceLayer.layerObject(config) } }).pipe(Layer.provideMerge(Logger.layer([])))

/** Many times what a refusal on this machine takes. */
const LOOKS_MAX = 500

const textOf = (result: ToolResult) =>
  result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("\n")

const tagOf = (result: ToolResult) => ("error" in result.details ? result.details.error.tag : undefined)

const waitFor = (runtime: McpRuntimeShape, server: string, state: string) =>
  Effect.flatMap(runtime.status, (status) =>
    status[server]?.state === state
      ? Effect.void
      : runtime.changes.pipe(
          Stream.mapEffect(() => runtime.status),
          Stream.filter((now) => now[server]?.state === state),
          Stream.take(1),
          Stream.runDrain
        )
  )

describe("McpRuntime: real servers", () => {
  it.live("three published servers at once: what one writes another reads back, wrapped", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const server = (name: "filesystem" | "memory" | "everything", ...args: ReadonlyArray<string>) => ({
        command: process.execPath,
        args: [serverPath(name), ...args]
      })
      const config = {
        mcp: {
          servers: {
            filesystem: server("filesystem", folder),
            memory: { ...server("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
            everything: server("everything", "stdio")
          }
        }
      }
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const path = join(folder, "hello.txt")
        assert.isFalse((yield* runtime.call("mcp_filesystem_write_file", { path, content: "written" })).isError)
        assert.include(textOf(yield* runtime.call("mcp_filesystem_read_text_file", { path })), "\nwritten\n")
        const entities = [{ name: "hello.txt", entityType: "file", observations: ["was written"] }]
        assert.isFalse((yield* runtime.call("mcp_memory_create_entities", { entities })).isError)
        assert.include(textOf(yield* runtime.call("mcp_memory_read_graph", {})), "was written")
        const image = yield* runtime.call("mcp_everything_get-tiny-image", {})
        assert.isTrue(image.content.some((block) => block.type === "image" && block.mimeType === "image/png"))
        const outside = yield* runtime.call("mcp_filesystem_read_text_file", { path: "/etc/passwd" })
        assert.isTrue(outside.isError)
        assert.isUndefined(tagOf(outside), "the server's own error is a result, not one of ours")
        const status = yield* runtime.status
        assert.deepStrictEqual(
          Object.values(status).map(({ protocolVersion, state }) => [state, protocolVersion]),
          Array.from({ length: 3 }, () => ["Ready", "2025-11-25"])
        )
      }).pipe(Effect.provide(live(config)))
    }).pipe(Effect.scoped)
  )

  it.live("servers over Streamable HTTP and over SSE are called alike", () =>
    Effect.gen(function* () {
      const [http, sse] = [yield* everything("streamableHttp"), yield* everything("sse")]
      const config = { mcp: { servers: { http: { url: http.url }, sse: { url: sse.url, transport: "sse" } } } }
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        for (const server of ["http", "sse"]) {
          const result = yield* runtime.call(`mcp_${server}_echo`, { message: "over the wire" })
          assert.include(textOf(result), "over the wire")
          assert.strictEqual((yield* runtime.status)[server]?.transport, server)
        }
      }).pipe(Effect.provide(live(config)))
    }).pipe(Effect.scoped)
  )

  it.live("a killed process: calls say when it is back, and then it is, with nothing of the old one left", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.ready
      const pid = (yield* runtime.status)["fs"]!.pid!
      process.kill(pid, "SIGKILL")
      yield* waitFor(runtime, "fs", "Backoff")
      const meanwhile = yield* runtime.call("mcp_fs_echo", { text: "x" })
      assert.strictEqual(tagOf(meanwhile), "ServerUnavailable")
      assert.include(textOf(meanwhile), "SIGKILL")
      assert.include(textOf(meanwhile), "tried again in")
      yield* waitFor(runtime, "fs", "Ready")
      assert.include(textOf(yield* runtime.call("mcp_fs_echo", { text: "back" })), "back")
      const status = (yield* runtime.status)["fs"]!
      assert.notStrictEqual(status.pid, pid)
      assert.strictEqual(status.restarts, 1)
      assert.isFalse(alive(pid))
    }).pipe(Effect.provide(live({ mcp: { servers: { fs: hostile("polite") } } })))
  )

  it.effect("a killed HTTP server is noticed without a call, within half a minute", () =>
    Effect.gen(function* () {
      const { pid, url } = yield* everything("streamableHttp")
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        assert.strictEqual((yield* runtime.status)["web"]?.state, "Ready")
        // By the time of its answer, the wait for the next look at the server has begun.
        yield* runtime.call("mcp_web_echo", { message: "here" })
        process.kill(pid, "SIGKILL")
        while (alive(pid)) yield* Effect.promise(pause)
        yield* TestClock.adjust("30 seconds")
        // What was sent then is refused by a real socket.
        let web = (yield* runtime.status)["web"]
        for (let looks = 0; looks < LOOKS_MAX && web?.state === "Ready"; looks++) {
          yield* Effect.promise(pause)
          web = (yield* runtime.status)["web"]
        }
        assert.strictEqual(web?.state, "Backoff", "the server is dead, and nothing has noticed it")
        assert.match(web?.lastError ?? "", /refused|not reachable|lost/)
      }).pipe(Effect.provide(live({ mcp: { servers: { web: { url } } } })))
    }).pipe(Effect.scoped)
  )

  for (const [era, scenario] of [
    ["legacy", "polite"],
    ["modern", "modern-only"]
  ] as const) {
    it.live(`tools that a ${era} server adds while it runs are announced and can be called`, () =>
      Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const before = (yield* runtime.tools).length
        yield* runtime.call("mcp_fs_notify_list_changed", {})
        yield* runtime.changes.pipe(
          Stream.mapEffect(() => runtime.tools),
          Stream.filter((tools) => tools.length > before),
          Stream.take(1),
          Stream.runDrain
        )
        const added = (yield* runtime.tools).find(({ tool }) => tool.startsWith("added_"))
        assert.isFalse((yield* runtime.call(added!.name, {})).isError)
      }).pipe(Effect.provide(live({ mcp: { servers: { fs: hostile(scenario) } } })))
    )
  }

  it.live("two agents with the same server share one process", () =>
    Effect.gen(function* () {
      const runtimes = yield* AgentRuntimes
      const agents = yield* Effect.forEach(["one", "two"], (agent) => runtimes.get(agent))
      const pids = yield* Effect.forEach(agents, (runtime) =>
        Effect.andThen(
          runtime.ready,
          Effect.map(runtime.status, (status) => status["fs"]?.pid)
        )
      )
      assert.isNumber(pids[0])
      assert.strictEqual(pids[0], pids[1])
    }).pipe(
      Effect.scoped,
      Effect.provide(
        live({
          agents: { defaults: { mcp: { servers: { fs: hostile("polite") } } }, list: [{ id: "one" }, { id: "two" }] }
        })
      )
    )
  )
})

describe("McpRuntime: a hostile server", () => {
  it.live("poisoned definitions reach the agent without a forbidden character or a live marker", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* runtime.ready
      const tools = JSON.stringify(yield* runtime.tools)
      assert.notMatch(
        tools,
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
      )
      assert.notMatch(tools, /<<<\s*(END_)?EXTERNAL_UNTRUSTED_CONTENT/i)
      const poisoned = (yield* runtime.tools).filter(({ tool }) => /poison|echo|fail|error/.test(tool))
      assert.isAtLeast(poisoned.length, 4)
      for (const tool of poisoned) {
        const text = textOf(yield* runtime.call(tool.name, { text: "x" }))
        const markers = text.match(/EXTERNAL_UNTRUSTED_CONTENT id="/g) ?? []
        assert.isTrue(markers.length === 2 || markers.length === 0, text.slice(0, 500))
      }
    }).pipe(Effect.provide(live({ mcp: { servers: { bad: hostile("poison") } } })))
  )

  it.live.runIf(isFull)("50 MB in one answer cost that call, not the server and not its neighbour", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const [big, other] = yield* Effect.all(
        [runtime.call("mcp_big_big", { bytes: 50_000_000 }), runtime.call("mcp_good_echo", { text: "unharmed" })],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(tagOf(big), "MessageTooLarge")
      assert.include(textOf(other), "unharmed")
      assert.include(textOf(yield* runtime.call("mcp_big_echo", { text: "still here" })), "still here")
    }).pipe(Effect.provide(live({ mcp: { servers: { big: hostile("huge-line:50000000"), good: hostile("polite") } } })))
  )

  it.live("9 MB of text are cut to the budget, with a note of what is missing", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const result = yield* runtime.call("mcp_fs_big", { bytes: 9_000_000 })
      assert.isBelow(textOf(result).length, 110_000)
      assert.include(textOf(result), "9,000,000")
    }).pipe(Effect.provide(live({ mcp: { servers: { fs: hostile("huge-line") } } })))
  )
})
