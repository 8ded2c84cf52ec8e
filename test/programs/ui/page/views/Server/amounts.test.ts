import { assert, describe, it } from "@effect/vitest"
import { bytesWords, cpuShares, lastedWords } from "../../../../../../src/programs/ui/page/views/Server/amounts.ts"

describe("amounts in words", () => {
  it("have the unit that fits", () => {
    assert.deepStrictEqual([900_000, 1_500_000, 48_000_000, 2_340_000_000].map(bytesWords), [
      "900 kB",
      "1.5 MB",
      "48 MB",
      "2.3 GB"
    ])
    assert.deepStrictEqual([12, 1_500, 59_000, 61_000, 7_320_000, 90_000_000].map(lastedWords), [
      "12 ms",
      "1.5 s",
      "59 s",
      "1 min 1 s",
      "2 h 2 min",
      "1 d 1 h"
    ])
  })

  it("have the share of a processor between two looks, for processes that are in both", () => {
    const look = (at: number, ...times: ReadonlyArray<readonly [number, number]>) => ({
      at,
      processes: times.map(([pid, cpuMs]) => ({ pid, parent: 1, cpuMs }))
    })
    assert.deepStrictEqual(
      [...cpuShares([look(0, [1, 100], [2, 900]), look(2_000, [1, 600], [2, 10], [3, 5])])],
      [[1, 0.25]]
    )
    assert.isEmpty([...cpuShares([look(0, [1, 100])])])
  })
})
