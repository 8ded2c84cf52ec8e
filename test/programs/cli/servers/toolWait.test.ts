import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeToolWait } from "../../../../src/programs/cli/servers/toolWait.ts"

const call = (id: string) => ({ _tag: "ToolCall" as const, id, name: `mcp_${id}`, server: "fs", tool: id, args: {} })
const result = (id: string) => ({
  _tag: "ToolResult" as const,
  id,
  name: id,
  result: {
    content: [],
    isError: false,
    details: { error: { tag: "x", server: "fs", tool: id, maybeExecuted: false } }
  }
})

describe("what an answer waits for", () => {
  it.effect("is the tool that has run longest, once it has run for a second, with its server's words", () =>
    Effect.gen(function* () {
      const { observe, words } = makeToolWait()
      assert.strictEqual(yield* words, "")
      yield* observe(call("slow"))
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* words, "")
      yield* observe(call("other"))
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* words, "mcp_slow is working")
      yield* observe({
        _tag: "ToolProgress",
        id: "slow",
        name: "mcp_slow",
        progress: { progress: 1, total: 2, message: "half\u001b[2J done" }
      })
      assert.strictEqual(yield* words, "mcp_slow is working: half[2J done")
      yield* observe(result("slow"))
      assert.strictEqual(yield* words, "")
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* words, "mcp_other is working")
    })
  )
})
