import { assert, describe, it } from "@effect/vitest"
import { ordersIn } from "../../../../src/layers/agent/Orders/toolCalls.ts"

describe("agent requests in tool calls", () => {
  it("are recognized by the tool's name, or by the name of the tool that it calls", () => {
    assert.deepStrictEqual(ordersIn("self__order_openclaw", { message: "m" }), ["m"])
    assert.deepStrictEqual(ordersIn("tool_call", { id: "self__order_openclaw", args: { message: "m" } }), ["m"])
    assert.deepStrictEqual(ordersIn("x", { name: "mcp_self_order_openclaw", arguments: '{"message":"m"}' }), ["m"])
  })

  it("are not found in calls of other tools", () => {
    assert.deepStrictEqual(ordersIn("slack_post", { message: "m" }), [])
    assert.deepStrictEqual(ordersIn("tool_call", { id: "slack_post", args: { message: "order" } }), [])
    assert.deepStrictEqual(ordersIn("order_openclaw", { text: "m" }), [])
  })

  it.each([undefined, null, "x", 1, [], { message: 1 }, { message: null }, { a: "{" }])(
    "are not found in %j",
    (args) => {
      assert.deepStrictEqual(ordersIn("order_openclaw", args), [])
    }
  )

  it("are searched for within limits of width and depth", () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, { message: "m" }]))
    assert.isAtMost(ordersIn("order_openclaw", wide).length, 4)
    let deep: object = { message: "m" }
    for (let level = 0; level < 10_000; level++) deep = { deep }
    assert.deepStrictEqual(ordersIn("order_openclaw", deep), [])
    let text = '{"message":"m"}'
    for (let level = 0; level < 10; level++) text = JSON.stringify({ text })
    assert.deepStrictEqual(ordersIn("order_openclaw", { text }), [])
  })
})
