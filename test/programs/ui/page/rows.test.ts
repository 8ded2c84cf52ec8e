/** Long tables. */
import { assert, describe, it } from "@effect/vitest"
import { rowsInSight, stepTo } from "../../../../src/programs/ui/page/parts/rows.ts"

describe("the rows of a long table", () => {
  it("are drawn where they are in sight, and a little beyond", () => {
    assert.deepStrictEqual(rowsInSight({ count: 10_000, rowPx: 30, top: 0, height: 600 }), { from: 0, to: 32 })
    assert.deepStrictEqual(rowsInSight({ count: 10_000, rowPx: 30, top: 150_000, height: 600 }), {
      from: 4_988,
      to: 5_032
    })
    assert.deepStrictEqual(rowsInSight({ count: 10_000, rowPx: 30, top: 299_400, height: 600 }), {
      from: 9_968,
      to: 10_000
    })
  })

  it("are none without rows, and none after a filter has left fewer than were scrolled", () => {
    assert.deepStrictEqual(rowsInSight({ count: 0, rowPx: 30, top: 0, height: 600 }), { from: 0, to: 0 })
    const { from, to } = rowsInSight({ count: 3, rowPx: 30, top: 9_000, height: 600 })
    assert.isAtMost(to, 3)
    assert.isAtMost(from, to)
  })

  it("are reached by keys, and never left by them", () => {
    assert.strictEqual(stepTo("ArrowDown", -1, 5, 3), 0)
    assert.strictEqual(stepTo("ArrowDown", 4, 5, 3), 4)
    assert.strictEqual(stepTo("ArrowUp", 0, 5, 3), 0)
    assert.strictEqual(stepTo("PageDown", 0, 5, 3), 3)
    assert.strictEqual(stepTo("PageUp", 4, 5, 0), 3)
    assert.strictEqual(stepTo("End", 0, 5, 3), 4)
    assert.strictEqual(stepTo("Home", 4, 5, 3), 0)
    assert.isUndefined(stepTo("a", 0, 5, 3))
    assert.isUndefined(stepTo("End", -1, 0, 3))
  })
})
