import { assert, describe, it } from "@effect/vitest"
import { makeSlidingWindow } from "../../src/system/slidingWindow.ts"

describe("a sliding window", () => {
  it("takes a number of events in its time, and says how long to wait for the next", () => {
    const { take, waitMs } = makeSlidingWindow(2, 1_000)
    assert.deepStrictEqual([0, 100, 200, 999].map(take), [true, true, false, false])
    assert.strictEqual(waitMs(999), 1)
    assert.strictEqual(waitMs(1_000), 0)
    assert.deepStrictEqual([1_000, 1_050, 1_100].map(take), [true, false, true])
  })

  it("counts noted events, and keeps those that still count", () => {
    const { isEmpty, note, take, waitMs } = makeSlidingWindow(2, 1_000)
    assert.isTrue(isEmpty(0))
    for (const at of [0, 1, 2]) note(at)
    assert.strictEqual(waitMs(3), 998)
    assert.isFalse(take(3))
    assert.isFalse(isEmpty(1_001))
    assert.isTrue(isEmpty(1_002))
  })

  it("does not count events in the future after the clock was set back", () => {
    const { take } = makeSlidingWindow(1, 1_000)
    assert.isTrue(take(1_000_000))
    assert.isTrue(take(5))
    assert.isFalse(take(6))
  })

  it("with a limit of zero takes nothing", () => {
    assert.isFalse(makeSlidingWindow(0, 1_000).take(0))
  })
})
