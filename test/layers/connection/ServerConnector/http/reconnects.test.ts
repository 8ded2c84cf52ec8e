import { afterAll, afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Reconnects } from "../../../../../src/layers/connection/ServerConnector/http/reconnects.ts"
import { STREAM_RECONNECT_MAX_MS, STREAM_RECONNECT_MIN_MS } from "../../../../../src/schemas/defaults/Wire.ts"

// What a whole process shares has seen a clock here that ran ahead: no other test gets that.
afterAll(() => void vi.resetModules())

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How long a stream is left alone when its server asks for `delayMs`. */
const waited = (delayMs: number): number => {
  const reconnects = new Reconnects()
  const started = Date.now()
  let at = Number.NaN
  reconnects.schedule(() => (at = Date.now()), delayMs)
  vi.runAllTimers()
  return at - started
}

describe("Reconnects", () => {
  it("waits as long as the server asks", () => {
    assert.strictEqual(waited(500), 500)
  })

  it("never less than a moment, and never so long that a timer overflows into none at all", () => {
    assert.strictEqual(waited(0), STREAM_RECONNECT_MIN_MS)
    for (const delay of [2 ** 31, 1e300, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(waited(delay), STREAM_RECONNECT_MAX_MS)
    }
  })

  it("one that is cancelled does not happen, the others do", () => {
    const reconnects = new Reconnects()
    const happened: Array<string> = []
    const cancel = reconnects.schedule(() => happened.push("a"), 500)
    reconnects.schedule(() => happened.push("b"), 500)
    cancel()
    vi.runAllTimers()
    assert.deepStrictEqual(happened, ["b"])
  })

  it("none happens when the link is closed, and no timer is left", () => {
    const reconnects = new Reconnects()
    const happened: Array<string> = []
    for (const name of ["a", "b"]) reconnects.schedule(() => happened.push(name), 500)
    reconnects.close()
    assert.strictEqual(vi.getTimerCount(), 0)
    assert.deepStrictEqual(happened, [])
  })

  it("a link that forbids them has no tries", () => {
    const reconnects = new Reconnects()
    reconnects.forbid()
    assert.strictEqual(reconnects.options.maxRetries, 0)
  })
})
