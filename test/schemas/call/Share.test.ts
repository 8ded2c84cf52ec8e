import { assert, describe, it } from "@effect/vitest"
import { makeShare } from "../../../src/schemas/call/Share.ts"

const MINUTE_MS = 60_000

describe("makeShare", () => {
  it("allows a burst, and then a number per hour", () => {
    const share = makeShare({ burst: 3, perHour: 60 })
    assert.isTrue(share.take(2, 0))
    assert.isTrue(share.take(1, 0))
    assert.isFalse(share.take(1, MINUTE_MS / 2))
    assert.isTrue(share.take(1, MINUTE_MS))
    assert.isFalse(share.take(2, 2 * MINUTE_MS), "all or none")
    assert.isTrue(share.take(1, 2 * MINUTE_MS))
  })

  it("saves up at most its burst, and gets nothing when the clock is set back", () => {
    const share = makeShare({ burst: 3, perHour: 60 })
    assert.isTrue(share.take(3, 1_000 * MINUTE_MS))
    assert.isFalse(share.take(1, 0))
    assert.isFalse(share.take(4, 5_000 * MINUTE_MS))
    assert.isTrue(share.take(3, 5_000 * MINUTE_MS))
  })
})
