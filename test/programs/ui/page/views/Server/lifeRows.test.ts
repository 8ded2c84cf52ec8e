import { assert, describe, it } from "@effect/vitest"
import { lifeRows } from "../../../../../../src/programs/ui/page/views/Server/lifeRows.ts"
import type { LifeEvent } from "../../../../../../src/schemas/control/History.ts"

const event = (at: number, over: Partial<LifeEvent>): LifeEvent => ({
  at,
  kind: "state",
  state: "Ready",
  process: 1,
  ...over
})

describe("the life of a server", () => {
  it("has the newest first, with the time that each state lasted, the present one until now", () => {
    const rows = lifeRows(
      [
        event(0, { state: "Connecting" }),
        event(400, {}),
        event(5_000, { kind: "exit", reason: "exit code 1" }),
        event(5_000, { state: "Backoff" })
      ],
      6_000
    )
    assert.deepStrictEqual(
      rows.map(({ lastedMs, words }) => [words, lastedMs]),
      [
        ["waiting before it is tried again", 1_000],
        ["its process or connection ended", undefined],
        ["ready", 4_600],
        ["connecting", 400]
      ]
    )
    assert.strictEqual(rows[1]?.reason, "exit code 1")
  })

  it("tells processes apart where there are several", () => {
    assert.deepStrictEqual(
      lifeRows([event(0, {}), event(10, { process: 2 }), event(30, { state: "Closed" })], 50).map(
        ({ lastedMs, process }) => [process, lastedMs]
      ),
      [
        [1, 20],
        [2, 40],
        [1, 30]
      ]
    )
    assert.isUndefined(lifeRows([event(0, {})], 1)[0]?.process)
  })
})
