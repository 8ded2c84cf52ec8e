import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { callerOf } from "../../../../src/schemas/call/Caller.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import type { CallRecord } from "../../../../src/services/call/AuditLog.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"
import { inFolder } from "../../../support/folder.ts"
import { auditInto } from "../../../support/audit.ts"

const live = (servers: Record<string, TestServer>, records: Array<CallRecord> = []) =>
  McpLiveTest(servers, { replace: { audit: auditInto(records) } }).pipe(Layer.provideMerge(Logger.layer([])))

const call = (name: string, args: Record<string, unknown> = { text: "x" }) =>
  Effect.flatMap(McpRuntime, (runtime) => runtime.call(name, args))

const outcomeOf = ({ details, isError }: ToolResult) =>
  "error" in details ? details.error.tag : isError ? "isError" : "ok"
const outcomes = (name: string, times: number) =>
  Effect.map(Effect.replicateEffect(call(name), times), (results) => results.map(outcomeOf))

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

/** Ends with `CallTimeout` once its time is over. */
const timedOut = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(call("mcp_a_echo"))
  yield* TestClock.adjust("1 minute")
  return outcomeOf(yield* Fiber.join(fiber))
})
const UNHURRIED = { limits: { coolDownMs: 300_000 } }

describe("McpRuntime: call limits of a server", () => {
  it.effect("refuse calls over the rate without sending them, and say when to call again; other servers go on", () => {
    const records: Array<CallRecord> = []
    return Effect.gen(function* () {
      const { counts } = yield* TestServers
      assert.deepStrictEqual(
        yield* outcomes("mcp_a_echo", 100),
        Array.from({ length: 100 }, () => "ok")
      )
      const refused = yield* call("mcp_a_echo")
      assert.include(textOf(refused), "was not sent. Call the tool again in 1 s.")
      assert.deepInclude(refused.details, {
        error: { tag: "RateLimited", server: "a", tool: "mcp_a_echo", maybeExecuted: false }
      })
      assert.strictEqual(counts("a").calls, 100)
      assert.strictEqual(outcomeOf(yield* call("mcp_b_echo")), "ok")
      yield* TestClock.adjust("600 millis")
      assert.deepStrictEqual(yield* outcomes("mcp_a_echo", 2), ["ok", "RateLimited"])
      assert.deepInclude(records.at(-1), { server: "a", tool: "echo", outcome: "RateLimited" })
    }).pipe(Effect.provide(live({ a: {}, b: {} }, records)))
  })

  it.effect("a day count each person over all agents; the model is told when calls start again", () =>
    Effect.gen(function* () {
      const dataDirectory = yield* inFolder
      const records: Array<CallRecord> = []
      const caller = (subject: string) => ({
        ...callerOf("cli"),
        person: { issuer: "https://login.example.com", subject, name: "Ada" }
      })
      const options = { dataDirectory, replace: { audit: auditInto(records) } }
      const layer = McpLiveTest({ a: { config: { limits: { perDay: 2 } } } }, options)
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        const by = (subject: string) => runtime.call("mcp_a_echo", { text: "x" }, { caller: caller(subject) })
        const results = [yield* by("1"), yield* by("1"), yield* by("1"), yield* by("2")]
        assert.deepStrictEqual(results.map(outcomeOf), ["ok", "ok", "RateLimited", "ok"])
        assert.include(textOf(results[2]!), "starts again at 1970-01-02T00:00:00.000Z")
        assert.deepInclude(records[2], { outcome: "RateLimited", tool: "echo" })
        assert.strictEqual((yield* TestServers).counts("a").calls, 3)
      }).pipe(Effect.provide(Layer.provideMerge(layer, Logger.layer([]))))
    }).pipe(Effect.scoped)
  )

  it.effect("count what a client reads, also at addresses that no server lists", () =>
    Effect.gen(function* () {
      const { readResource } = yield* McpRuntime
      const read = (uri: string, client: string) =>
        Effect.match(readResource(uri, "a", { caller: callerOf(client) }), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: () => "ok"
        })
      assert.strictEqual(yield* read("x://1", "one"), "ok")
      assert.strictEqual(yield* read("x://unlisted/1", "one"), "ResourceNotFound")
      assert.strictEqual(yield* read("x://unlisted/2", "one"), "RateLimited")
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "ok")
    }).pipe(
      Effect.provide(live({ a: { resources: [{ uri: "x://1", name: "one" }], config: { limits: { burst: 2 } } } }))
    )
  )

  it.effect("do not count calls that were refused earlier", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      for (let i = 0; i < 30; i++) yield* runtime.call("mcp_a_echo", "no object" as never)
      assert.deepStrictEqual(yield* outcomes("mcp_a_echo", 2), ["ok", "RateLimited"])
    }).pipe(Effect.provide(live({ a: { config: { limits: { burst: 1 } } } })))
  )

  it.effect("open the circuit after five failures in a row, allow one trial, and close it after an answer", () =>
    Effect.gen(function* () {
      const { counts, setFaults } = yield* TestServers
      for (let i = 0; i < 5; i++) assert.strictEqual(yield* timedOut, "CallTimeout")
      const sent = counts("a").calls
      const refused = yield* call("mcp_a_echo")
      assert.strictEqual(outcomeOf(refused), "CircuitOpen")
      assert.include(textOf(refused), "was not sent. Call the tool again in 300 s at the earliest")
      assert.strictEqual(outcomeOf(yield* call("mcp_b_echo")), "ok")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(counts("a").calls, sent)
      const trial = yield* Effect.forkChild(call("mcp_a_echo"))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "CircuitOpen")
      yield* Fiber.interrupt(trial)
      yield* setFaults("a", {})
      assert.deepStrictEqual(yield* outcomes("mcp_a_echo", 2), ["ok", "ok"])
    }).pipe(Effect.provide(live({ a: { faults: { hang: true }, config: UNHURRIED }, b: {} })))
  )

  it.effect("are lifted by reset, which closes an open circuit at once", () =>
    Effect.gen(function* () {
      const { setFaults } = yield* TestServers
      const runtime = yield* McpRuntime
      for (let i = 0; i < 5; i++) yield* timedOut
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "CircuitOpen")
      yield* setFaults("a", {})
      assert.isTrue(yield* runtime.reset("a"))
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "ok")
    }).pipe(Effect.provide(live({ a: { faults: { hang: true }, config: UNHURRIED } })))
  )

  it.effect("show an open circuit and its retry time in the status, and nothing for other servers", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      const circuits = Effect.map(runtime.status, ({ a, b }) => [a?.circuit, b !== undefined && "circuit" in b])
      for (let i = 0; i < 4; i++) yield* timedOut
      assert.deepStrictEqual(yield* circuits, [undefined, false])
      yield* timedOut
      assert.deepStrictEqual(yield* circuits, [{ retryInMs: 300_000 }, false])
      yield* TestClock.adjust("299 seconds")
      assert.deepStrictEqual(yield* circuits, [{ retryInMs: 1_000 }, false])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* circuits, [{ retryInMs: 0 }, false])
      yield* runtime.reset("a")
      assert.deepStrictEqual(yield* circuits, [undefined, false])
    }).pipe(Effect.provide(live({ a: { faults: { hang: true }, config: UNHURRIED }, b: {} })))
  )

  it.effect("do not apply to listing resources, which also closes no circuit", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 5; i++) yield* timedOut
      for (let i = 0; i < 30; i++) assert.strictEqual(outcomeOf(yield* call("mcp_a_list_resources", {})), "ok")
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "CircuitOpen")
      yield* TestClock.adjust("5 minutes")
      yield* call("mcp_a_list_resources", {})
      assert.strictEqual(yield* timedOut, "CallTimeout")
      assert.strictEqual(outcomeOf(yield* call("mcp_a_echo")), "CircuitOpen")
    }).pipe(
      Effect.provide(
        live({ a: { resources: [{ uri: "x://1", name: "one" }], faults: { hang: true }, config: UNHURRIED } })
      )
    )
  )

  it.effect("do not count results with isError as failures", () => {
    const broken = { name: "broken", inputSchema: { type: "object" } }
    const answerWith = { content: [{ type: "text", text: "no" }], isError: true }
    const server = {
      tools: [broken],
      faults: { answerWith },
      config: { limits: { burst: 10, failures: 1 } }
    }
    return Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcomes("mcp_a_broken", 9),
        Array.from({ length: 9 }, () => "isError")
      )
      assert.deepStrictEqual(yield* outcomes("mcp_a_broken", 2), ["isError", "RateLimited"])
    }).pipe(Effect.provide(live({ a: server })))
  })
})
