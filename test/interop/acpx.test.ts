/** The headless client of the Agent Client Protocol, as published, against the program as it is started by a person. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { inFixtures, serverPath } from "../fixtures/servers.ts"
import { provider } from "../support/modelProvider.ts"
import { acpx, outcomes, said, sent, stopReason, type Server } from "./acpx/run.ts"

const everything: Server = {
  name: "everything",
  command: process.execPath,
  args: [serverPath("everything"), "stdio"]
}
const media = (...options: ReadonlyArray<string>): Server => ({
  name: "media",
  command: process.execPath,
  args: [inFixtures("media.ts"), ...options]
})

const ECHO = '/call mcp__everything__echo {"message":"hello"}'
const asking = { mcp: { servers: {} }, gateway: { tools: { ask: ["everything/*"] } } }

/** Several processes one after the other, each of which starts others. */
const SLOW = 150_000

describe("acpx with --mcp-config", () => {
  it.live("calls a tool of its own server, with neither a configuration nor a model", () =>
    Effect.gen(function* () {
      const client = yield* acpx()
      const run = yield* client.run([everything], "--approve-all", "exec", ECHO)
      assert.deepStrictEqual(outcomes(run), [{ status: "completed", text: "Echo: hello" }])
      assert.strictEqual(stopReason(run), "end_turn")
      assert.strictEqual(run.code, 0)
      assert.lengthOf(sent(run, "session/request_permission"), 0)
    })
  )

  it.live("has a model call it, which is told what came of it", () =>
    Effect.gen(function* () {
      const name = "mcp__everything__get-sum"
      const model = yield* provider(
        { calls: [{ id: "c1", name, args: '{"a":20,"b":22}' }] },
        { text: ["It is ", "forty-two."] }
      )
      const client = yield* acpx({
        agents: { defaults: { model: { id: "fake/model", baseUrl: model.baseUrl, apiKey: "key" } } }
      })
      const run = yield* client.run([everything], "--approve-all", "exec", "What is 20 and 22?")
      assert.deepStrictEqual(
        outcomes(run).map(({ status }) => status),
        ["completed"]
      )
      assert.include(said(run), "It is forty-two.")
      assert.include(
        model.requests[0]!.tools.map((tool) => tool.function.name),
        name
      )
      assert.include(JSON.stringify(model.requests[1]?.messages), "42")
    })
  )

  it.live("allows what an ask rule asks about with --approve-all", () =>
    Effect.gen(function* () {
      const client = yield* acpx(asking)
      const run = yield* client.run([everything], "--approve-all", "exec", ECHO)
      assert.lengthOf(sent(run, "session/request_permission"), 1)
      assert.deepStrictEqual(outcomes(run), [{ status: "completed", text: "Echo: hello" }])
    })
  )

  it.live("has it refused with --deny-all, and also when it approves what only reads: no hint makes it harmless", () =>
    Effect.gen(function* () {
      const client = yield* acpx(asking)
      for (const policy of [["--deny-all"], ["--approve-reads", "--non-interactive-permissions", "deny"]]) {
        const run = yield* client.run([everything], ...policy, "exec", ECHO)
        assert.lengthOf(sent(run, "session/request_permission"), 1)
        assert.deepStrictEqual(
          outcomes(run).map(({ status }) => status),
          ["failed"]
        )
        assert.notInclude(said(run), "Echo: hello")
      }
    })
  )

  it.live(
    "cancels a turn in the middle of a call, at the server too",
    () =>
      Effect.gen(function* () {
        const client = yield* acpx()
        const mark = join(client.cwd, "cancelled")
        const servers = [media(`--cancelled=${mark}`)]
        assert.strictEqual((yield* client.run(servers, "sessions", "new")).code, 0)
        const called = yield* Deferred.make<void>()
        const turn = yield* client
          .watch(
            ({ params }) => {
              const update = params?.["update"] as { status?: string } | undefined
              if (update?.status === "in_progress") Deferred.doneUnsafe(called, Effect.void)
            },
            servers,
            "--approve-all",
            "prompt",
            "/call mcp__media__hang {}"
          )
          .pipe(Effect.forkChild)
        yield* Deferred.await(called)
        yield* client.run(servers, "cancel")
        assert.strictEqual(stopReason(yield* Fiber.join(turn)), "cancelled")
        yield* client.idle
        assert.isTrue(existsSync(mark))
      }),
    SLOW
  )

  it.live(
    "goes on with a session in another process, with the servers that it brings then",
    () =>
      Effect.gen(function* () {
        const client = yield* acpx()
        yield* client.run([everything], "sessions", "new")
        const before = yield* client.run([everything], "--approve-all", "prompt", ECHO)
        assert.deepStrictEqual(outcomes(before), [{ status: "completed", text: "Echo: hello" }])
        yield* client.idle
        const after = yield* client.run([media()], "--approve-all", "prompt", "/tools")
        assert.lengthOf(sent(after, "session/resume"), 1)
        assert.include(said(after), "mcp__media__write_note")
        assert.notInclude(said(after), "mcp__everything__echo")
      }),
    SLOW
  )

  it.live(
    "closes a session that the process it starts for that has never seen",
    () =>
      Effect.gen(function* () {
        const client = yield* acpx()
        yield* client.run([everything], "sessions", "new")
        yield* client.idle
        const closed = yield* client.run([everything], "sessions", "close")
        assert.strictEqual(closed.code, 0)
        assert.strictEqual(Reflect.get(closed.frames[0] ?? {}, "action"), "session_closed")
      }),
    SLOW
  )
})
