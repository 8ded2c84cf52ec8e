import { assert, describe, it } from "@effect/vitest"
import { RATE_BURST_BYTES, RATE_BYTES_PER_MS, RATE_REST_MAX_MS } from "../../src/schemas/defaults/LargeWork.ts"
import { Rate } from "../../src/system/rate.ts"

const SECOND_BYTES = 1_000 * RATE_BYTES_PER_MS

const besideOthers = () => new Rate(() => true)

describe("the rate of a client", () => {
  it("lets a burst pass, and makes later bytes wait until the rate allows them", () => {
    const rate = besideOthers()
    rate.charge(RATE_BURST_BYTES, 1_000)
    assert.strictEqual(rate.restMs(1_000), 0)
    rate.charge(SECOND_BYTES, 1_000)
    assert.strictEqual(rate.restMs(1_000), 1_000)
    rate.charge(SECOND_BYTES / 2, 1_000)
    assert.strictEqual(rate.restMs(1_000), 1_500)
    assert.strictEqual(rate.restMs(2_000), 500)
  })

  it("saves up at most one burst, however long the client is idle", () => {
    const rate = besideOthers()
    rate.charge(RATE_BURST_BYTES, 1_000)
    rate.charge(RATE_BURST_BYTES + RATE_BYTES_PER_MS, 1_000_000)
    assert.strictEqual(rate.restMs(1_000_000), 1)
  })

  it("does not count bytes that arrive while no other client is there", () => {
    let isAlone = true
    const rate = new Rate(() => !isAlone)
    for (let count = 0; count < 100; count++) rate.charge(RATE_BURST_BYTES, 1_000)
    assert.strictEqual(rate.restMs(1_000), 0)
    isAlone = false
    rate.charge(RATE_BYTES_PER_MS, 1_000)
    assert.strictEqual(rate.restMs(1_000), 1)
  })

  it("does not make the client wait once the other clients have left", () => {
    let isAlone = false
    const rate = new Rate(() => !isAlone)
    rate.charge(RATE_BURST_BYTES + SECOND_BYTES, 1_000)
    isAlone = true
    assert.strictEqual(rate.restMs(1_000), 0)
  })

  it("makes the client wait for at most the maximum", () => {
    const rate = besideOthers()
    rate.charge(Number.MAX_SAFE_INTEGER, 1_000)
    assert.strictEqual(rate.restMs(1_000), RATE_REST_MAX_MS)
  })
})
