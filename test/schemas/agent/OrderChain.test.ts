import { assert, describe, it } from "@effect/vitest"
import { chainMeta, chainProblem, depthOf, markOf, readChain } from "../../../src/schemas/agent/OrderChain.ts"

describe("chains of agent requests", () => {
  it("mark a message with a keyed hash", () => {
    assert.strictEqual(markOf("key", "m"), markOf("key", "m"))
    assert.notStrictEqual(markOf("key", "m"), markOf("other", "m"))
    assert.notStrictEqual(markOf("key", "m"), markOf("key", "n"))
    assert.match(markOf("key", "m"), /^[0-9a-f]{16}$/)
  })

  it("grow by one mark per request, and are read back", () => {
    const [a, b] = [markOf("k", "a"), markOf("k", "b")]
    assert.deepStrictEqual(readChain(chainMeta([], a)), [a])
    assert.deepStrictEqual(readChain(chainMeta([a], b)), [a, b])
  })

  it.each([
    undefined,
    null,
    "x",
    {},
    { "mcp-live/orders": "x" },
    { "mcp-live/orders": { 0: "a" } },
    { "mcp-live/orders": [1, "x", null] }
  ])("are none in %j", (meta) => {
    assert.deepStrictEqual(readChain(meta), [])
  })

  it("are read up to their limit", () => {
    const marks = Array.from({ length: 1_000 }, (_, index) => markOf("k", `${index}`))
    assert.lengthOf(readChain({ "mcp-live/orders": marks }), 3)
  })

  it("may not repeat a mark, nor be longer than the limit", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((message) => markOf("k", message)) as [string, string, string, string]
    assert.isUndefined(chainProblem([], a, 0))
    assert.isUndefined(chainProblem([a, b], c, 0))
    assert.isUndefined(chainProblem([], a, 2))
    assert.include(chainProblem([a, b], a, 0), "has come back")
    assert.include(chainProblem([a, b, c], d, 0), "more than 3")
    assert.include(chainProblem([], a, 3), "more than 3")
  })

  it("have the depth that the environment variable says", () => {
    const depth = (MCP_LIVE_ORDER_DEPTH?: string) => depthOf({ MCP_LIVE_ORDER_DEPTH })
    assert.deepStrictEqual(
      [depth(), depth("2"), depth("-1"), depth("x"), depth("1e400"), depth("")],
      [0, 2, 0, 0, 0, 0]
    )
  })
})
