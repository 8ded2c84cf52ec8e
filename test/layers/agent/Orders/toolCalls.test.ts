import { assert, describe, it } from "@effect/vitest"
import { ordersIn } from "../../../../src/layers/agent/Orders/toolCalls.ts"

describe("orders in calls of an agent", () => {
  it("are known by the name of the tool, or of the one that it calls", () => {
    assert.deepStrictEqual(ordersIn("self__order_openclaw", { message: "m" }), ["m"])
    assert.deepStrictEqual(ordersIn("tool_call", { id: "self__order_openclaw", args: { message: "m" } }), ["m"])
    assert.deepStrictEqual(ordersIn("x", { name: "mcp_self_order_openclaw", arguments: '{"message":"m"}' }), ["m"])
  })

  it("are none where no such tool is named", () => {
    assert.deepStrictEqual(ordersIn("slack_post", { message: "m" }), [])
    assert.deepStrictEqual(ordersIn("tool_call", { id: "slack_post", args: { message: "order" } }), [])
    assert.deepStrictEqual(ordersIn("order_openclaw", { text: "m" }), [])
  })

  it.each([undefined, null, "x", 1, [], { message: 1 }, { message: null }, { a: "{" }])("are none in %j", (args) => {
    assert.deepStrictEqual(ordersIn("order_openclaw", args), [])
  })

  it("are looked for within bounds", () => {
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
