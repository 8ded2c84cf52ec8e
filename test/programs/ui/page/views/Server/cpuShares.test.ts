import { assert, it } from "@effect/vitest"
import { cpuShares } from "../../../../../../src/programs/ui/page/views/Server/cpuShares.ts"

it("tells the share of a processor between two looks, for processes that are in both", () => {
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
