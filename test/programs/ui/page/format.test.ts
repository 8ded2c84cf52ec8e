/** Figures as the page writes them. */
import { assert, describe, it } from "@effect/vitest"
import { bytes, count, duration, micros, some } from "../../../../src/programs/ui/page/format.ts"

describe("figures of the page", () => {
  it("are short, and have their unit", () => {
    assert.deepStrictEqual([0, 3.4, 12, 999, 1_000, 1_250, 61_000, 3_600_000, 90_000_000].map(duration), [
      "0 ms",
      "3.4 ms",
      "12 ms",
      "999 ms",
      "1 s",
      "1.3 s",
      "1 min 1 s",
      "1 h 0 min",
      "1 d 1 h"
    ])
    assert.strictEqual(duration(null), "–")
    assert.deepStrictEqual([90, 1_200, 43_100].map(micros), ["90 µs", "1.2 ms", "43 ms"])
    assert.deepStrictEqual([0, 9_999, 10_400, 328_000, 1_500_000].map(count), ["0", "9999", "10.4 k", "328 k", "1.5 M"])
    assert.deepStrictEqual([undefined, 2_048, 80 * 1_024 ** 2, 3 * 1_024 ** 3].map(bytes), [
      "–",
      "2 KiB",
      "80 MiB",
      "3 GiB"
    ])
    assert.deepStrictEqual(
      [some(1, "call"), some(2, "call"), some(0, "entry", "entries")],
      ["1 call", "2 calls", "0 entries"]
    )
  })
})
