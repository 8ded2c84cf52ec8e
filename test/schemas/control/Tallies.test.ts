import { assert, describe, it } from "@effect/vitest"
import { makeTallies, type TalliedCall } from "../../../src/schemas/control/Tallies.ts"
import { HISTORY_MINUTES, TALLIES_TOOLS_MAX, TOKEN_CHARS } from "../../../src/schemas/defaults/Control.ts"

const MINUTE = 60_000
/** In the middle of a minute. */
const NOW = 1_000_000 * MINUTE + 30_000

const call = (given: Partial<TalliedCall> = {}): TalliedCall => ({
  at: NOW,
  server: "fs",
  tool: "read",
  ok: true,
  durationMs: 10,
  resultChars: 0,
  ...given
})
const counted = (calls: ReadonlyArray<TalliedCall>) => {
  const tallies = makeTallies()
  for (const one of calls) tallies.add(one)
  return tallies
}
const shown = (name: string) => name

describe("calls by tool and minute", () => {
  it("are counted in the minute in which they ended, for sixty minutes", () => {
    const { all, of } = counted([
      call({ at: NOW - 61 * MINUTE }),
      call({ at: NOW - 59 * MINUTE, ok: false }),
      call({ resultChars: 10 * TOKEN_CHARS }),
      call({ server: "git", at: NOW - 20_000 })
    ]).minutes(NOW)
    assert.strictEqual(all.length, HISTORY_MINUTES)
    assert.deepInclude(all[0], { at: NOW - 30_000 - 59 * MINUTE, calls: 1, errors: 1 })
    assert.deepInclude(all.at(-1), { calls: 2, errors: 0, resultTokens: 10 })
    assert.deepInclude(of("fs").at(-1), { calls: 1 })
    assert.strictEqual(
      all.reduce((sum, { calls }) => sum + calls, 0),
      3
    )
  })

  it("have the durations that half and nearly all of them do not exceed, to three percent", () => {
    const exact = counted(Array.from({ length: 100 }, (_, i) => call({ durationMs: i < 60 ? 7 : 40 })))
    assert.deepInclude(exact.minutes(NOW).all.at(-1), { p50Ms: 7, p99Ms: 40 })
    for (const ms of [64, 100, 1_234, 65_537, 3_600_000]) {
      const { p50Ms } = counted([call({ durationMs: ms })])
        .minutes(NOW)
        .all.at(-1)!
      assert.approximately(p50Ms! / ms, 1, 0.033, `${ms}`)
    }
    assert.deepInclude(makeTallies().minutes(NOW).all.at(-1), { calls: 0, p50Ms: null, p99Ms: null })
  })

  it("are summed by tool and by server since a time, the most called first", () => {
    const tallies = counted([
      call({ at: NOW - 10 * MINUTE }),
      call({ at: NOW - MINUTE, tool: "write", ok: false }),
      call({ tool: "write" }),
      call({ server: "git", tool: "log" })
    ])
    const { servers, steps, tools } = tallies.since(NOW - 2 * MINUTE, NOW, shown)
    assert.strictEqual(steps.length, 3)
    assert.deepStrictEqual(
      tools.map(({ calls, errors, server, tool }) => [server, tool, calls, errors]),
      [
        ["fs", "write", 2, 1],
        ["git", "log", 1, 0]
      ]
    )
    assert.deepStrictEqual(
      tools[0]!.steps.map(({ calls }) => calls),
      [0, 1, 1]
    )
    assert.deepStrictEqual(
      servers.map(({ calls, server }) => [server, calls]),
      [
        ["fs", 2],
        ["git", 1]
      ]
    )
  })

  it("cover at most the last hour", () => {
    assert.strictEqual(makeTallies().since(0, NOW, shown).steps.length, HISTORY_MINUTES)
    assert.strictEqual(makeTallies().since(NOW + MINUTE, NOW, shown).steps.length, 1)
  })

  it("forget the tool that was called least recently when there are too many", () => {
    const tallies = makeTallies()
    tallies.add(call({ tool: "old", at: NOW - 2 }))
    tallies.add(call({ tool: "first", at: NOW - 1 }))
    for (let i = 0; i < TALLIES_TOOLS_MAX - 1; i++) tallies.add(call({ tool: `t${i}`, server: "many" }))
    const { servers } = tallies.since(0, NOW, shown)
    assert.deepInclude(
      servers.find(({ server }) => server === "fs"),
      { calls: 1 }
    )
  })

  it("keep no more minutes than are shown, however long they run", () => {
    const tallies = makeTallies()
    for (let i = 0; i < 500; i++) tallies.add(call({ at: NOW + i * MINUTE }))
    const { all } = tallies.minutes(NOW + 499 * MINUTE)
    assert.isTrue(all.every(({ calls }) => calls === 1))
  })
})
