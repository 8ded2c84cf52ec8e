import { assert, describe, it } from "@effect/vitest"
import { makeSlidingWindow } from "../../src/system/slidingWindow.ts"

describe("a sliding window", () => {
  it("takes so many events within its time, and says when the next one is allowed", () => {
    const { take, waitMs } = makeSlidingWindow(2, 1_000)
    assert.deepStrictEqual([0, 100, 200, 999].map(take), [true, true, false, false])
    assert.strictEqual(waitMs(999), 1)
    assert.strictEqual(waitMs(1_000), 0)
    assert.deepStrictEqual([1_000, 1_050, 1_100].map(take), [true, false, true])
  })

  it("counts what is noted in any case, and forgets nothing that still counts", () => {
    const { isEmpty, note, take, waitMs } = makeSlidingWindow(2, 1_000)
    assert.isTrue(isEmpty(0))
    for (const at of [0, 1, 2]) note(at)
    assert.strictEqual(waitMs(3), 998)
    assert.isFalse(take(3))
    assert.isFalse(isEmpty(1_001))
    assert.isTrue(isEmpty(1_002))
  })

  it("does not wait for events that lie in the future because the clock was set back", () => {
    const { take } = makeSlidingWindow(1, 1_000)
    assert.isTrue(take(1_000_000))
    assert.isTrue(take(5))
    assert.isFalse(take(6))
  })

  it("without room takes nothing", () => {
    assert.isFalse(makeSlidingWindow(0, 1_000).take(0))
  })
})
