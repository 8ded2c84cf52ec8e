import { assert, describe, it } from "@effect/vitest"
import { reconnectDelay } from "../../../../../src/layers/connection/ServerConnector/http/streams.ts"
import {
  STREAM_RECONNECT_BASE_MS,
  STREAM_RECONNECT_CAP_MS,
  STREAM_RECONNECT_MAX_MS,
  STREAM_RECONNECT_MIN_MS
} from "../../../../../src/schemas/defaults/Wire.ts"

describe("the time before a stream is opened again", () => {
  it("is what the server asks for, never less than a moment, and never so long that a timer overflows", () => {
    assert.strictEqual(reconnectDelay(0, 500), 500)
    assert.strictEqual(reconnectDelay(0, 0), STREAM_RECONNECT_MIN_MS)
    for (const asked of [2 ** 31, 1e300, Number.POSITIVE_INFINITY]) {
      assert.strictEqual(reconnectDelay(0, asked), STREAM_RECONNECT_MAX_MS)
    }
  })

  it("grows with each failure in a row where the server asks for none", () => {
    assert.strictEqual(reconnectDelay(0, undefined), STREAM_RECONNECT_BASE_MS)
    assert.isAbove(reconnectDelay(1, undefined), STREAM_RECONNECT_BASE_MS)
    assert.strictEqual(reconnectDelay(1_000, undefined), STREAM_RECONNECT_CAP_MS)
  })
})
