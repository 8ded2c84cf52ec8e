import { assert, describe, it } from "@effect/vitest"
import { granted, makeLocal } from "../../../../src/layers/fleet/CallTokens/local.ts"
import { reported, shareOf, takeShare } from "../../../../src/layers/fleet/CallTokens/share.ts"

const LIMITS = { burst: 30, perMinute: 60 }
const NOW = 1_000_000

const local = (rest?: number) => {
  const made = makeLocal("key", LIMITS, NOW)
  if (rest !== undefined) granted(made, 0, rest, NOW)
  return made
}

const takeAll = (share: ReturnType<typeof shareOf>, now: number) => {
  let count = 0
  while (takeShare(share, now) === undefined) count++
  return count
}

describe("the share of a node while the database is away", () => {
  it("begins with its part of what was left, and of what has come since", () => {
    assert.strictEqual(takeAll(shareOf(local(), 3, NOW), NOW), 10)
    assert.strictEqual(takeAll(shareOf(local(6), 3, NOW), NOW), 2)
    assert.strictEqual(takeAll(shareOf(local(6), 3, NOW + 9_000), NOW + 9_000), 5)
  })

  it("gets its part of the tokens that come", () => {
    const share = shareOf(local(0), 3, NOW)
    assert.strictEqual(takeShare(share, NOW), 3_000)
    assert.strictEqual(takeAll(share, NOW + 9_000), 3)
  })

  it("of a small limit is a token at a time, as rarely as its part says", () => {
    const one = { ...makeLocal("key", { burst: 1, perMinute: 1 }, NOW) }
    granted(one, 0, 0, NOW)
    const share = shareOf(one, 3, NOW)
    assert.strictEqual(takeAll(share, NOW + 179_999), 0)
    assert.strictEqual(takeAll(share, NOW + 180_000), 1)
  })

  it("reports what was used, once", () => {
    const share = shareOf(local(), 3, NOW)
    for (let i = 0; i < 4; i++) takeShare(share, NOW)
    assert.strictEqual(reported(share, NOW), 4)
    assert.strictEqual(reported(share, NOW), 0)
    takeShare(share, NOW)
    assert.strictEqual(reported(share, NOW), 1)
  })

  it("does not report what has come back anyway", () => {
    const share = shareOf(local(), 1, NOW)
    for (let i = 0; i < 5; i++) takeShare(share, NOW)
    // The bucket in the database is full by then, and so would this one be.
    assert.strictEqual(reported(share, NOW + 60_000), 0)
  })
})
