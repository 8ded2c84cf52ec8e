import { assert, describe, it } from "@effect/vitest"
import { RATE_BURST_BYTES, RATE_BYTES_PER_MS, RATE_REST_MAX_MS } from "../../src/schemas/defaults/LargeWork.ts"
import { Rate } from "../../src/system/rate.ts"

const SECOND_BYTES = 1_000 * RATE_BYTES_PER_MS

describe("the rate of a client", () => {
  it("a burst does not wait; after it, what arrives waits in order until its turn at the rate", () => {
    const rate = new Rate()
    assert.strictEqual(rate.take(RATE_BURST_BYTES, 1_000, true), 0)
    assert.strictEqual(rate.take(SECOND_BYTES, 1_000, true), 1_000)
    assert.strictEqual(rate.take(SECOND_BYTES / 2, 1_000, true), 1_500)
    assert.strictEqual(rate.take(0, 2_000, true), 500)
  })

  it("a client that waits is owed nothing more than its burst", () => {
    const rate = new Rate()
    rate.take(RATE_BURST_BYTES, 1_000, true)
    assert.strictEqual(rate.take(RATE_BURST_BYTES, 1_000_000, true), 0)
    assert.strictEqual(rate.take(RATE_BYTES_PER_MS, 1_000_000, true), 1)
  })

  it("what it sends while nobody else is there does not wait, and is not held against it later", () => {
    const rate = new Rate()
    for (let count = 0; count < 100; count++) assert.strictEqual(rate.take(RATE_BURST_BYTES, 1_000, false), 0)
    assert.strictEqual(rate.take(RATE_BYTES_PER_MS, 1_000, true), 1)
  })

  it("no wait is longer than the longest", () => {
    const rate = new Rate()
    assert.strictEqual(rate.take(Number.MAX_SAFE_INTEGER, 1_000, true), RATE_REST_MAX_MS)
    assert.strictEqual(rate.take(1, 1_000 + 2 * RATE_REST_MAX_MS, true), 0)
  })
})
