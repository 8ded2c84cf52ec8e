import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_ORDER } from "../../../src/schemas/agent/OrderConfig.ts"
import { decode, errorsOf, warningsOf } from "../config/decoding.ts"

const X = `servers: { x: { command: "a" } }`
const inMcp = (order: string) => `{ mcp: { order: ${order}, ${X} } }`

describe('the section "order" of the configuration', () => {
  it("may be left out or empty", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).order, DEFAULT_ORDER)
    assert.deepStrictEqual(decode(inMcp("{}")).order, DEFAULT_ORDER)
    assert.deepInclude(DEFAULT_ORDER, { perMinute: 120, running: 4, waiting: 128, runningInAll: 8, waitingInAll: 512 })
  })

  it("accepts every key, under mcp and beside servers", () => {
    const order = { perMinute: 0, running: 1, waiting: 0, runningInAll: 3, waitingInAll: 4 }
    const text = JSON.stringify(order)
    assert.deepStrictEqual(decode(inMcp(text)).order, order)
    assert.deepStrictEqual(decode(`{ order: ${text}, ${X} }`).order, order)
  })

  it("refuses unknown keys and numbers out of range", () => {
    assert.deepStrictEqual(errorsOf(inMcp(`{ perMinutes: 1, running: 0, waiting: -1, runningInAll: "8" }`)), [
      'openclaw.json:1: mcp.order.perMinutes: unknown key, did you mean "perMinute"?',
      "openclaw.json:1: mcp.order.running: must be a number of requests, is 0",
      "openclaw.json:1: mcp.order.waiting: must be a number of requests, or 0, is -1",
      'openclaw.json:1: mcp.order.runningInAll: must be a number of requests, is "8"'
    ])
  })

  it("may be given in one place only", () => {
    assert.deepStrictEqual(errorsOf(`{ order: { running: 1 }, mcpServers: {}, mcp: { order: {} } }`), [
      'openclaw.json:1: order: means the same as "mcp.order", which is also given: keep one'
    ])
    assert.deepInclude(
      warningsOf(`{ order: { running: 1 }, mcp: { ${X} } }`).join("\n"),
      'order: has no effect here: it belongs under "mcp.order"'
    )
  })
})
