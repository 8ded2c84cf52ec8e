/** Which of our tools a gateway means, and which call an event tells of. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeTurnCalls, toolsNamed } from "../../../../../src/layers/agent/AgentGateway/openclaw/callMatching.ts"
import type { AgentEvent } from "../../../../../src/schemas/agent/AgentEvent.ts"
import { GATEWAY_CALL_TOLD_MS } from "../../../../../src/schemas/defaults/Gateway.ts"
import { textResult, toolRuntime } from "../../../../support/toolRuntime.ts"

const echo = { run: (args: object) => Effect.succeed(textResult(JSON.stringify(args))) }
const LONG = "mcp__a_server_with_a_long_name__and_a_tool_with_a_long_name_too"

const turn = (names: ReadonlyArray<string>) => {
  const runtime = toolRuntime(Object.fromEntries(names.map((name) => [name, echo])))
  const emitted: Array<AgentEvent> = []
  return Effect.map(runtime.tools, (tools) => ({
    emitted,
    tools,
    calls: makeTurnCalls({
      runtime,
      tools,
      sessionKey: "s",
      offer: () => {},
      emit: (event) => Effect.sync(() => void emitted.push(event))
    })
  }))
}

describe("tool calls reported by an OpenClaw gateway", () => {
  it.effect("are matched to our tools by the names that the gateway makes of them", () =>
    Effect.gen(function* () {
      const { tools } = yield* turn(["mcp__fs__read", "mcp__fs__read_all", LONG])
      const named = (given: string) => toolsNamed(given, tools).map(({ name }) => name)
      assert.deepStrictEqual(named("mcp__fs__read"), ["mcp__fs__read"])
      assert.deepStrictEqual(named("mcp-live-abc-defgh-1__mcp__fs__read"), ["mcp__fs__read"])
      assert.deepStrictEqual(named("mcp__fs__read_0123abcd"), ["mcp__fs__read"])
      assert.deepStrictEqual(named(`mcp-live-abc-defgh-1__${LONG}`.slice(0, 64)), [LONG])
      assert.deepStrictEqual(named(`${`mcp-live-abc-defgh-1__${LONG}`.slice(0, 62)}-2`), [LONG])
      for (const other of ["read", "exec", "fs__read", "", "__", "x__"]) assert.deepStrictEqual(named(other), [], other)
    })
  )

  it.effect("with the same name are matched by their arguments", () =>
    Effect.gen(function* () {
      const { calls } = yield* turn(["mcp__fs__read"])
      calls.onStarted("1", "x__mcp__fs__read", { path: "a" })
      calls.onStarted("2", "x__mcp__fs__read", { path: "b" })
      calls.onStarted("3", "x__mcp__fs__read", { path: "a" })
      for (const path of ["b", "a", "a"]) yield* calls.call("mcp__fs__read", { path }, {})
      assert.deepStrictEqual(
        ["1", "2", "3"].map((id) => calls.resultOf(id)),
        ["a", "b", "a"].map((path) => textResult(JSON.stringify({ path })))
      )
    })
  )

  it.effect("are not matched to an equal call that has ended, which never arrived or was told of too late", () =>
    Effect.gen(function* () {
      const { calls } = yield* turn(["mcp__fs__read"])
      const result = textResult(JSON.stringify({ path: "a" }))
      const call = calls.call("mcp__fs__read", { path: "a" }, {})
      const told = (id: string) => calls.onStarted(id, "x__mcp__fs__read", { path: "a" })
      told("blocked")
      calls.onEnded("blocked")
      told("again")
      yield* call
      assert.deepStrictEqual(["blocked", "again"].map(calls.resultOf), [undefined, result])

      const early = yield* Effect.forkChild(call)
      yield* TestClock.adjust(GATEWAY_CALL_TOLD_MS)
      yield* Fiber.join(early)
      told("late")
      calls.onEnded("late")
      told("next")
      yield* call
      assert.deepStrictEqual(["late", "next"].map(calls.resultOf), [undefined, result])
    })
  )

  it.effect("are emitted after a delay when the gateway does not report them", () =>
    Effect.gen(function* () {
      const { calls, emitted } = yield* turn(["mcp__fs__read"])
      const calling = yield* Effect.forkChild(calls.call("mcp__fs__read", {}, {}))
      yield* TestClock.adjust(GATEWAY_CALL_TOLD_MS - 1)
      assert.lengthOf(emitted, 0)
      yield* TestClock.adjust(1)
      yield* Fiber.join(calling)
      assert.deepStrictEqual(
        emitted.map((event) => [event._tag, "id" in event && event.id]),
        [
          ["ToolCall", "untold-1"],
          ["ToolResult", "untold-1"]
        ]
      )
    })
  )
})
