/** A search for tools at its real size: the longest lists, and the longest query. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeToolIndex } from "../../../../src/layers/call/McpRuntime/toolIndex.ts"
import { makeToolSearch } from "../../../../src/layers/call/McpRuntime/toolSearch.ts"
import { ARGUMENTS_MAX_CHARS } from "../../../../src/schemas/defaults/CallLimits.ts"
import type { AgentTool } from "../../../../src/schemas/call/Tool.ts"
import type { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"
import { around } from "../../../support/around.ts"

const tool = (name: string, description: string): AgentTool => ({
  name,
  label: name,
  description,
  parameters: { type: "object" },
  server: "s",
  tool: name
})

/** The most of these that happen in one turn of the event loop while the work is done; `happened` counts all of them so far. */
const mostInOneTurn = (work: Effect.Effect<unknown, unknown>, happened: () => number) =>
  Effect.gen(function* () {
    let [most, before, isOver] = [0, happened(), false]
    const turn = () => {
      most = Math.max(most, happened() - before)
      before = happened()
      if (!isOver) setImmediate(turn)
    }
    turn()
    yield* Effect.ignore(work)
    isOver = true
    return most
  })

/** Counts the turns of the event loop until the work is done. */
const turnsOf = <A>(work: Effect.Effect<A>) =>
  Effect.gen(function* () {
    let [turns, isOver] = [0, false]
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const value = yield* work
    isOver = true
    return { turns, value }
  })

describe("the tool search", () => {
  it.live("yields to other work while it prepares a list and matches many words", () =>
    Effect.gen(function* () {
      const words = (at: number) => Array.from({ length: 50 }, (_, i) => `common${at * 50 + i}`).join(" ")
      const tools = Array.from({ length: 2_000 }, (_, at) => tool(`tool_${at}`, words(at)))
      const search = makeToolSearch()
      const first = yield* turnsOf(search(tools, "nothing"))
      assert.lengthOf(first.value, 0)
      assert.isAbove(first.turns, 10)
      const second = yield* turnsOf(search(tools, "common"))
      assert.lengthOf(second.value, 2_000)
      assert.isAbove(second.turns, 10)
    })
  )

  it.live("uses only the beginning of a query that is too long", () =>
    Effect.gen(function* () {
      const search = makeToolSearch()
      const long = "word ".repeat(ARGUMENTS_MAX_CHARS / 5)
      const tools = [tool("a", "word"), tool("b", "last")]
      assert.deepStrictEqual(
        (yield* search(tools, `${long} last`)).map(({ name }) => name),
        ["a"]
      )
    })
  )

  it.live.each(["mcp_search_tools", "mcp_describe_tool"])("shows one result in a turn: %s", (name) =>
    Effect.gen(function* () {
      let shown = 0
      const result = { content: [], isError: false, details: { error: { tag: "", maybeExecuted: false } } }
      const bridge = { toResult: () => (shown++, result) } as unknown as ToolBridge["Service"]
      const { run } = makeToolIndex({ bridge, contentOf: () => undefined }).find(
        ({ agentTool }) => agentTool.name === name
      )!
      const searched = Array.from({ length: 2_000 }, (_, at) => tool(`tool_${at}`, "words"))
      const calls = Effect.forEach(
        Array.from({ length: 100 }),
        () => run({ limit: 500, name: "tool_1" }, { ...around(), searched }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* mostInOneTurn(calls, () => shown), 1)
      assert.strictEqual(shown, 100)
    })
  )

  it.live("prepares a list once for concurrent searches", () =>
    Effect.gen(function* () {
      let read = 0
      const tools = Array.from({ length: 100 }, (_, at) => ({
        ...tool(`tool_${at}`, ""),
        get description() {
          read++
          return "words of it"
        }
      }))
      const search = makeToolSearch()
      yield* Effect.forEach(Array.from({ length: 256 }), () => search(tools, "words"), { concurrency: "unbounded" })
      assert.strictEqual(read, 100)
    })
  )
})
